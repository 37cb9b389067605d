// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/advice_rules.h"
#include "core/amounts.h"

namespace ckpt::advice {
namespace {

// Below this much, shares mean nothing: 10,000 pages are 80 MB.
constexpr double kFewestPages = 10000;
constexpr double kBackendShare = 0.3;
// To 15 the number contains the pages by which relations grow, which backends have to write.
constexpr double kBackendShareTo15 = 0.5;
// Of the background writer's rounds, the share that its page limit may cut short.
constexpr double kCutRounds = 0.1;
constexpr double kDefaultDelay = 0.2;

double Threshold(const AdviceInput& input) {
  return input.server.version.major() <= 15 ? kBackendShareTo15 : kBackendShare;
}

bool BgwriterIsOff(const AdviceInput& input) {
  return input.settings.bgwriter_lru_maxpages && *input.settings.bgwriter_lru_maxpages == 0;
}

// The share of rounds that were cut short; a round takes bgwriter_delay.
OptionalReal CutRounds(const AdviceInput& input) {
  const WriterFacts& writers = input.writers;
  if (!writers.maxwritten_clean || !writers.span_seconds || *writers.span_seconds < 60) {
    return std::nullopt;
  }
  const double delay = std::max(0.01, input.settings.bgwriter_delay.value_or(kDefaultDelay));
  return *writers.maxwritten_clean * delay / *writers.span_seconds;
}

bool BgwriterIsCut(const AdviceInput& input) {
  return !BgwriterIsOff(input) && input.settings.bgwriter_lru_maxpages &&
         CutRounds(input).value_or(0) >= kCutRounds &&
         input.writers.recent_maxwritten_clean.value_or(1) > 0;
}

std::string MorePages(const AdviceInput& input) {
  const double now = std::max(100.0, *input.settings.bgwriter_lru_maxpages);
  return NumberText(std::min(now * 4, 100000.0));
}

std::string SharesText(const WriterFacts& writers) {
  const double all = *writers.checkpointer + *writers.bgwriter + *writers.backend;
  return "pages written: backends " + NumberText(*writers.backend) + " (" +
         PercentText(*writers.backend / all) + "), checkpointer " +
         NumberText(*writers.checkpointer) + " (" + PercentText(*writers.checkpointer / all) +
         "), background writer " + NumberText(*writers.bgwriter) + " (" +
         PercentText(*writers.bgwriter / all) + ")";
}

Finding ExplainBackends(const AdviceInput& input) {
  Finding finding;
  const WriterFacts& writers = input.writers;
  finding.message =
      "Backends write " + PercentText(*writers.BackendShare()) +
      " of all pages themselves: queries wait for writes that a background process should do.";
  finding.evidence.push_back(SharesText(writers));
  if (writers.normal_share) {
    finding.evidence.push_back("of what backends wrote, " + PercentText(*writers.normal_share) +
                               " was outside vacuum and bulk operations");
  }
  const bool to15 = input.server.version.major() <= 15;
  if (WalForces(input)) {
    finding.steps.emplace_back(
        "First follow the advice on max_wal_size and observe again: forced checkpoints come too "
        "often to leave the background writer its work.");
  } else if (BgwriterIsOff(input)) {
    finding.suggestions.push_back(Set("bgwriter_lru_maxpages", "100"));
  } else if (BgwriterIsCut(input)) {
    finding.suggestions.push_back(Set("bgwriter_lru_maxpages", MorePages(input)));
  } else {
    const double multiplier = input.settings.bgwriter_lru_multiplier.value_or(2);
    if (multiplier < 4) finding.suggestions.push_back(Set("bgwriter_lru_multiplier", "4"));
    if (input.settings.bgwriter_delay.value_or(kDefaultDelay) > 0.05) {
      finding.suggestions.push_back(Set("bgwriter_delay", "50ms"));
    }
  }
  finding.steps.emplace_back(
      "Where that does not bring it down, the working set does not fit: more shared_buffers "
      "(needs a restart; up to a quarter of the memory is usual)" +
      (input.settings.shared_buffers
           ? std::string("; now ") + BytesText(*input.settings.shared_buffers)
           : std::string()) +
      ".");
  finding.cost =
      "The background writer writes pages earlier; a page that changes again is written twice.";
  finding.confidence =
      to15 ? "Moderate: to PostgreSQL 15 this number contains the pages by which tables grow, "
             "which backends must write. If the load mostly inserts, it is harmless."
           : "Good: relation writes by client processes, extends apart.";
  return finding;
}

Finding ExplainCut(const AdviceInput& input) {
  Finding finding;
  finding.message = "The background writer stops at bgwriter_lru_maxpages in " +
                    PercentText(std::min(1.0, *CutRounds(input))) +
                    " of its rounds, with work left to do.";
  finding.evidence = {
      "maxwritten_clean rose by " + NumberText(*input.writers.maxwritten_clean) + " in " +
          DurationText(*input.writers.span_seconds),
      "bgwriter_lru_maxpages = " + NumberText(*input.settings.bgwriter_lru_maxpages)};
  finding.suggestions = {Set("bgwriter_lru_maxpages", MorePages(input))};
  finding.cost = "More writes in the background, up to " + MorePages(input) +
                 " pages a round; a page that changes again is written twice.";
  finding.confidence = "Good: the server counts these rounds itself.";
  return finding;
}

Finding ExplainOff(const AdviceInput& input) {
  Finding finding;
  finding.message = "The background writer is switched off and backends write pages themselves.";
  finding.evidence = {"bgwriter_lru_maxpages = 0", SharesText(input.writers)};
  finding.suggestions = {Set("bgwriter_lru_maxpages", "100")};
  finding.cost =
      "Up to 100 pages a round are written in the background; a page that changes again "
      "is written twice.";
  finding.confidence =
      "Good, unless it was switched off on purpose for storage that absorbs "
      "writes at once.";
  return finding;
}

Finding ExplainFsyncs(const AdviceInput& input) {
  Finding finding;
  finding.message =
      "Backends had to sync files themselves because the checkpointer's request queue was full.";
  finding.evidence = {NumberText(*input.writers.backend_fsyncs) + " backend fsyncs" +
                      (input.writers.span_seconds
                           ? " in " + DurationText(*input.writers.span_seconds)
                           : std::string())};
  if (input.settings.shared_buffers) {
    finding.evidence.push_back("shared_buffers = " + BytesText(*input.settings.shared_buffers) +
                               ": the queue has one place for each of its pages");
  }
  finding.steps = {"Raise shared_buffers (needs a restart): the queue grows with it.",
                   "Look at the storage: the queue fills while the checkpointer waits for a sync."};
  finding.cost = "Memory, and a restart.";
  finding.confidence = "Certain that it happened; it should never happen.";
  return finding;
}

constexpr auto kRules = std::to_array<AdviceRule>({
    {.id = "backend_fsyncs",
     .severity = Severity::kWarning,
     .title = "Backends sync files themselves",
     .fires = "a process other than the checkpointer had to sync a relation file in the last hour.",
     .meaning = "The queue of sync requests overflowed, so a query waited for a sync of a whole "
                "file.",
     .cost = "memory for more `shared_buffers`, or better storage.",
     .holds =
         [](const AdviceInput& input) {
           // Totals since a reset may be years old; one in ten thousand pages is no trouble.
           const double least = input.basis == AdviceBasis::kSinceReset
                                    ? input.writers.backend.value_or(1e9) / 10000
                                    : 0;
           return input.writers.backend_fsyncs.value_or(0) > least;
         },
     .explain = ExplainFsyncs},
    {.id = "backends_write_pages",
     .severity = Severity::kWarning,
     .title = "Backends write many pages themselves",
     .fires = "backends write more than 30 % of at least 10,000 pages in the last hour (to 15: "
              "50 %, because that number contains extends), still do so in the last five minutes, "
              "and not mostly within the rings of vacuum and bulk operations (16+).",
     .meaning = "A query that needs a buffer finds only dirty ones and has to write one first. "
                "Checkpoints at the right distance come first, then the background writer's pace, "
                "then `shared_buffers`.",
     .cost = "more background writes; pages that change again are written twice.",
     .holds = BackendsWrite,
     .explain = ExplainBackends},
    {.id = "bgwriter_limited",
     .severity = Severity::kInfo,
     .title = "The background writer stops at its page limit",
     .fires = "at least 10 % of its rounds were cut short in the last hour, and some in the last "
              "five minutes.",
     .meaning = "`maxwritten_clean` rises: it could have cleaned more pages for backends to use.",
     .cost = "more background writes; pages that change again are written twice.",
     .holds =
         [](const AdviceInput& input) { return BgwriterIsCut(input) && !BackendsWrite(input); },
     .explain = ExplainCut},
    {.id = "bgwriter_disabled",
     .severity = Severity::kInfo,
     .title = "The background writer is switched off",
     .fires = "`bgwriter_lru_maxpages` is 0 and backends write at least 5 % of at least 10,000 "
              "pages.",
     .meaning = "Nobody cleans pages ahead of need between checkpoints.",
     .cost = "more background writes.",
     .holds =
         [](const AdviceInput& input) {
           return BgwriterIsOff(input) && !BackendsWrite(input) &&
                  input.writers.backend.value_or(0) >= kFewestPages &&
                  input.writers.BackendShare().value_or(0) >= 0.05;
         },
     .explain = ExplainOff},
});

}  // namespace

bool BackendsWrite(const AdviceInput& input) {
  const WriterFacts& writers = input.writers;
  const double threshold = Threshold(input);
  const double share = writers.BackendShare().value_or(0);
  return writers.backend.value_or(0) >= kFewestPages &&
         share * writers.normal_share.value_or(1) > threshold &&
         writers.recent_backend_share.value_or(1) > threshold;
}

std::span<const AdviceRule> WriterRules() { return kRules; }

}  // namespace ckpt::advice
