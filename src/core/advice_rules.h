// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/advice.h"

// The parts of the table of advice.h, one file each, and what their rules share. For those files
// only; everybody else includes core/advice.h.
namespace ckpt::advice {

std::span<const AdviceRule> SettingRules();     // advice_settings.cc
std::span<const AdviceRule> CheckpointRules();  // advice_checkpoints.cc
std::span<const AdviceRule> WalRules();         // advice_wal.cc
std::span<const AdviceRule> WriterRules();      // advice_writers.cc

// "ALTER SYSTEM SET name = 'value';" for a reload, or with a restart.
Suggestion Set(std::string_view setting, const std::string& value, bool needs_restart = false);

// Whether a boolean setting is known and off.
inline bool IsOff(const OptionalReal& setting) { return setting && *setting == 0; }

// "12 of 14 checkpoints in 1 h" and the like: how many of which reason over which time.
std::string CountText(const AdviceInput& input, Reason reason);

// How sure the reasons of checkpoints are, as a sentence.
std::string ReasonConfidence(const AdviceInput& input);

// Predicates that more than one rule asks.
bool WalForces(const AdviceInput& input);
bool BackendsWrite(const AdviceInput& input);
bool SyncIsSlow(const AdviceInput& input);

// Fills in a suggestion for max_wal_size with its estimates: evidence, cost, sizing.
void SuggestSize(const AdviceInput& input, const WalSizingInput& from, Finding* finding);

}  // namespace ckpt::advice
