// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "core/window.h"

// Random histories of a server, with every kind of break, against a plain implementation that keeps
// everything.
namespace ckpt {
namespace {

using std::chrono::seconds;
using C = WindowCounter;

// One counter that pulses tell (wal_bytes), one that only surveys tell (commits).
struct Moment {
  double at = 0;
  std::optional<double> wal;
  std::optional<double> commits;  // carried from the last survey
  int wal_era = 0;
  int commits_era = 0;
};

class Naive {
 public:
  void Add(const Moment& moment) { moments_.push_back(moment); }

  // The window must begin at or after the oldest moment in reach of the same era, and no later than
  // the first moment that is `step` after it, since it keeps one sample a step.
  template <class Value, class Era>
  void Check(const std::optional<double>& delta, const std::optional<double>& span, double length,
             double step, Value value, Era era) const {
    const Moment& last = moments_.back();
    std::optional<double> oldest;
    double latest = last.at;
    for (const Moment& moment : moments_) {
      if (oldest && moment.at >= *oldest + step) {
        latest = moment.at;
        break;
      }
      if (!oldest && era(moment) == era(last) && value(moment) && last.at - moment.at <= length &&
          moment.at < last.at) {
        oldest = moment.at;
      }
    }
    ASSERT_EQ(delta.has_value(), span.has_value());
    if (!value(last) || !oldest) {
      EXPECT_FALSE(delta);
      return;
    }
    if (!delta) {
      EXPECT_EQ(latest, last.at) << "nothing said where there was something to say";
      return;
    }
    EXPECT_GE(*delta, 0);
    EXPECT_LE(*span, last.at - *oldest + 1e-9);
    EXPECT_GE(*span, last.at - latest - 1e-9);
    // The rise is that of the span that is told, exactly.
    for (const Moment& moment : moments_) {
      if (std::abs(last.at - moment.at - *span) < 1e-6) {
        EXPECT_EQ(era(moment), era(last)) << "spans a break";
        EXPECT_DOUBLE_EQ(*delta, *value(last) - *value(moment));
        return;
      }
    }
    ADD_FAILURE() << "no moment " << *span << " s ago";
  }

 private:
  std::vector<Moment> moments_;
};

class WindowProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(WindowProperty, AgreesWithAFullHistory) {
  std::mt19937 random(GetParam());
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };

  Window window;
  Naive naive;
  ServerIdentity server;
  server.version = {180004};
  server.postmaster_start = 1.0;
  server.system_identifier = 1;
  Moment moment;
  double wall = 1.8e9;
  double wal = 1000;
  double commits = 1000;
  double wal_reset = 100;
  double database_reset = 100;
  std::optional<double> told_wal;
  std::optional<double> told_database_reset;
  const auto end_all = [&] {
    ++moment.wal_era;
    ++moment.commits_era;
    moment.commits.reset();
  };

  for (int step = 0; step < 800; ++step) {
    // Mostly a pulse a second, at times slower, at times a long silence.
    const double pause = chance(0.9) ? 1.0 : (chance(0.9) ? 1.0 + below(30) : 1.0 * below(5000));
    const double elapsed = std::max(pause, 0.25);
    moment.at += elapsed;
    wall += elapsed;
    wal += below(1000);
    commits += below(50);

    if (chance(0.003)) {  // pg_stat_reset_shared('wal'), the counter then lower or higher
      wal_reset += 1;
      wal = chance(0.5) ? 0 : wal + 5;
      ++moment.wal_era;
    }
    if (chance(0.003)) {
      database_reset += 1;
      commits = chance(0.5) ? 0 : commits + 5;
    }
    if (chance(0.002)) {  // the counter falls without a word
      wal = std::max(0.0, wal - 5000);
    }
    if (chance(0.002)) {
      *server.postmaster_start += 1;
      wal = chance(0.5) ? 0 : wal;
      end_all();
    }
    if (chance(0.001)) {
      *server.system_identifier += 1;
      end_all();
    }
    if (chance(0.002)) {
      wall += chance(0.5) ? 7 : -7;
      end_all();
    }
    const bool tells_wal = !chance(0.005);

    PulseStats pulse;
    pulse.taken.monotonic = MonotonicTime(std::chrono::duration_cast<MonotonicTime::duration>(
        std::chrono::duration<double>(100'000 + moment.at)));
    pulse.server_time = wall;
    if (tells_wal) pulse.wal_bytes = static_cast<std::int64_t>(wal);
    pulse.wal_stats_reset = wal_reset;
    if (told_wal && (!tells_wal || wal < *told_wal)) ++moment.wal_era;
    told_wal = tells_wal ? std::optional<double>(wal) : std::nullopt;
    moment.wal = told_wal;

    SurveyStats survey;
    const bool with_survey = chance(0.1);
    if (with_survey) {
      survey.commits = static_cast<std::int64_t>(commits);
      survey.database_stats_reset = database_reset;
      moment.commits = commits;
      if (told_database_reset && told_database_reset != database_reset) ++moment.commits_era;
      told_database_reset = database_reset;
    }
    window.Add(server, pulse, with_survey ? &survey : nullptr);
    naive.Add(moment);

    const auto wal_of = [](const Moment& m) { return m.wal; };
    const auto wal_era = [](const Moment& m) { return m.wal_era; };
    const auto commits_of = [](const Moment& m) { return m.commits; };
    const auto commits_era = [](const Moment& m) { return m.commits_era; };
    struct Length {
      seconds length;
      double step;
    };
    for (const auto& [length, tier_step] : {Length{seconds(300), 5}, Length{seconds(3600), 60}}) {
      SCOPED_TRACE("step " + std::to_string(step) + ", " + std::to_string(length.count()) + " s");
      const auto reach = static_cast<double>(length.count());
      naive.Check(window.Delta(C::kWalBytes, length), window.Span(C::kWalBytes, length), reach,
                  tier_step, wal_of, wal_era);
      naive.Check(window.Delta(C::kCommits, length), window.Span(C::kCommits, length), reach,
                  tier_step, commits_of, commits_era);
      if (HasFailure()) return;
    }
    EXPECT_EQ(window.Total(C::kWalBytes), moment.wal);
    EXPECT_EQ(window.Total(C::kCommits), moment.commits);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WindowProperty, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace ckpt
