// SPDX-License-Identifier: Apache-2.0
#include "http/tls_context.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <string_view>
#include <utility>

namespace ckpt::http {
namespace {

constexpr std::size_t kLargestPem = std::size_t{1} << 20U;

template <auto kFree>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;

// OpenSSL's reason for the last failure. Its queue is emptied, or the next error would show it.
std::string LastReason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

Error TlsError(std::string_view what, std::string_view problem) {
  return Error{ErrorCode::kConfig,
               "tls_server_config: " + std::string(what) + ": " + std::string(problem)};
}

// One of the values that the file gives inline or by path.
struct Pem {
  std::string name;  // for messages: "cert_file /etc/x.crt", or "cert"
  std::string text;
};

Result<Pem> ReadPem(std::string_view key, const std::string& inline_text, const std::string& path) {
  Pem pem{std::string(key), inline_text};
  if (path.empty()) return pem;
  pem.name += "_file " + path;
  std::ifstream file(path, std::ios::binary);
  if (!file) return TlsError(pem.name, "cannot be opened; check the path and its permissions");
  pem.text.resize(kLargestPem);
  file.read(pem.text.data(), static_cast<std::streamsize>(pem.text.size()));
  if (file.bad() || file.gcount() == 0) return TlsError(pem.name, "is empty or cannot be read");
  if (!file.eof()) return TlsError(pem.name, "is over 1 MB");
  pem.text.resize(static_cast<std::size_t>(file.gcount()));
  return pem;
}

BioPtr Open(const Pem& pem) {
  return BioPtr(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
}

// Every certificate of a PEM text, in its order.
Result<std::vector<X509Ptr>> ReadCertificates(const Pem& pem) {
  std::vector<X509Ptr> certificates;
  const BioPtr bio = Open(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = LastReason();
  if (certificates.empty()) return TlsError(pem.name, "holds no certificate in PEM format");
  if (!at_end) return TlsError(pem.name, "has a malformed certificate: " + reason);
  return certificates;
}

// Without this OpenSSL would ask for a passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

int ToOpenssl(TlsVersion version) {
  switch (version) {
    case TlsVersion::kTls10: return TLS1_VERSION;
    case TlsVersion::kTls11: return TLS1_1_VERSION;
    case TlsVersion::kTls12: return TLS1_2_VERSION;
    case TlsVersion::kTls13: return TLS1_3_VERSION;
  }
  return TLS1_2_VERSION;
}

std::string_view AsText(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

// We speak HTTP/1.1; a client that offers only others is told so by an alert.
int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_length,
                   const unsigned char* offered, unsigned int offered_length, void*) {
  static constexpr std::array<unsigned char, 9> kOurs{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen, out_length, kOurs.data(), kOurs.size(), offered,
                                           offered_length);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

std::vector<std::string> SubjectAlternativeNames(const X509* certificate) {
  std::vector<std::string> result;
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!names) return result;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    switch (name->type) {
      case GEN_DNS: result.emplace_back(AsText(name->d.dNSName)); break;
      case GEN_EMAIL: result.emplace_back(AsText(name->d.rfc822Name)); break;
      case GEN_URI: result.emplace_back(AsText(name->d.uniformResourceIdentifier)); break;
      case GEN_IPADD: {
        const std::string_view bytes = AsText(name->d.iPAddress);
        std::array<char, INET6_ADDRSTRLEN> text{};
        const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
        if (bytes.size() != 4 && bytes.size() != 16) break;
        inet_ntop(family, bytes.data(), text.data(), text.size());
        result.emplace_back(text.data());
        break;
      }
      default: break;
    }
  }
  return result;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::Make(const WebTlsConfig& config) {
  ERR_clear_error();
  const std::shared_ptr<TlsContext> made(new TlsContext);
  const Status status = made->Configure(config);
  ERR_clear_error();
  if (!status) return status.error();
  return std::shared_ptr<const TlsContext>(made);
}

Status TlsContext::Configure(const WebTlsConfig& config) {
  context_.reset(SSL_CTX_new(TLS_server_method()));
  if (!context_) return Error{ErrorCode::kInternal, "OpenSSL: " + LastReason()};
  SSL_CTX* context = context_.get();
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // an idle connection holds no buffers
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, &SelectProtocol, nullptr);
  static constexpr std::array<unsigned char, 4> kSessionContext{'c', 'k', 'p', 't'};
  SSL_CTX_set_session_id_context(context, kSessionContext.data(), kSessionContext.size());

  Status status = SetAlgorithms(config);
  if (status) status = LoadCertificate(config);
  if (status) status = LoadClientAuthorities(config);
  return status;
}

Status TlsContext::SetAlgorithms(const WebTlsConfig& config) {
  SSL_CTX* context = context_.get();
  // OpenSSL 3 has TLS 1.0 and 1.1 only without its security levels. Who writes TLS10 wants it.
  if (config.min_version < TlsVersion::kTls12) SSL_CTX_set_security_level(context, 0);

  std::string ciphers;
  const auto append = [&ciphers](const TlsCipherSuiteInfo& suite) {
    if (suite.openssl.empty()) return;
    ciphers.append(ciphers.empty() ? "" : ":").append(suite.openssl);
  };
  if (config.cipher_suites.empty()) {
    for (const TlsCipherSuiteInfo& suite : kTlsCipherSuites) {
      if (suite.by_default) append(suite);
    }
  }
  for (const std::string& name : config.cipher_suites) {
    for (const TlsCipherSuiteInfo& suite : kTlsCipherSuites) {
      if (suite.name == name) append(suite);
    }
  }
  // Only suites of TLS 1.3 were named: nothing is left for the older versions.
  const TlsVersion min_version = ciphers.empty() ? TlsVersion::kTls13 : config.min_version;
  if (min_version > config.max_version) {
    return TlsError("cipher_suites", "none is of max_version or below");
  }
  if (!ciphers.empty() && SSL_CTX_set_cipher_list(context, ciphers.c_str()) != 1) {
    return TlsError("cipher_suites", LastReason());
  }
  if (SSL_CTX_set_min_proto_version(context, ToOpenssl(min_version)) != 1 ||
      SSL_CTX_set_max_proto_version(context, ToOpenssl(config.max_version)) != 1) {
    return TlsError("min_version or max_version", LastReason());
  }
  if (config.prefer_server_cipher_suites) {
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
  }
  std::string groups;
  for (const std::string& name : config.curve_preferences) {
    for (const TlsCurveInfo& curve : kTlsCurves) {
      if (curve.name == name) groups.append(groups.empty() ? "" : ":").append(curve.openssl);
    }
  }
  if (!groups.empty() && SSL_CTX_set1_groups_list(context, groups.data()) != 1) {
    return TlsError("curve_preferences", LastReason());
  }
  return Success{};
}

Status TlsContext::LoadCertificate(const WebTlsConfig& config) {
  SSL_CTX* context = context_.get();
  const Result<Pem> cert = ReadPem("cert", config.cert, config.cert_file);
  if (!cert) return cert.error();
  Result<std::vector<X509Ptr>> chain = ReadCertificates(cert.value());
  if (!chain) return chain.error();
  if (SSL_CTX_use_certificate(context, chain.value().front().get()) != 1) {
    return TlsError(cert.value().name, LastReason());
  }
  for (std::size_t i = 1; i < chain.value().size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain.value()[i].get()) != 1) {
      return TlsError(cert.value().name, LastReason());
    }
  }

  Result<Pem> key = ReadPem("key", config.key, config.key_file);
  if (!key) return key.error();
  const KeyPtr private_key(
      PEM_read_bio_PrivateKey(Open(key.value()).get(), nullptr, &NoPassphrase, nullptr));
  OPENSSL_cleanse(key.value().text.data(), key.value().text.size());
  if (!private_key) {
    return TlsError(key.value().name, "holds no private key in PEM format without a passphrase");
  }
  if (X509_check_private_key(chain.value().front().get(), private_key.get()) != 1) {
    return TlsError(key.value().name, "is not the key of " + cert.value().name);
  }
  if (SSL_CTX_use_PrivateKey(context, private_key.get()) != 1) {
    return TlsError(key.value().name, LastReason());
  }
  return Success{};
}

Status TlsContext::LoadClientAuthorities(const WebTlsConfig& config) {
  SSL_CTX* context = context_.get();
  const ClientAuthInfo& auth = ClientAuthInfoOf(config.client_auth_type);
  if (!auth.requests) return Success{};
  verifies_ = auth.verifies;
  allowed_names_ = config.client_allowed_sans;
  SSL_CTX_set_verify(context,
                     SSL_VERIFY_PEER | (auth.requires_one ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  SSL_CTX_set_cert_verify_callback(context, &VerifyClient, this);
  if (config.client_ca.empty() && config.client_ca_file.empty()) {
    if (verifies_ && SSL_CTX_set_default_verify_paths(context) != 1) {
      return TlsError("client_ca_file", "is missing, and so are the system's authorities");
    }
    return Success{};
  }
  const Result<Pem> pem = ReadPem("client_ca", config.client_ca, config.client_ca_file);
  if (!pem) return pem.error();
  const Result<std::vector<X509Ptr>> authorities = ReadCertificates(pem.value());
  if (!authorities) return authorities.error();
  for (const X509Ptr& authority : authorities.value()) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return TlsError(pem.value().name, LastReason());
    }
  }
  return Success{};
}

int TlsContext::VerifyClient(X509_STORE_CTX* store, void* self) {
  const auto* context = static_cast<const TlsContext*>(self);
  if (context->verifies_) {
    if (X509_verify_cert(store) != 1) return 0;
  } else {
    X509_STORE_CTX_set_error(store, X509_V_OK);
  }
  const std::vector<std::string>& allowed = context->allowed_names_;
  if (allowed.empty()) return 1;
  for (const std::string& name : SubjectAlternativeNames(X509_STORE_CTX_get0_cert(store))) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return 1;
  }
  X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

std::vector<std::string> TlsContext::VerifiedClientNames(const SSL* connection) const {
  if (!verifies_) return {};
  const X509* certificate = SSL_get0_peer_certificate(connection);
  return certificate == nullptr ? std::vector<std::string>() : SubjectAlternativeNames(certificate);
}

}  // namespace ckpt::http
