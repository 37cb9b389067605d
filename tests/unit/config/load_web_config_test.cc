// SPDX-License-Identifier: Apache-2.0
#include "config/load_web_config.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ckpt::config {
namespace {

constexpr std::string_view kHash = "$2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi";

Result<WebConfig> Parse(std::string_view text) { return ParseWebConfig(text, "/etc/exp/web.yml"); }

TEST(LoadWebConfig, AnEmptyFileIsPlainHttpForEveryone) {
  for (const std::string_view text :
       {"", "# nothing\n", "{}", "tls_server_config:\nbasic_auth_users:\n",
        "tls_server_config: {}\n",
        // Refinements of TLS do not switch it on.
        "tls_server_config: {min_version: TLS13, curve_preferences: [X25519]}\n"}) {
    SCOPED_TRACE(text);
    const Result<WebConfig> config = Parse(text);
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_FALSE(config.value().tls.has_value());
    EXPECT_TRUE(config.value().basic_auth_users.empty());
    EXPECT_TRUE(config.value().headers.empty());
    EXPECT_EQ(config.value().rate_limit.interval.count(), 0);
    EXPECT_TRUE(config.value().http2);
  }
}

TEST(LoadWebConfig, ReadsEverything) {
  const Result<WebConfig> loaded = Parse(std::string(R"(
tls_server_config:
  cert_file: server.crt
  key_file: /keys/server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca: |
    -----BEGIN CERTIFICATE-----
  client_allowed_sans: [prom.example, 192.0.2.1]
  min_version: TLS11
  max_version: TLS12
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]
  curve_preferences: [CurveP521, X25519]
  prefer_server_cipher_suites: false
http_server_config:
  http2: false
  headers:
    X-Frame-Options: sameorigin
    Strict-Transport-Security: max-age=31536000
    X-Content-Type-Options: ""
rate_limit:
  interval: 1m30s
  burst: 20
basic_auth_users:
  alice: )") + std::string(kHash) + "\n");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const WebConfig& config = loaded.value();
  ASSERT_TRUE(config.tls.has_value());
  EXPECT_EQ(config.tls->cert_file, "/etc/exp/server.crt");
  EXPECT_EQ(config.tls->key_file, "/keys/server.key");
  EXPECT_EQ(config.tls->client_ca, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(config.tls->client_auth_type, ClientAuthType::kRequireAndVerifyClientCert);
  EXPECT_EQ(config.tls->client_allowed_sans,
            (std::vector<std::string>{"prom.example", "192.0.2.1"}));
  EXPECT_EQ(config.tls->min_version, TlsVersion::kTls11);
  EXPECT_EQ(config.tls->max_version, TlsVersion::kTls12);
  EXPECT_EQ(config.tls->cipher_suites.size(), 2U);
  EXPECT_EQ(config.tls->curve_preferences, (std::vector<std::string>{"CurveP521", "X25519"}));
  EXPECT_FALSE(config.tls->prefer_server_cipher_suites);
  EXPECT_FALSE(config.http2);
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(config.headers, (Headers{{"X-Frame-Options", "sameorigin"},
                                     {"Strict-Transport-Security", "max-age=31536000"}}));
  EXPECT_EQ(config.rate_limit.interval, std::chrono::seconds(90));
  EXPECT_EQ(config.rate_limit.burst, 20);
  EXPECT_EQ(config.basic_auth_users.at("alice"), kHash);
}

TEST(LoadWebConfig, ReadsGoDurations) {
  struct Case {
    std::string text;
    std::int64_t nanoseconds;
  };
  for (const Case& c : std::vector<Case>{{"0", 0},
                                         {"1s", 1'000'000'000},
                                         {"1.5s", 1'500'000'000},
                                         {"250ms", 250'000'000},
                                         {"1h1m", 3'660'000'000'000},
                                         {"100us", 100'000},
                                         {"5ns", 5}}) {
    SCOPED_TRACE(c.text);
    const Result<WebConfig> config = Parse("rate_limit: {burst: 1, interval: " + c.text + "}");
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_EQ(config.value().rate_limit.interval.count(), c.nanoseconds);
  }
}

TEST(LoadWebConfig, RefusesWhatIsWrongAndSaysWhere) {
  struct Case {
    std::string text;
    std::string error;  // some part of it
  };
  const std::string tls = "tls_server_config: {cert_file: c, key_file: k, ";
  const std::vector<Case> cases{
      {"- a", "/etc/exp/web.yml:1:1: must be a mapping"},
      {"tls_server_confg: {}", "web.yml:1:1: unknown key `tls_server_confg`; did you mean"},
      {"rate_limit:\n  burst: 1\n  burts: 1", "web.yml:3:3: unknown key `burts`"},
      {"rate_limit: {burst: 1}\nrate_limit: {burst: 2}", "web.yml:2:1"},
      {"tls_server_config: [a]", "tls_server_config: must be a mapping"},
      {"tls_server_config: {cert_file: c}", "key_file (or key) is missing"},
      {"tls_server_config: {key_file: c}", "cert_file (or cert) is missing"},
      {"tls_server_config: {client_auth_type: NoClientCert}", "cert_file (or cert) is missing"},
      {tls + "cert: x}", "give cert or cert_file, not both"},
      {tls + "key: x}", "give key or key_file, not both"},
      {tls + "client_ca: x, client_ca_file: y, client_auth_type: RequireAndVerifyClientCert}",
       "give client_ca or client_ca_file, not both"},
      {tls + "client_ca_file: y}", "client_ca needs a client_auth_type"},
      {tls + "client_auth_type: Always}", "client_auth_type: must be NoClientCert, "},
      {tls + "client_allowed_sans: [a]}", "client_allowed_sans: needs client_auth_type"},
      {tls + "client_allowed_sans: [a], client_auth_type: VerifyClientCertIfGiven}",
       "client_allowed_sans: needs client_auth_type"},
      {tls + "client_allowed_sans: [], client_auth_type: RequireAnyClientCert}",
       "client_allowed_sans: an empty list"},
      {tls + "min_version: TLS14}", "min_version: must be TLS10, TLS11, TLS12 or TLS13"},
      {tls + "min_version: TLS13, max_version: TLS12}", "min_version is above max_version"},
      {tls + "cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]}", "cipher_suites: must be among"},
      {tls + "cipher_suites: X}", "cipher_suites: must be a list"},
      {tls + "curve_preferences: [[X25519]]}", "curve_preferences: "},
      {tls + "curve_preferences: [P256]}",
       "must be among X25519, CurveP256, CurveP384 or CurveP521"},
      {tls + "prefer_server_cipher_suites: yes}", "must be true or false"},
      {"http_server_config: {http2: maybe}", "http2: must be true or false"},
      {"http_server_config: {headers: {X-Frame-Options: allow}}",
       "X-Frame-Options: must be deny or sameorigin"},
      {"http_server_config: {headers: {X-Content-Type-Options: sniff}}", "must be nosniff"},
      {"http_server_config: {headers: {Server: x}}", "unknown key"},
      {"http_server_config: {headers: {Content-Security-Policy: \"a\\nb\"}}", "must be one line"},
      {"basic_auth_users: [alice]", "must be a mapping of user names"},
      {"basic_auth_users: {alice: hunter2}", "must be a bcrypt hash"},
      {"basic_auth_users: {alice: $2y$99$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi}",
       "must be a bcrypt hash"},
      {"basic_auth_users: {alice: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDe!!}",
       "must be a bcrypt hash"},
      {"basic_auth_users: {\"a:b\": " + std::string(kHash) + "}", "with a colon"},
      {"rate_limit: {interval: 1s}", "burst must be at least 1"},
      {"rate_limit: {interval: 1, burst: 1}", "interval: must be a duration"},
      {"rate_limit: {interval: -1s, burst: 1}", "interval: must be a duration"},
      {"rate_limit: {interval: 1d, burst: 1}", "interval: must be a duration"},
      {"rate_limit: {interval: 1.2.3s, burst: 1}", "interval: must be a duration"},
      {"rate_limit: {interval: 9999999h, burst: 1}", "interval: must be a duration"},
      {"rate_limit: {interval: 1s, burst: 1.5}", "burst: must be a whole number"},
      {"rate_limit: {interval: 1s, burst: 99999999999}", "burst: must be a whole number"},
      {"tls_server_config: {cert_file: [a]}", "cert_file: must be one value"},
      {"a: [", "web.yml:1:"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<WebConfig> config = Parse(c.text);
    ASSERT_FALSE(config.ok());
    EXPECT_EQ(config.error().code, ErrorCode::kConfig);
    EXPECT_NE(config.error().message.find(c.error), std::string::npos) << config.error().message;
    EXPECT_EQ(config.error().message.find("hunter2"), std::string::npos);
  }
}

TEST(LoadWebConfig, NamesAFileThatIsNotThere) {
  const Result<WebConfig> config = LoadWebConfig("/no/such/web.yml");
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.error().message.find("/no/such/web.yml"), std::string::npos);
}

}  // namespace
}  // namespace ckpt::config
