// SPDX-License-Identifier: Apache-2.0
#include "http/basic_auth.h"

#include <gtest/gtest.h>

#include <future>

#include "test_client.h"

namespace ckpt::http {
namespace {

using Verdict = BasicAuthenticator::Verdict;

// A bcrypt hash of "secret" at the lowest cost.
const std::string kHash = "$2y$04$....................../dCAsp4PpJoDgv6BeaLP6BKrXlBV1oi";

Verdict Check(BasicAuthenticator& authenticator, const BasicAuthenticator::Users& users,
              std::string_view authorization) {
  const auto verdict = std::make_shared<std::promise<Verdict>>();
  std::future<Verdict> answer = verdict->get_future();
  authenticator.Check(users, authorization, [verdict](Verdict v) { verdict->set_value(v); });
  return answer.get();
}

TEST(ParseBasicAuthorization, ReadsUserAndPassword) {
  const auto credentials = ParseBasicAuthorization("bAsIc YWxpY2U6c2VjOnJldA==");
  ASSERT_TRUE(credentials.has_value());
  EXPECT_EQ(credentials->user, "alice");
  EXPECT_EQ(credentials->password, "sec:ret");
  EXPECT_EQ(ParseBasicAuthorization("Basic Og==")->user, "");
}

TEST(ParseBasicAuthorization, RefusesTheRest) {
  for (const std::string_view header :
       {"", "Basic", "Basic ", "Bearer YWxpY2U6c2VjcmV0", "Basic YWxpY2U=", "Basic YWxpY2U6c2VjcmV",
        "Basic YWxp Y2U6", "Basic YWx=Y2U6", "Basic ====", "Basic !!!!", "Basic  YWxpY2U6YQ=="}) {
    SCOPED_TRACE(header);
    EXPECT_FALSE(ParseBasicAuthorization(header).has_value());
  }
}

TEST(BcryptMatches, KnowsTheKnownAnswers) {
  EXPECT_TRUE(BcryptMatches("$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi",
                            "fakepassword"));
  EXPECT_TRUE(BcryptMatches(kHash, "secret"));
  EXPECT_FALSE(BcryptMatches(kHash, "Secret"));
  EXPECT_FALSE(BcryptMatches(kHash, ""));
  EXPECT_FALSE(BcryptMatches(kHash, std::string("secret\0x", 8)));
  EXPECT_FALSE(BcryptMatches("$2y$99$broken", "secret"));
  EXPECT_FALSE(BcryptMatches("", "secret"));
}

TEST(BasicAuthenticator, AdmitsOnlyTheRightPassword) {
  BasicAuthenticator authenticator;
  const BasicAuthenticator::Users users{{"alice", kHash}};
  const std::string right = "Basic YWxpY2U6c2VjcmV0";  // alice:secret
  for (int round = 0; round < 2; ++round) {            // computed, then remembered
    EXPECT_EQ(Check(authenticator, users, right), Verdict::kAllowed);
    EXPECT_EQ(Check(authenticator, users, "Basic YWxpY2U6d3Jvbmc="), Verdict::kDenied);  // wrong
    EXPECT_EQ(Check(authenticator, users, "Basic Ym9iOnNlY3JldA=="), Verdict::kDenied);  // bob
    EXPECT_EQ(Check(authenticator, users, "Basic ?"), Verdict::kDenied);
    EXPECT_EQ(Check(authenticator, users, ""), Verdict::kDenied);
  }
  // A verdict belongs to its hash: with another one, or none, it is worth nothing.
  EXPECT_EQ(Check(authenticator, {}, right), Verdict::kDenied);
  EXPECT_EQ(
      Check(authenticator,
            {{"alice", "$2y$04$......................ihqWR5MPTQ.vdPo4V5b6powaL1OAEka"}}, right),
      Verdict::kDenied);
}

TEST(BasicAuthenticator, ARememberedVerdictComesAtOnceDespiteManyGuesses) {
  BasicAuthenticator authenticator;
  const BasicAuthenticator::Users users{{"alice", kHash}, {"bob", kHash}};
  ASSERT_EQ(Check(authenticator, users, "Basic YWxpY2U6c2VjcmV0"), Verdict::kAllowed);
  // Guesses for bob: base64 of "bob:" and three letters.
  std::atomic<int> busy{0};
  for (int i = 0; i < 1000; ++i) {
    std::string guess = "Basic Ym9iOmFh";
    guess += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"[i / 32];
    guess += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"[i % 32];
    guess += "AA";
    authenticator.Check(users, guess.substr(0, 18), [&busy](Verdict verdict) {
      if (verdict == Verdict::kBusy) ++busy;
    });
  }
  bool at_once = false;
  authenticator.Check(users, "Basic YWxpY2U6c2VjcmV0",
                      [&at_once](Verdict verdict) { at_once = verdict == Verdict::kAllowed; });
  EXPECT_TRUE(at_once);
  EXPECT_GT(busy, 0);  // the queue is bounded
}

}  // namespace
}  // namespace ckpt::http
