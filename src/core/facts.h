// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "core/capability.h"
#include "core/family.h"
#include "core/server_version.h"
#include "core/stats.h"

// TABLE 1: every fact a server reports, declared once: its metric, its member, and each place that
// servers keep it, by version. SQL (core/sql_plan.h), parsing, exposition and docs derive from it.
// To follow a new PostgreSQL version, add a source to the rows that moved; to add a fact, add a
// member to its record in core/stats.h and a row here.
namespace ckpt {

// A place to read from. What it is as SQL is said by kViews.
enum class View : std::uint8_t {
  kServer,               // functions without a view
  kBgwriter,             // pg_stat_bgwriter
  kCheckpointer,         // pg_stat_checkpointer
  kWal,                  // pg_stat_wal
  kWalPosition,          // pg_current_wal_*_lsn(), pg_last_wal_*_lsn()
  kControlCheckpoint,    // pg_control_checkpoint()
  kControlSystem,        // pg_control_system()
  kCheckpointerProcess,  // pg_stat_get_activity(the checkpointer's pid)
  kArchiver,             // pg_stat_archiver
  kArchiveStatus,        // pg_ls_archive_statusdir()
  kDatabase,             // pg_stat_database, summed
  kWalDirectory,         // pg_ls_waldir(), summed
  kIoRelation,           // pg_stat_io, relation I/O of other processes than the two writers, summed
  kIoWal,                // pg_stat_io, object wal without the creation of files, summed
  kIo,                   // pg_stat_io, row by row
  kSlru,                 // pg_stat_slru, row by row
  kSlruReset,            // pg_stat_slru, oldest reset
  kSlots,                // pg_replication_slots, row by row
  kStatements,           // pg_stat_statements, summed; only where it is asked for
};

struct ViewInfo {
  View view;
  std::string_view name;  // for documentation
  std::string_view from;  // SQL after FROM; empty: no FROM. "{...}" is filled in.
  VersionRange versions;
  Capability capability = Capability::kNone;  // what must be granted to read it
};
std::span<const ViewInfo> Views();
const ViewInfo& InfoOf(View view);

// How a column becomes a member in base units.
enum class Scale : std::uint8_t {
  kOne,
  kMilliseconds,  // to seconds
  kEpoch,         // a timestamp, selected as extract(epoch from ...)
  kLsn,           // pg_lsn text, to a byte position
  kBool,          // boolean, to 0 or 1
};

struct Source {
  View view = View::kServer;
  std::string_view expression;  // a column, or SQL over the view; empty: no source
  VersionRange versions{};
  Scale scale = Scale::kOne;
};

template <class Record>
using Field = std::variant<OptionalInt Record::*, OptionalReal Record::*, OptionalText Record::*>;

// One fact of a record.
template <class Record>
struct Fact {
  const Family* family = &kNotExposed;  // never null
  std::string_view label_value;  // of the family's first label, for facts that share a family
  Field<Record> field;
  std::array<Source, 2> sources{};
};

std::span<const Fact<PulseStats>> PulseFacts();
std::span<const Fact<SurveyStats>> SurveyFacts();

// Records with several rows: facts, and which columns tell one row from another.
template <class Record>
struct LabelColumn {
  std::string_view key;  // label
  std::string_view expression;
  std::string Record::*field;
};
template <class Record>
struct Relation {
  View view;
  std::span<const LabelColumn<Record>> labels;
  std::span<const Fact<Record>> facts;
};
const Relation<IoStats>& IoRelation();
const Relation<SlruStats>& SlruRelation();
const Relation<SlotStats>& SlotRelation();

// Checks for static_assert beside each table.
template <class Record, std::size_t kSize>
constexpr bool SourcesDisjoint(const std::array<Fact<Record>, kSize>& facts) {
  for (const Fact<Record>& fact : facts) {
    const auto& [first, second] = fact.sources;
    if (first.expression.empty()) return false;
    if (!second.expression.empty() && first.versions.Overlaps(second.versions)) return false;
  }
  return true;
}

template <class Record, std::size_t kSize>
constexpr bool FamiliesWellNamed(const std::array<Fact<Record>, kSize>& facts) {
  for (const Fact<Record>& fact : facts) {
    if (!IsExposed(*fact.family)) continue;
    if (!WellNamed(*fact.family)) return false;
    if (!fact.label_value.empty() && fact.family->labels.empty()) return false;
  }
  return true;
}

}  // namespace ckpt
