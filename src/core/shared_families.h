// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/family.h"

// Families that facts of more than one record share. Facts that stand alone declare theirs beside
// their table.
namespace ckpt::families {

inline constexpr Family kBuffersWritten{
    "buffers_written_total",
    "Buffers written, by who wrote them. backend: to 15 buffers_backend (extends and autovacuum "
    "included); 16+ relation writes in pg_stat_io by every process but checkpointer and "
    "background writer.",
    MetricType::kCounter, Unit::kNone, "writer"};

inline constexpr Family kBackendFsyncs{
    "backend_fsyncs_total",
    "Times that a process other than the checkpointer had to fsync a relation file itself because "
    "the request queue was full. Should not move. To 16 buffers_backend_fsync, 17+ pg_stat_io.",
    MetricType::kCounter};

inline constexpr Family kStatsReset{
    "stats_reset_timestamp_seconds",
    "When the server last reset these statistics; each view has its own.", MetricType::kGauge,
    Unit::kTimestamp, "view"};

}  // namespace ckpt::families
