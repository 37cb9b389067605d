// SPDX-License-Identifier: Apache-2.0
#include "core/numbers.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/convert.h"

namespace ckpt {
namespace {

TEST(ParseInt, ReadsWholeNumbers) {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  for (const auto& [text, value] : {
           Case{"0", 0},
           {"-1", -1},
           {"007", 7},
           {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
           {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
       }) {
    EXPECT_EQ(ParseInt(text), value) << text;
  }
}

TEST(ParseInt, RefusesTheRest) {
  for (const char* text :
       {"", " ", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "--1", "-", "1_000", "1,000",
        "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "NaN", "t"}) {
    EXPECT_FALSE(ParseInt(text)) << text;
  }
  EXPECT_FALSE(ParseInt(std::string_view("1\0", 2)));
}

TEST(ParseReal, ReadsWhatPostgresPrints) {
  struct Case {
    const char* text;
    double value;
  };
  for (const auto& [text, value] : {
           Case{"0", 0.0},
           {"-0", 0.0},
           {"0.9", 0.9},
           {"-1", -1.0},
           {"1796074039.46812", 1796074039.46812},
           {"1796074039.468123", 1796074039.468123},
           {"1e-06", 1e-6},
           {"1.5e+300", 1.5e300},
           {"9223372036854775807", 9223372036854775807.0},
       }) {
    EXPECT_EQ(ParseReal(text), value) << text;
  }
}

TEST(ParseReal, RefusesTheRest) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "1,5", "NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "1e400",
        "-1e400", "0x1p3", "1.5.2", "e5", ".", "1e", "one"}) {
    EXPECT_FALSE(ParseReal(text)) << text;
  }
}

TEST(ParseLsn, ReadsEveryVersionsForm) {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  for (const auto& [text, value] : {
           Case{"0/0", 0},
           {"0/1A", 0x1A},
           {"0/0000001A", 0x1A},  // 19
           {"0/183A290", 0x183A290},
           {"16/B374D848", 0x16B374D848},
           {"16/b374d848", 0x16B374D848},
           {"1/00000000", 0x100000000},
           {"7FFFFFFF/FFFFFFFF", std::numeric_limits<std::int64_t>::max()},
       }) {
    EXPECT_EQ(ParseLsn(text), value) << text;
  }
}

TEST(ParseLsn, RefusesTheRest) {
  for (const char* text :
       {"",     "/",           "0/",          "/0",         "0",
        "00",   "0//0",        "0/0/0",       "0x1/0",      "-1/0",
        "0/-1", "+1/0",        " 0/0",        "0/0 ",       "G/0",
        "0/G",  "100000000/0", "0/100000000", "80000000/0", "FFFFFFFF/FFFFFFFF"}) {
    EXPECT_FALSE(ParseLsn(text)) << text;
  }
}

struct Converted {
  OptionalInt whole;
  OptionalReal real;
  OptionalText text;
};

TEST(Convert, PutsTextsIntoMembersInBaseUnits) {
  Converted record;
  EXPECT_EQ(Convert<Converted>("12", Scale::kOne, &Converted::whole, &record), 0);
  EXPECT_EQ(record.whole, 12);
  EXPECT_EQ(Convert<Converted>("0/10", Scale::kLsn, &Converted::whole, &record), 0);
  EXPECT_EQ(record.whole, 16);
  for (const char* text : {"t", "true"}) {
    EXPECT_EQ(Convert<Converted>(text, Scale::kBool, &Converted::whole, &record), 0);
    EXPECT_EQ(record.whole, 1);
  }
  for (const char* text : {"f", "false"}) {
    EXPECT_EQ(Convert<Converted>(text, Scale::kBool, &Converted::whole, &record), 0);
    EXPECT_EQ(record.whole, 0);
  }
  EXPECT_EQ(Convert<Converted>("1500", Scale::kMilliseconds, &Converted::real, &record), 0);
  EXPECT_EQ(record.real, 1.5);
  EXPECT_EQ(Convert<Converted>("17.5", Scale::kEpoch, &Converted::real, &record), 0);
  EXPECT_EQ(record.real, 17.5);
  EXPECT_EQ(Convert<Converted>("IO", Scale::kOne, &Converted::text, &record), 0);
  EXPECT_EQ(record.text, "IO");
}

TEST(Convert, NullEmptiesAndIsNoFault) {
  Converted record{1, 2.0, "three"};
  for (const Field<Converted>& field :
       {Field<Converted>(&Converted::whole), Field<Converted>(&Converted::real),
        Field<Converted>(&Converted::text)}) {
    EXPECT_EQ(Convert<Converted>(std::nullopt, Scale::kOne, field, &record), 0);
  }
  EXPECT_FALSE(record.whole || record.real || record.text);
}

TEST(Convert, GarbageEmptiesAndIsCounted) {
  struct Case {
    const char* text;
    Scale scale;
    Field<Converted> field;
  };
  for (const auto& [text, scale, field] : {
           Case{"x", Scale::kOne, &Converted::whole},
           {"1.5", Scale::kOne, &Converted::whole},
           {"12", Scale::kLsn, &Converted::whole},
           {"tomato", Scale::kBool, &Converted::whole},
           {"F", Scale::kBool, &Converted::whole},
           {"", Scale::kBool, &Converted::whole},
           {"Infinity", Scale::kEpoch, &Converted::real},
           {"x", Scale::kMilliseconds, &Converted::real},
       }) {
    Converted record{1, 2.0, "three"};
    EXPECT_EQ(Convert(std::optional<std::string>(text), scale, field, &record), 1) << text;
    EXPECT_EQ(record.whole.has_value() + record.real.has_value(), 1) << text;
  }
}

}  // namespace
}  // namespace ckpt
