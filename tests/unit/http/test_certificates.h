// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "test_client.h"

namespace ckpt::http {

// A certificate and its key, made for a test; both in PEM.
struct TestCertificate {
  std::string cert;
  std::string key;
};

// A certificate of `common_name`, signed by `issuer`, or self-signed and an authority without one.
// `alternative_names` as OpenSSL spells them: "DNS:a,IP:192.0.2.1"; may be empty.
TestCertificate MakeCertificate(const std::string& common_name,
                                const std::string& alternative_names = "",
                                const TestCertificate* issuer = nullptr);

// How a TlsClient behaves.
struct TlsClientOptions {
  const TestCertificate* certificate = nullptr;  // shown when the server asks
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  std::string ciphers;    // of TLS 1.2; empty: OpenSSL's
  std::string protocols;  // offered by ALPN, in wire format
};

// A client that speaks TLS over a Client's socket. It trusts every server.
class TlsClient {
 public:
  TlsClient(const std::string& address, const TlsClientOptions& options = {});

  // Whether the handshake succeeded. In TLS 1.3 a refused client certificate shows only when the
  // client reads.
  bool connected() const { return connected_; }
  Answer Get(std::string_view path);
  std::string Version() const { return SSL_get_version(ssl_.get()); }
  std::string Cipher() const { return SSL_get_cipher_name(ssl_.get()); }
  std::string Protocol() const;
  std::string ServerCommonName() const;

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  Client client_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  bool connected_ = false;
};

}  // namespace ckpt::http
