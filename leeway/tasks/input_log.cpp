#include "leeway/tasks/input_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::tasks {

InputLog::FileState InputLog::state_of(const std::string& path) {
  std::error_code no_size, no_time;
  const auto bytes = std::filesystem::file_size(path, no_size);
  const auto changed = std::filesystem::last_write_time(path, no_time);
  if (no_size || no_time) return std::nullopt;
  return std::pair{bytes, changed};
}

void InputLog::add(const std::string& path, const std::vector<std::size_t>& shape,
                   const std::string& reading) {
  if (opened_) opened_(path, reading);
  const FileState state = state_of(path);
  const auto measure = [path, wanted = digests && state] { return wanted ? digest_file(path) : ""; };
  const auto when = digests ? std::launch::async : std::launch::deferred;
  entries_.push_back(
      {{path, state ? state->first : 0, shape, "", reading}, state, std::async(when, measure)});
}

bool InputLog::has(const std::string& path) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.input.path == path; });
}

void InputLog::add_array(const std::string& name, const Array& array) {
  add_memory(name, array.bytes().size(), array.shape);
}

void InputLog::add_memory(const std::string& name, std::size_t bytes, const std::vector<std::size_t>& shape) {
  entries_.push_back({{name, bytes, shape, "", ""}, std::nullopt, {}});
}

void InputLog::require_unchanged() {
  for (Entry& entry : entries_) {
    if (entry.digest.valid()) entry.input.xxh3_128 = entry.digest.get();
    if (entry.state && state_of(entry.input.path) != entry.state)
      refuse(display_name(entry.input.path), "the file to stay unchanged while it is read", "a changed file");
  }
}

void InputLog::move_to(Envelope& envelope) {
  require_unchanged();
  for (Entry& entry : std::exchange(entries_, {})) envelope.inputs.push_back(std::move(entry.input));
}

void InputLog::note(const ReadFile& file) {
  if (!file.beside || beside_.insert(file.path).second) add(file.path, file.shape, file.reading);
}

OutputsShards InputLog::open_set(const std::string& text, const OutputsReading& reading, SetRole role,
                                 bool check_finite) {
  return read_set(text, reading, role, check_finite, [this](const ReadFile& file) { note(file); });
}

NamedOutputs named_outputs(InputLog& log, const std::string& text, const OutputsReading& reading,
                           SetRole role, bool check_finite) {
  return {text, [&log, text, reading, role, check_finite, noted = std::make_shared<bool>(false)] {
            if (!std::exchange(*noted, true)) return log.open_set(text, reading, role, check_finite);
            return read_set(text, reading, role, check_finite, [](const ReadFile&) {});
          }};
}

std::vector<NamedOutputs> named_outputs(InputLog& log, const std::vector<std::string>& texts,
                                        const OutputsReading& reading, SetRole role, bool check_finite) {
  std::vector<NamedOutputs> sets;
  for (const std::string& text : texts) sets.push_back(named_outputs(log, text, reading, role, check_finite));
  return sets;
}

Array only_array(InputLog& log, const std::string& path) {
  const ArrayMap arrays = read_arrays(path);
  if (arrays.size() != 1) {
    std::string names;
    for (const auto& [name, array] : arrays) names += (names.empty() ? "" : ", ") + name;
    refuse(display_name(path), "one array", fmt::format("{}: {}", arrays.size(), names));
  }
  log.add(path, arrays.begin()->second.shape);
  return as_float(arrays.begin()->second, display_name(path));
}

}  // namespace leeway::tasks
