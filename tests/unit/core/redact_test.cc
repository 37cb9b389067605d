// SPDX-License-Identifier: Apache-2.0
#include "core/redact.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "core/secret.h"

namespace ckpt {
namespace {

struct Case {
  const char* text;
  const char* redacted;
};

TEST(Redact, RemovesWhatLooksLikeAPassword) {
  const Case cases[] = {
      {"nothing to hide", "nothing to hide"},
      {"", ""},
      {"password=hunter2 host=a", "password=<redacted> host=a"},
      {"host=a password=hunter2", "host=a password=<redacted>"},
      {"PASSWORD = 'hun ter2' user=x", "PASSWORD = <redacted> user=x"},
      {R"(password='hun\'ter2' user=x)", "password=<redacted> user=x"},
      {"password='hunter2 and no end", "password=<redacted>"},
      {R"(password=hun\ ter2 user=x)", "password=<redacted> user=x"},
      {"sslpassword=hunter2", "sslpassword=<redacted>"},
      {"?user=a&password=hunter2&sslmode=disable", "?user=a&password=<redacted>&sslmode=disable"},
      {"PGPASSWORD=hunter2", "PGPASSWORD=<redacted>"},
      {"password authentication failed for user \"a\"",
       "password authentication failed for user \"a\""},
      {"passfile=/etc/pass", "passfile=/etc/pass"},
      {"postgresql://a:hunter2@h:5432/db", "postgresql://a:<redacted>@h:5432/db"},
      {"postgres://a:hunter2@h/db and more", "postgres://a:<redacted>@h/db and more"},
      {"POSTGRES://a:hunter2@h/db", "POSTGRES://a:<redacted>@h/db"},
      {"postgresql://a:hun@ter2@h/db", "postgresql://a:<redacted>@h/db"},
      {"postgresql://a:hun/ter2@h/db", "postgresql://a:<redacted>@h/db"},
      {"postgresql://a:hun ter2@h/db", "postgresql://a:<redacted>@h/db"},
      {"postgresql://a:hun\"ter2@h/db", "postgresql://a:<redacted>@h/db"},
      {"postgresql://a:12/hunter2@h/db", "postgresql://a:<redacted>@h/db"},
      {"postgresql://a:hunter2", "postgresql://a:<redacted>"},
      {"postgresql://a:hunter2/db", "postgresql://a:<redacted>"},
      {"postgresql://a:%zzhunter2/db x", "postgresql://a:<redacted> x"},
      {"postgresql://h:5432/db", "postgresql://h:5432/db"},
      {"postgresql://h:5432", "postgresql://h:5432"},
      {"postgresql://h,i:5432,j/db", "postgresql://h,i:5432,j/db"},
      {"postgresql://[::1]:5432/db", "postgresql://[::1]:5432/db"},
      {"postgresql://a@h/db", "postgresql://a@h/db"},
      {"postgresql:///db?password=hunter2", "postgresql:///db?password=<redacted>"},
      {"invalid URI query parameter: \"password=hunter2\"",
       "invalid URI query parameter: \"password=<redacted>\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Redact(c.text), c.redacted);
  }
}

TEST(Redact, RemovesKnownSecretsWhereverTheyAre) {
  const std::vector<Secret> secrets{Secret("hunter2"), Secret("hunter2 and more"), Secret("p@ss"),
                                    Secret("ab")};
  const Case cases[] = {
      {"invalid integer value \"hunter2\" for connection option \"port\"",
       "invalid integer value \"<redacted>\" for connection option \"port\""},
      {"xhunter2y", "x<redacted>y"},
      {"hunter2hunter2", "<redacted><redacted>"},
      {"say hunter2 and more.", "say <redacted>."},
      {"could not parse p%40ss", "could not parse <redacted>"},
      {"unable to say \"ab\"", "unable to say \"<redacted>\""},
      {"a cab", "a cab"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Redact(c.text, secrets), c.redacted);
  }
  EXPECT_EQ(Redact("text", std::vector<Secret>{Secret("")}), "text");
}

TEST(Redact, KnowsTheSecretKeywords) {
  EXPECT_TRUE(IsSecretKeyword("password"));
  EXPECT_TRUE(IsSecretKeyword("PASSWORD"));
  EXPECT_TRUE(IsSecretKeyword("sslpassword"));
  EXPECT_FALSE(IsSecretKeyword("passfile"));
  EXPECT_FALSE(IsSecretKeyword("pass"));
  EXPECT_FALSE(IsSecretKeyword(""));
}

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};

TEST(Secret, CannotBePrintedByAccident) {
  static_assert(!Streamable<Secret>);
  static_assert(!std::is_convertible_v<Secret, std::string>);
  static_assert(!std::is_convertible_v<std::string, Secret>);
  EXPECT_EQ(::testing::PrintToString(Secret("hunter2")), "<redacted>");
}

TEST(Secret, IsAPlainValue) {
  Secret a("hunter2");
  Secret b = a;
  EXPECT_EQ(a, b);
  const Secret c = std::move(a);
  EXPECT_EQ(c.Reveal(), "hunter2");
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  b = Secret("other");
  EXPECT_EQ(b.Reveal(), "other");
}

}  // namespace
}  // namespace ckpt
