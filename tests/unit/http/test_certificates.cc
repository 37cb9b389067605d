// SPDX-License-Identifier: Apache-2.0
#include "test_certificates.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <charconv>

namespace ckpt::http {
namespace {

std::string ToString(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

X509* ReadCertificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return certificate;
}

EVP_PKEY* ReadKey(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return key;
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  ASSERT_NE(extension, nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestCertificate MakeCertificate(const std::string& common_name,
                                const std::string& alternative_names,
                                const TestCertificate* issuer) {
  static long serial = 1;
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  if (!alternative_names.empty())
    AddExtension(certificate, NID_subject_alt_name, alternative_names);
  if (issuer == nullptr) {
    AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
  } else {
    X509* issuer_certificate = ReadCertificate(issuer->cert);
    EVP_PKEY* issuer_key = ReadKey(issuer->key);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer_certificate));
    X509_sign(certificate, issuer_key, EVP_sha256());
    X509_free(issuer_certificate);
    EVP_PKEY_free(issuer_key);
  }
  TestCertificate made;
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  made.cert = ToString(bio);
  bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  made.key = ToString(bio);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return made;
}

TlsClient::TlsClient(const std::string& address, const TlsClientOptions& options)
    : client_(address), context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_security_level(context_.get(), 0);
  SSL_CTX_set_min_proto_version(context_.get(), options.min_version);
  SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
  if (!options.ciphers.empty()) {
    SSL_CTX_set_cipher_list(context_.get(), options.ciphers.c_str());
  }
  if (!options.protocols.empty()) {
    SSL_CTX_set_alpn_protos(context_.get(),
                            reinterpret_cast<const unsigned char*>(options.protocols.data()),
                            static_cast<unsigned>(options.protocols.size()));
  }
  if (options.certificate != nullptr) {
    X509* certificate = ReadCertificate(options.certificate->cert);
    EVP_PKEY* key = ReadKey(options.certificate->key);
    SSL_CTX_use_certificate(context_.get(), certificate);
    SSL_CTX_use_PrivateKey(context_.get(), key);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ssl_.reset(SSL_new(context_.get()));
  SSL_set_fd(ssl_.get(), client_.fd());
  connected_ = SSL_connect(ssl_.get()) == 1;
}

Answer TlsClient::Get(std::string_view path) {
  Answer answer;
  const std::string request = GetRequest(path);
  if (!connected_ || SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size())) <= 0) {
    return answer;
  }
  std::string text;
  std::array<char, 16384> chunk{};
  std::size_t wanted = std::string::npos;
  while (text.size() < wanted) {
    const int size = SSL_read(ssl_.get(), chunk.data(), static_cast<int>(chunk.size()));
    if (size <= 0) return answer;
    text.append(chunk.data(), static_cast<std::size_t>(size));
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    answer.head = text.substr(0, end + 4);
    const std::string length = answer.HeaderValue("Content-Length");
    std::size_t body = 0;
    std::from_chars(length.data(), length.data() + length.size(), body);
    wanted = end + 4 + body;
  }
  answer.body = text.substr(answer.head.size());
  std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
  return answer;
}

std::string TlsClient::Protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string TlsClient::ServerCommonName() const {
  std::array<char, 256> name{};
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

}  // namespace ckpt::http
