// SPDX-License-Identifier: Apache-2.0
#include "core/target_model.h"

namespace ckpt {

void TargetModel::OnConnect(const ServerIdentity& server, const CapabilitySet& capabilities) {
  // A view that the new connection may no longer read must not go on showing its last values.
  state_.pulse.reset();
  state_.survey.reset();
  state_.derived = {};
  state_.server = server;
  state_.capabilities = capabilities;
}

void TargetModel::OnPulse(const PulseStats& pulse, std::shared_ptr<const Survey> survey) {
  if (!state_.server) return;
  state_.pulse = pulse;
  window_.Add(*state_.server, pulse, survey ? &survey->stats : nullptr);
  if (survey) state_.survey = std::move(survey);
  const Settings none;
  state_.derived = Derive(window_, state_.survey ? state_.survey->rows.settings : none);
}

}  // namespace ckpt
