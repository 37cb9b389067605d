// SPDX-License-Identifier: Apache-2.0
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/settings.h"
#include "config/units.h"
#include "config/yaml_reader.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kMostTargets = 10'000;
constexpr std::size_t kMostTargetFiles = 1'000;
constexpr std::size_t kMostLabels = 20;
constexpr std::size_t kLongestLabelValue = 256;

std::string Join(string_view prefix, string_view key) {
  return std::string(prefix).append(prefix.empty() ? "" : ".").append(key);
}

// A path as written in `file`: relative ones are relative to its folder.
std::string ResolvePath(const std::string& file, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return (std::filesystem::path(file).parent_path() / path).string();
}

bool IsLabelName(string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= kLongestLabelValue && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Reads the entries of one file into a Config. Used once per file, by one thread.
class Loader {
 public:
  Loader(std::string file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}

  // The settings of one target, or of `defaults` (scope kAnywhere), on top of what `target` has.
  void ReadSettings(const YamlNode& mapping, SettingScope allowed, TargetConfig& target,
                    Provenance& where) {
    ReadLevel(mapping, "", allowed, target, where);
  }

  void ReadTargets(const YamlNode& node, const TargetConfig& defaults, Config& config) {
    if (node.kind != YamlNode::Kind::kSequence) {
      Report(node.at, "targets: must be a list, one `- name: ...` for each server");
      return;
    }
    if (config.targets.size() + node.items.size() > kMostTargets) {
      Report(node.at, "targets: more than " + std::to_string(kMostTargets));
      return;
    }
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::kMapping) {
        Report(item.at, "targets: each entry must be a mapping, such as `name: orders-primary`");
        continue;
      }
      LoadedTarget target{defaults, {file_, item.at, {}}};
      ReadSettings(item, SettingScope::kTarget, target.config, target.where);
      config.targets.push_back(std::move(target));
    }
  }

  void ReadTopLevel(const YamlNode& root, Config& config, TargetConfig& defaults) {
    if (root.kind != YamlNode::Kind::kMapping) {
      Report(root.at.line > 0 ? root.at : Position{1, 1},
             "must be a mapping with `targets` or `target_files`");
      return;
    }
    std::vector<string_view> known;
    for (const TopLevelKey& key : TopLevelKeys()) known.push_back(key.key);
    const YamlNode* targets = nullptr;
    for (const YamlEntry& entry : root.entries) {
      if (entry.key == "defaults") {
        ReadDefaults(entry.value, defaults);
      } else if (entry.key == "targets") {
        targets = &entry.value;  // after `defaults`, wherever that stands
      } else if (entry.key == "target_files") {
        ReadTargetFiles(entry.value, config);
      } else if (FindSetting(entry.key) != nullptr) {
        Report(entry.at, QuoteKey(entry.key) + " belongs under `defaults` or into a target");
      } else {
        Report(entry.at, "unknown key " + QuoteKey(entry.key) + DidYouMean(entry.key, known));
      }
    }
    if (targets != nullptr) ReadTargets(*targets, defaults, config);
  }

 private:
  void Report(Position at, std::string message) { diagnostics_.Add(file_, at, std::move(message)); }

  void ReadDefaults(const YamlNode& node, TargetConfig& defaults) {
    if (node.kind == YamlNode::Kind::kNull) return;  // every line below it is commented out
    if (node.kind != YamlNode::Kind::kMapping) {
      Report(node.at, "defaults: must be a mapping");
      return;
    }
    Provenance unused;
    ReadSettings(node, SettingScope::kAnywhere, defaults, unused);
  }

  void ReadTargetFiles(const YamlNode& node, Config& config) {
    if (node.kind != YamlNode::Kind::kSequence) {
      Report(node.at, "target_files: must be a list of file names or globs");
      return;
    }
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::kScalar || item.text.empty()) {
        Report(item.at, "target_files: each entry must be a file name or glob");
        continue;
      }
      config.target_files.push_back(ResolvePath(file_, item.text));
    }
  }

  // The names that may stand at the level of `prefix`, for suggestions.
  static std::vector<string_view> NamesAt(string_view prefix) {
    std::vector<string_view> names;
    const std::size_t skip = prefix.empty() ? 0 : prefix.size() + 1;
    for (const Setting& setting : Settings()) {
      if (!prefix.empty() && !(setting.key.starts_with(prefix) && setting.key.size() > skip &&
                               setting.key[prefix.size()] == '.')) {
        continue;
      }
      const string_view rest = setting.key.substr(skip);
      const string_view name = rest.substr(0, rest.find('.'));
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
  }

  void ReadLevel(const YamlNode& mapping, string_view prefix, SettingScope allowed,
                 TargetConfig& target, Provenance& where) {
    const std::vector<string_view> names = NamesAt(prefix);
    for (const YamlEntry& entry : mapping.entries) {
      const std::string key = Join(prefix, entry.key);
      // A dot would be a second spelling of a nested key.
      const bool has_dot = entry.key.find('.') != std::string::npos;
      const Setting* setting = has_dot ? nullptr : FindSetting(key);
      if (setting != nullptr) {
        if (setting->scope == SettingScope::kTarget && allowed != SettingScope::kTarget) {
          Report(entry.at, key + ": belongs into a target, not under `defaults`");
          continue;
        }
        where.keys.emplace(setting->key, entry.at);
        ReadValue(*setting, entry.value, target);
      } else if (std::find(names.begin(), names.end(), entry.key) != names.end()) {
        if (entry.value.kind == YamlNode::Kind::kMapping) {
          ReadLevel(entry.value, key, allowed, target, where);
        } else {
          Report(entry.value.at, key + ": must be a mapping");
        }
      } else if (key == "password") {
        Report(entry.at,
               "password: passwords are not read from here; use `password_file`, `password_env` "
               "or `passfile`");
      } else if (has_dot && FindSetting(key) != nullptr) {
        Report(entry.at,
               "unknown key " + QuoteKey(key) + "; write each level on a line of its own");
      } else {
        Report(entry.at, "unknown key " + QuoteKey(key) + DidYouMean(entry.key, names));
      }
    }
  }

  void ReadValue(const Setting& setting, const YamlNode& node, TargetConfig& target) {
    const std::string key(setting.key);
    if (const auto* labels = std::get_if<LabelMap TargetConfig::*>(&setting.member)) {
      ReadLabels(node, target.**labels);
      return;
    }
    if (node.kind == YamlNode::Kind::kNull) {
      Report(node.at, key + ": has no value");
      return;
    }
    if (node.kind != YamlNode::Kind::kScalar) {
      Report(node.at, key + ": must be a single value");
      return;
    }
    // "5432" and "true" in quotes are texts, and a text is not a number.
    if (node.quoted && (std::holds_alternative<bool TargetConfig::*>(setting.member) ||
                        std::holds_alternative<int TargetConfig::*>(setting.member))) {
      Report(node.at, key + ": must not be in quotes");
      return;
    }
    std::string text = node.text;
    if (setting.is_path && !(setting.key == "sslrootcert" && text == "system")) {
      text = ResolvePath(file_, text);
    }
    if (const std::optional<std::string> problem = SetFromText(setting, text, target)) {
      Report(node.at, key + ": " + *problem);
    }
  }

  void ReadLabels(const YamlNode& node, LabelMap& labels) {
    if (node.kind != YamlNode::Kind::kMapping) {
      Report(node.at, "labels: must be a mapping of names to texts");
      return;
    }
    for (const YamlEntry& entry : node.entries) {
      if (!IsLabelName(entry.key)) {
        Report(entry.at, "labels: a label name is letters, digits and _, not a digit first");
      } else if (entry.value.kind != YamlNode::Kind::kScalar || entry.value.text.empty()) {
        Report(entry.value.at, "labels: " + QuoteKey(entry.key) + " must have a text as its value");
      } else if (entry.value.text.size() > kLongestLabelValue) {
        Report(entry.value.at, "labels: the value of " + QuoteKey(entry.key) + " is longer than " +
                                   std::to_string(kLongestLabelValue) + " bytes");
      } else {
        labels.insert_or_assign(entry.key, entry.value.text);
      }
    }
    if (labels.size() > kMostLabels) {
      Report(node.at, "labels: more than " + std::to_string(kMostLabels));
    }
  }

  std::string file_;
  Diagnostics& diagnostics_;
};

void LoadTargetFiles(Config& config) {
  const std::vector<std::string> files = MatchingFiles(config.target_files);
  if (files.size() > kMostTargetFiles) {
    config.diagnostics.Add(
        config.file, {},
        "target_files: more than " + std::to_string(kMostTargetFiles) + " files match");
    return;
  }
  for (const std::string& file : files) {
    const std::optional<YamlNode> root = ReadYamlFile(file, config.diagnostics);
    if (root && root->kind != YamlNode::Kind::kNull) {
      Loader(file, config.diagnostics).ReadTargets(*root, config.defaults, config);
    }
  }
}

void Load(const std::optional<YamlNode>& root, Config& config) {
  if (!root) return;
  config.defaults = DefaultTarget();
  Loader(config.file, config.diagnostics).ReadTopLevel(*root, config, config.defaults);
  config.own_targets = config.targets.size();
  LoadTargetFiles(config);
}

}  // namespace

std::vector<std::string> MatchingFiles(const std::vector<std::string>& globs) {
  std::vector<std::string> files;
  std::unordered_set<std::string> seen;
  for (const std::string& pattern : globs) {
    glob_t matches = {};
    if (::glob(pattern.c_str(), GLOB_ERR, nullptr, &matches) == 0) {
      for (std::size_t i = 0; i < matches.gl_pathc; ++i) {
        if (seen.insert(matches.gl_pathv[i]).second) files.emplace_back(matches.gl_pathv[i]);
      }
    }
    ::globfree(&matches);
  }
  return files;
}

Config LoadConfigFile(const std::string& path) {
  Config config;
  config.file = path;
  Load(ReadYamlFile(path, config.diagnostics), config);
  return config;
}

Config LoadConfigText(string_view text, const std::string& file) {
  Config config;
  config.file = file;
  Load(ParseYaml(text, file, config.diagnostics), config);
  return config;
}

Config ReadTargetFilesAgain(Config config) {
  config.targets.resize(std::min(config.own_targets, config.targets.size()));
  config.diagnostics = {};
  LoadTargetFiles(config);
  return config;
}

}  // namespace ckpt::config
