// SPDX-License-Identifier: Apache-2.0
#include "http/basic_auth.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "http/message.h"

namespace ckpt::http {
namespace {

// A bcrypt hash of cost 10, like most, compared against for users that there are not.
constexpr std::string_view kNobodysHash =
    "$2y$10$5MVZ24GMDwGu.BLn3sCKP.d4f8cnGRZ9dymM9srRouNJgEN/ceIZe";

int Base64Digit(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t index = kDigits.find(c);
  return index == std::string_view::npos ? -1 : static_cast<int>(index);
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding) {
    text.remove_suffix(1);
  }
  std::string decoded;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = Base64Digit(c);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return decoded;
}

void Wipe(std::string& secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
  secret.clear();
}

}  // namespace

std::optional<Credentials> ParseBasicAuthorization(std::string_view authorization) {
  constexpr std::string_view kScheme = "Basic ";
  if (!EqualsIgnoreCase(authorization.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  std::optional<std::string> decoded = DecodeBase64(authorization);
  if (!decoded) return std::nullopt;
  const std::size_t colon = decoded->find(':');
  if (colon == std::string::npos) return std::nullopt;
  Credentials credentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
  Wipe(*decoded);
  return credentials;
}

bool BcryptMatches(const std::string& hash, const std::string& password) {
  // crypt_r() reads up to a NUL, so "right\0anything" would pass for "right".
  const bool whole = password.find('\0') == std::string::npos;
  const auto data = std::make_unique<crypt_data>();  // 32 kB
  const char* computed = crypt_r(password.c_str(), hash.c_str(), data.get());
  const bool same = computed != nullptr && std::strlen(computed) == hash.size() &&
                    CRYPTO_memcmp(computed, hash.data(), hash.size()) == 0;
  OPENSSL_cleanse(data.get(), sizeof *data);
  return same && whole;
}

void BasicAuthenticator::BoundedSet::Insert(const std::string& key) {
  if (!keys_.insert(key).second) return;
  order_.push_back(key);
  if (order_.size() <= kMostRemembered) return;
  keys_.erase(order_.front());
  order_.pop_front();
}

BasicAuthenticator::BasicAuthenticator() {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1) {
    throw std::runtime_error("the system has no random numbers");
  }
}

BasicAuthenticator::~BasicAuthenticator() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string BasicAuthenticator::KeyOf(const Credentials& credentials,
                                      const std::string& hash) const {
  // Each part with its length, so that no two triples make the same text.
  std::string text;
  for (const std::string* part : {&credentials.user, &hash, &credentials.password}) {
    text += std::to_string(part->size()) + ":" + *part;
  }
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  Wipe(text);
  return digest;
}

std::optional<BasicAuthenticator::Verdict> BasicAuthenticator::Remembered(
    const std::string& key) const {
  if (allowed_.Contains(key)) return Verdict::kAllowed;
  if (denied_.Contains(key)) return Verdict::kDenied;
  return std::nullopt;
}

void BasicAuthenticator::Check(const Users& users, std::string_view authorization,
                               std::function<void(Verdict)> done) {
  std::optional<Credentials> credentials = ParseBasicAuthorization(authorization);
  if (!credentials) return done(Verdict::kDenied);
  const auto user = users.find(credentials->user);
  Job job;
  job.known_user = user != users.end();
  job.hash = job.known_user ? user->second : std::string(kNobodysHash);
  job.key = KeyOf(*credentials, job.hash);
  job.password = std::move(credentials->password);

  std::unique_lock<std::mutex> lock(mutex_);
  std::optional<Verdict> verdict = Remembered(job.key);
  if (!verdict && jobs_.size() >= kMostWaiting) verdict = Verdict::kBusy;
  if (verdict) {
    lock.unlock();
    Wipe(job.password);
    return done(*verdict);
  }
  job.done = std::move(done);
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  wake_.notify_one();
}

void BasicAuthenticator::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    // Another request may have asked the same while this one waited.
    std::optional<Verdict> verdict = Remembered(job.key);
    if (!verdict) {
      lock.unlock();
      const bool matches = BcryptMatches(job.hash, job.password);
      verdict = matches && job.known_user ? Verdict::kAllowed : Verdict::kDenied;
      lock.lock();
      (*verdict == Verdict::kAllowed ? allowed_ : denied_).Insert(job.key);
    }
    Wipe(job.password);
    lock.unlock();
    job.done(*verdict);
    lock.lock();
  }
}

}  // namespace ckpt::http
