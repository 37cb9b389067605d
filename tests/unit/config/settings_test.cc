// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/units.h"

namespace ckpt::config {
namespace {

using std::chrono::milliseconds;

TEST(Settings, RowsAreWellFormed) {
  std::set<std::string> keys;
  for (const Setting& setting : Settings()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_TRUE(keys.insert(std::string(setting.key)).second) << "given twice";
    EXPECT_EQ(setting.help.back(), '.');
    EXPECT_EQ(setting.help.find_first_of("|\n"), std::string::npos) << "breaks the table";
    EXPECT_EQ(setting.min.empty(), setting.max.empty());
    TargetConfig target;
    for (const std::string_view text : {setting.default_text, setting.min, setting.max}) {
      if (text.empty()) continue;
      const auto problem = SetFromText(setting, text, target);
      EXPECT_EQ(problem, std::nullopt) << text;
    }
    EXPECT_FALSE(SettingTypeName(setting).empty());
    EXPECT_EQ(FindSetting(setting.key), &setting);
  }
  EXPECT_EQ(FindSetting("log"), nullptr);
  EXPECT_EQ(FindSetting(""), nullptr);
}

TEST(Settings, NoTwoRowsFillTheSameMember) {
  const auto settings = Settings();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t j = i + 1; j < settings.size(); ++j) {
      EXPECT_FALSE(settings[i].member == settings[j].member)
          << settings[i].key << " and " << settings[j].key;
    }
  }
}

TEST(Settings, EnumWordsFitTheirEnums) {
  TargetConfig target;
  ASSERT_EQ(SetFromText(*FindSetting("log.format"), "jsonlog", target), std::nullopt);
  EXPECT_EQ(target.log_format, LogFormat::kJsonlog);
  ASSERT_EQ(SetFromText(*FindSetting("log.follow"), "off", target), std::nullopt);
  EXPECT_EQ(target.log_follow, LogFollow::kOff);
}

TEST(Units, Durations) {
  const struct {
    const char* text;
    std::int64_t milliseconds;
  } good[] = {{"0", 0},
              {"0s", 0},
              {"1ms", 1},
              {"500ms", 500},
              {"1s", 1000},
              {"2m", 120'000},
              {"1h", 3'600'000},
              {"1d", 86'400'000},
              {"1h30m", 5'400'000},
              {"1m500ms", 60'500},
              {"007s", 7000},
              {"106751991167d", 106751991167LL * 86'400'000}};
  for (const auto& c : good)
    EXPECT_EQ(ParseDuration(c.text), milliseconds(c.milliseconds)) << c.text;
  for (const char* bad : {"",
                          "1",
                          "s",
                          "-1s",
                          "+1s",
                          "1 s",
                          " 1s",
                          "1s ",
                          "1.5s",
                          "1S",
                          "1sec",
                          "1s1s",
                          "1s1m",
                          "1w",
                          "1us",
                          "1m30",
                          "0x1s",
                          "106751991168d",
                          "99999999999999999999s",
                          "1s\n",
                          "1e3ms"}) {
    EXPECT_EQ(ParseDuration(bad), std::nullopt) << bad;
  }
  for (const auto& c : good) {
    EXPECT_EQ(ParseDuration(FormatDuration(milliseconds(c.milliseconds))),
              milliseconds(c.milliseconds));
  }
  EXPECT_EQ(FormatDuration(milliseconds(5'400'001)), "1h30m1ms");
}

TEST(Units, Sizes) {
  const struct {
    const char* text;
    std::int64_t bytes;
  } good[] = {{"0", 0},
              {"1B", 1},
              {"16kB", 16384},
              {"64MB", 67'108'864},
              {"1GB", 1'073'741'824},
              {"2TB", std::int64_t{2} << 40U},
              {"8388607TB", std::int64_t{8388607} << 40U}};
  for (const auto& c : good) {
    EXPECT_EQ(ParseSize(c.text), c.bytes) << c.text;
    EXPECT_EQ(FormatSize(c.bytes), c.text);
  }
  for (const char* bad : {"", "1", "B", "-1B", "1KB", "1kb", "1Mb", "1MiB", "1M", "1.5GB", "1 GB",
                          "1GB1MB", "8388608TB", "99999999999999999999B", "1PB"}) {
    EXPECT_EQ(ParseSize(bad), std::nullopt) << bad;
  }
}

TEST(Units, WordsAndNumbers) {
  EXPECT_EQ(ParseBool("true"), true);
  EXPECT_EQ(ParseBool("false"), false);
  for (const char* bad : {"", "yes", "on", "1", "True", "TRUE", "t", "true "}) {
    EXPECT_EQ(ParseBool(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(ParseInteger("0"), 0);
  EXPECT_EQ(ParseInteger("5432"), 5432);
  EXPECT_EQ(ParseInteger("-1"), -1);
  for (const char* bad : {"", "-", "+1", "010", "-01", "1.0", "1e3", "0x10", " 1", "1 ", "1_000",
                          "9223372036854775808"}) {
    EXPECT_EQ(ParseInteger(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace ckpt::config
