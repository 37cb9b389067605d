// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt {

// The web configuration file of the Prometheus exporter toolkit (--web.config.file), as plain data,
// and the tables of the words that it may hold. config/load_web_config.h fills it from YAML,
// http/server.h serves by it.

// What the server asks of a client's certificate; Go's crypto/tls names them.
enum class ClientAuthType : std::uint8_t {
  kNoClientCert,
  kRequestClientCert,
  kRequireAnyClientCert,
  kVerifyClientCertIfGiven,
  kRequireAndVerifyClientCert,
};
struct ClientAuthInfo {
  std::string_view name;
  ClientAuthType type;
  bool requests;  // asks the client for a certificate
  bool requires_one;
  bool verifies;  // against client_ca
};
// TABLE: every spelling of client_auth_type; the toolkit keeps the last one for old files.
inline constexpr std::array<ClientAuthInfo, 6> kClientAuthTypes{{
    {"NoClientCert", ClientAuthType::kNoClientCert, false, false, false},
    {"RequestClientCert", ClientAuthType::kRequestClientCert, true, false, false},
    {"RequireAnyClientCert", ClientAuthType::kRequireAnyClientCert, true, true, false},
    {"VerifyClientCertIfGiven", ClientAuthType::kVerifyClientCertIfGiven, true, false, true},
    {"RequireAndVerifyClientCert", ClientAuthType::kRequireAndVerifyClientCert, true, true, true},
    {"RequireClientCert", ClientAuthType::kRequireAnyClientCert, true, true, false},
}};
constexpr const ClientAuthInfo& ClientAuthInfoOf(ClientAuthType type) {
  for (const ClientAuthInfo& info : kClientAuthTypes) {
    if (info.type == type) return info;
  }
  return kClientAuthTypes[0];
}

enum class TlsVersion : std::uint8_t { kTls10, kTls11, kTls12, kTls13 };
struct TlsVersionInfo {
  std::string_view name;
  TlsVersion version;
};
// TABLE: the values of min_version and max_version.
inline constexpr std::array<TlsVersionInfo, 4> kTlsVersions{{
    {"TLS10", TlsVersion::kTls10},
    {"TLS11", TlsVersion::kTls11},
    {"TLS12", TlsVersion::kTls12},
    {"TLS13", TlsVersion::kTls13},
}};

struct TlsCipherSuiteInfo {
  std::string_view name;     // Go's, which is IANA's
  std::string_view openssl;  // empty: of TLS 1.3, whose suites cannot be chosen
  bool by_default;           // offered when the file names none
};
// TABLE: the values of cipher_suites, in the order of our preference.
inline constexpr std::array<TlsCipherSuiteInfo, 17> kTlsCipherSuites{{
    {"TLS_AES_128_GCM_SHA256", "", true},
    {"TLS_AES_256_GCM_SHA384", "", true},
    {"TLS_CHACHA20_POLY1305_SHA256", "", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", true},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384", true},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", true},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA", true},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA", true},
    // Without forward secrecy: Go counted these among its secure ones until 1.22.
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256", false},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", false},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA", false},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA", false},
}};

struct TlsCurveInfo {
  std::string_view name;
  std::string_view openssl;
};
// TABLE: the values of curve_preferences, in the order of our preference.
inline constexpr std::array<TlsCurveInfo, 4> kTlsCurves{{
    {"X25519", "X25519"},
    {"CurveP256", "P-256"},
    {"CurveP384", "P-384"},
    {"CurveP521", "P-521"},
}};

struct WebHeaderInfo {
  std::string_view name;
  std::string_view first_value;  // the only values, where there are some
  std::string_view second_value = {};
};
// TABLE: the response headers that the file may set. The toolkit allows no others.
inline constexpr std::array<WebHeaderInfo, 5> kWebHeaders{{
    {"Strict-Transport-Security", ""},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "deny", "sameorigin"},
    {"X-XSS-Protection", ""},
    {"Content-Security-Policy", ""},
}};

// Of each pair, certificate and key are given either inline as PEM or as an absolute path.
struct WebTlsConfig {
  std::string cert;
  std::string cert_file;
  std::string key;  // secret
  std::string key_file;
  std::string client_ca;
  std::string client_ca_file;  // neither: the system's certificate authorities
  ClientAuthType client_auth_type = ClientAuthType::kNoClientCert;
  std::vector<std::string> client_allowed_sans;  // empty: any
  TlsVersion min_version = TlsVersion::kTls12;
  TlsVersion max_version = TlsVersion::kTls13;
  std::vector<std::string> cipher_suites;      // names of kTlsCipherSuites; empty: the default
  std::vector<std::string> curve_preferences;  // names of kTlsCurves; empty: the default
  bool prefer_server_cipher_suites = true;
};

// A token bucket: `burst` requests at once, then one more every `interval`.
struct WebRateLimit {
  std::chrono::nanoseconds interval{0};  // 0: no limit
  int burst = 0;
};

struct WebConfig {
  std::optional<WebTlsConfig> tls;  // empty: plain HTTP
  // Accepted for the sake of shared files; we speak HTTP/1.1, which every client of HTTP/2 does
  // too.
  bool http2 = true;
  std::vector<std::pair<std::string, std::string>> headers;  // names of kWebHeaders
  std::map<std::string, std::string> basic_auth_users;       // name to bcrypt hash (secret)
  WebRateLimit rate_limit;
};

}  // namespace ckpt
