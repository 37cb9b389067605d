// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>

namespace ckpt::http {

struct Credentials {
  std::string user;
  std::string password;
};

// From an Authorization header of the scheme Basic; empty when it is anything else or malformed.
std::optional<Credentials> ParseBasicAuthorization(std::string_view authorization);

// Whether a bcrypt hash is the password's. Takes as long as the hash's cost says: 50 ms and more.
bool BcryptMatches(const std::string& hash, const std::string& password);

// Checks user names and passwords against bcrypt hashes without ever keeping the caller waiting:
// known verdicts come from a cache, others from a thread of its own, one at a time, so that guesses
// cost one core at most. An unknown user takes as long as a known one. Right and wrong verdicts are
// kept apart, so that guessing cannot push out the verdict on the real scraper; passwords are kept
// only as keyed digests. Thread-safe. Memory is bounded.
class BasicAuthenticator {
 public:
  enum class Verdict { kAllowed, kDenied, kBusy };  // kBusy: too many checks are waiting
  using Users = std::map<std::string, std::string>;
  static constexpr std::size_t kMostWaiting = 64;
  static constexpr std::size_t kMostRemembered = 256;  // of each verdict

  BasicAuthenticator();
  // Waits for the check in progress, drops the waiting ones without a call.
  ~BasicAuthenticator();
  BasicAuthenticator(const BasicAuthenticator&) = delete;
  BasicAuthenticator& operator=(const BasicAuthenticator&) = delete;

  // Calls `done` once: at once, or later from the authenticator's thread.
  void Check(const Users& users, std::string_view authorization, std::function<void(Verdict)> done);

 private:
  // The youngest kMostRemembered keys.
  class BoundedSet {
   public:
    bool Contains(const std::string& key) const { return keys_.count(key) > 0; }
    void Insert(const std::string& key);

   private:
    std::unordered_set<std::string> keys_;
    std::deque<std::string> order_;
  };
  struct Job {
    std::string key;
    std::string hash;
    std::string password;
    bool known_user = false;
    std::function<void(Verdict)> done;
  };

  std::string KeyOf(const Credentials& credentials, const std::string& hash) const;
  std::optional<Verdict> Remembered(const std::string& key) const;  // REQUIRES: mutex_ held
  void Run();

  std::array<unsigned char, 32> secret_{};  // of this process; keys the digests
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  BoundedSet allowed_;
  BoundedSet denied_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // started with the first job
};

}  // namespace ckpt::http
