// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/web_config.h"

namespace ckpt::http {

// An OpenSSL server context made from a web configuration: certificate, client verification,
// versions, cipher suites. Immutable, so any thread may use it. Connections made from it must not
// outlive it.
class TlsContext {
 public:
  // Reads the files that the configuration names. Error (kConfig): names the key and the file, and
  // what is wrong with it.
  static Result<std::shared_ptr<const TlsContext>> Make(const WebTlsConfig& config);

  // The context itself; to keep it longer, raise its reference count.
  SSL_CTX* native() const { return context_.get(); }

  // The subject alternative names of the client's certificate, if this context verifies those.
  std::vector<std::string> VerifiedClientNames(const SSL* connection) const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  TlsContext() = default;
  Status Configure(const WebTlsConfig& config);
  Status LoadCertificate(const WebTlsConfig& config);
  Status LoadClientAuthorities(const WebTlsConfig& config);
  Status SetAlgorithms(const WebTlsConfig& config);
  static int VerifyClient(X509_STORE_CTX* store, void* self);

  std::unique_ptr<SSL_CTX, Free> context_;
  bool verifies_ = false;
  std::vector<std::string> allowed_names_;
};

// DNS names, e-mail addresses, IP addresses and URIs of a certificate, as the file's
// client_allowed_sans spells them.
std::vector<std::string> SubjectAlternativeNames(const X509* certificate);

}  // namespace ckpt::http
