// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "http/server.h"
#include "http/tls_context.h"
#include "test_certificates.h"
#include "test_client.h"

namespace ckpt::http {
namespace {

using std::chrono::milliseconds;

const TestCertificate& Authority() {
  static const TestCertificate authority = MakeCertificate("authority");
  return authority;
}
const TestCertificate& ServerCertificate() {
  static const TestCertificate certificate =
      MakeCertificate("server", "DNS:server.example", &Authority());
  return certificate;
}

WebTlsConfig ServerTls() {
  WebTlsConfig tls;
  tls.cert = ServerCertificate().cert;
  tls.key = ServerCertificate().key;
  return tls;
}

struct TlsServer {
  explicit TlsServer(const WebTlsConfig& tls, std::string watched = "") {
    ServerOptions options;
    options.listen_addresses = {"127.0.0.1:0"};
    options.clock = &clock;
    options.log = log.Function();
    options.web_config.path = std::move(watched);
    options.web_config.load = [tls]() -> Result<WebConfig> {
      WebConfig config;
      config.tls = tls;
      return config;
    };
    options.limits.web_config_interval = milliseconds(5);
    options.limits.request_timeout = milliseconds(2000);
    options.limits.linger_timeout = milliseconds(100);
    Route names;
    names.path = "/names";
    names.handler = Handler([](const Request& request) {
      Response response;
      response.body = request.tls ? "tls" : "plain";
      for (const std::string& name : request.tls_client_names) response.body += " " + name;
      return response;
    });
    Route large;
    large.path = "/large";
    large.handler = Handler([](const Request&) {
      Response response;
      response.body.assign(500'000, 'x');
      return response;
    });
    server = MakeHttpServer(std::move(options), {names, large});
    const Status status = server->Start();
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  }
  std::string Address() const { return server->BoundAddresses().at(0); }

  testing::ManualClock clock;
  LogSink log;
  std::unique_ptr<HttpServer> server;
};

TEST(Tls, AnswersOverTls12And13) {
  const TlsServer server(ServerTls());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClientOptions options;
    options.min_version = options.max_version = version;
    TlsClient client(server.Address(), options);
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.Get("/names").body, "tls");
    EXPECT_EQ(client.Get("/large").body.size(), 500'000U);
    EXPECT_EQ(client.ServerCommonName(), "server");
  }
}

TEST(Tls, KeepsToItsVersions) {
  struct Case {
    TlsVersion min_version;
    TlsVersion max_version;
    int client_version;
    bool connects;
  };
  const std::vector<Case> cases{
      {TlsVersion::kTls12, TlsVersion::kTls13, TLS1_1_VERSION, false},
      {TlsVersion::kTls12, TlsVersion::kTls13, TLS1_VERSION, false},
      {TlsVersion::kTls10, TlsVersion::kTls13, TLS1_VERSION, true},
      {TlsVersion::kTls13, TlsVersion::kTls13, TLS1_2_VERSION, false},
      {TlsVersion::kTls13, TlsVersion::kTls13, TLS1_3_VERSION, true},
      {TlsVersion::kTls12, TlsVersion::kTls12, TLS1_3_VERSION, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.client_version);
    WebTlsConfig tls = ServerTls();
    tls.min_version = c.min_version;
    tls.max_version = c.max_version;
    const TlsServer server(tls);
    TlsClientOptions options;
    options.min_version = options.max_version = c.client_version;
    EXPECT_EQ(TlsClient(server.Address(), options).connected(), c.connects);
  }
}

TEST(Tls, KeepsToItsCipherSuitesAndProtocol) {
  WebTlsConfig tls = ServerTls();
  tls.max_version = TlsVersion::kTls12;
  tls.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"};
  const TlsServer server(tls);
  EXPECT_EQ(TlsClient(server.Address()).Cipher(), "ECDHE-ECDSA-AES256-GCM-SHA384");
  TlsClientOptions options;
  options.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_FALSE(TlsClient(server.Address(), options).connected());

  options = {};
  options.protocols = "\x02h2\x08http/1.1";
  EXPECT_EQ(TlsClient(server.Address(), options).Protocol(), "http/1.1");
  options.protocols = "\x02h2";
  EXPECT_FALSE(TlsClient(server.Address(), options).connected());
}

TEST(Tls, AsksForClientCertificatesAsConfigured) {
  const TestCertificate good = MakeCertificate(
      "client", "DNS:prom.example,IP:192.0.2.1,IP:2001:db8::1,email:a@b.example,URI:spiffe://x/y",
      &Authority());
  const TestCertificate stranger = MakeCertificate("stranger", "DNS:prom.example");
  const std::string all = "tls prom.example 192.0.2.1 2001:db8::1 a@b.example spiffe://x/y";
  struct Case {
    ClientAuthType type;
    std::vector<std::string> allowed;
    const TestCertificate* certificate;
    std::string body;  // empty: refused
  };
  using enum ClientAuthType;
  const std::vector<Case> cases{
      {kNoClientCert, {}, nullptr, "tls"},
      {kNoClientCert, {}, &stranger, "tls"},
      {kRequestClientCert, {}, nullptr, "tls"},
      {kRequestClientCert, {}, &stranger, "tls"},
      {kRequireAnyClientCert, {}, nullptr, ""},
      {kRequireAnyClientCert, {}, &stranger, "tls"},
      {kRequireAnyClientCert, {"prom.example"}, &stranger, "tls"},
      {kRequireAnyClientCert, {"other.example"}, &stranger, ""},
      {kVerifyClientCertIfGiven, {}, nullptr, "tls"},
      {kVerifyClientCertIfGiven, {}, &stranger, ""},
      {kVerifyClientCertIfGiven, {}, &good, all},
      {kRequireAndVerifyClientCert, {}, nullptr, ""},
      {kRequireAndVerifyClientCert, {}, &stranger, ""},
      {kRequireAndVerifyClientCert, {}, &good, all},
      {kRequireAndVerifyClientCert, {"no", "192.0.2.1"}, &good, all},
      {kRequireAndVerifyClientCert, {"2001:db8::1"}, &good, all},
      {kRequireAndVerifyClientCert, {"spiffe://x/y"}, &good, all},
      {kRequireAndVerifyClientCert, {"client", "*.example", "PROM.example"}, &good, ""},
      {kRequireAndVerifyClientCert, {"prom.example"}, &stranger, ""},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Case& c = cases[i];
    WebTlsConfig tls = ServerTls();
    tls.client_auth_type = c.type;
    tls.client_allowed_sans = c.allowed;
    if (c.type != kNoClientCert) tls.client_ca = Authority().cert;
    const TlsServer server(tls);
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      TlsClientOptions options;
      options.certificate = c.certificate;
      options.min_version = options.max_version = version;
      EXPECT_EQ(TlsClient(server.Address(), options).Get("/names").body, c.body);
    }
    EXPECT_TRUE(WaitUntil(
        [&] { return server.server->Statistics().tls_failures == (c.body.empty() ? 2U : 0U); }));
  }
}

TEST(Tls, TellsAPlainClientSo) {
  const TlsServer server(ServerTls());
  Client client(server.Address());
  const Answer answer = client.Exchange(GetRequest("/names"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "400 Bad Request: this port speaks HTTPS only");
  EXPECT_TRUE(client.WaitForClose());
}

TEST(Tls, SurvivesGarbageAndSilence) {
  const TlsServer server(ServerTls());
  for (const std::string_view bytes :
       {"", "\x16\x03\x01", "\x16\x03\x01\x40\x01zzzz", "\xff\xff"}) {
    Client client(server.Address());
    EXPECT_TRUE(client.Send(bytes));
    client.HalfClose();
    EXPECT_TRUE(client.WaitForClose());
  }
  Client silent(server.Address());
  EXPECT_TRUE(silent.WaitForClose());  // by the deadline of the handshake
  EXPECT_EQ(TlsClient(server.Address()).Get("/names").body, "tls");
}

TEST(Tls, TakesUpRotatedCertificates) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ckpt_tls_test_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / (name + ".new")) << text;
    std::filesystem::rename(folder / (name + ".new"), folder / name);
  };
  const TestCertificate first = MakeCertificate("first");
  const TestCertificate second = MakeCertificate("second");
  write("cert", first.cert);
  write("key", first.key);
  WebTlsConfig tls;
  tls.cert_file = folder / "cert";
  tls.key_file = folder / "key";
  const TlsServer server(tls, folder / "web.yml");
  TlsClient old_client(server.Address());
  EXPECT_EQ(old_client.ServerCommonName(), "first");

  write("cert", second.cert);  // not yet its key: the old pair stays
  EXPECT_TRUE(
      WaitUntil([&] { return server.server->Statistics().web_config_failed_reloads == 1; }));
  EXPECT_TRUE(server.log.Contains("is not the key of cert_file " + (folder / "cert").string()));
  EXPECT_EQ(TlsClient(server.Address()).ServerCommonName(), "first");

  write("key", second.key);
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().web_config_reloads == 1; }));
  EXPECT_EQ(TlsClient(server.Address()).ServerCommonName(), "second");
  EXPECT_EQ(old_client.Get("/names").body, "tls");  // connections from before live on
  std::filesystem::remove_all(folder);
}

TEST(TlsContext, SaysWhatIsWrongWithACertificate) {
  struct Case {
    std::string error;
    std::function<void(WebTlsConfig&)> change;
  };
  const std::vector<Case> cases{
      {"cert: holds no certificate", [](WebTlsConfig& tls) { tls.cert = "x"; }},
      {"cert: has a malformed certificate",
       [](WebTlsConfig& tls) {
         tls.cert += "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
       }},
      {"cert_file /no/such: cannot be opened",
       [](WebTlsConfig& tls) { tls.cert_file = "/no/such"; }},
      {"cert_file /dev/null: is empty", [](WebTlsConfig& tls) { tls.cert_file = "/dev/null"; }},
      {"cert_file /dev/zero: is over 1 MB", [](WebTlsConfig& tls) { tls.cert_file = "/dev/zero"; }},
      {"cert_file /tmp: is empty or cannot be read",
       [](WebTlsConfig& tls) { tls.cert_file = "/tmp"; }},
      {"key: holds no private key", [](WebTlsConfig& tls) { tls.key = tls.cert; }},
      {"key: is not the key of cert", [](WebTlsConfig& tls) { tls.key = Authority().key; }},
      {"client_ca: holds no certificate",
       [](WebTlsConfig& tls) {
         tls.client_auth_type = ClientAuthType::kRequireAndVerifyClientCert;
         tls.client_ca = "-----BEGIN RUBBISH-----\n";
       }},
      {"cipher_suites: none is of max_version",
       [](WebTlsConfig& tls) {
         tls.cipher_suites = {"TLS_AES_128_GCM_SHA256"};
         tls.max_version = TlsVersion::kTls12;
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.error);
    WebConfig config;
    config.tls = ServerTls();
    c.change(*config.tls);
    const Status status = CheckWebConfig(config);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kConfig);
    EXPECT_NE(status.error().message.find(c.error), std::string::npos) << status.error().message;
    EXPECT_EQ(status.error().message.find("PRIVATE"), std::string::npos);
  }
}

// OpenSSL knows every name that the tables promise.
TEST(TlsContext, AcceptsEveryNameOfTheTables) {
  WebConfig config;
  config.tls = ServerTls();
  EXPECT_TRUE(CheckWebConfig(config).ok());
  for (const TlsCipherSuiteInfo& suite : kTlsCipherSuites) {
    config.tls->cipher_suites = {std::string(suite.name)};
    EXPECT_TRUE(CheckWebConfig(config).ok()) << suite.name;
  }
  for (const TlsCurveInfo& curve : kTlsCurves) {
    config.tls->curve_preferences = {std::string(curve.name)};
    EXPECT_TRUE(CheckWebConfig(config).ok()) << curve.name;
  }
}

}  // namespace
}  // namespace ckpt::http
