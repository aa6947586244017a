#include "leeway/tasks/corruptions/state.h"

#include <fmt/format.h>

#include <utility>

#include "leeway/core/safetensors.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/plan_digest.h"

namespace leeway::tasks {

namespace {

DoneUnits units_in(const Safetensors& state, const std::string& path) {
  const ArrayMap& arrays = state.tensors;
  DoneUnits done;
  done.paired = state.metadata.at("paired") == "yes";
  if (const auto clean = arrays.find("clean"); clean != arrays.end()) done.clean = clean->second;
  const Json sets = Json::parse(state.metadata.at("sets"));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    DoneUnit& one = done.units.emplace_back();
    read([&](Fields& f) { fields(one.set, f); }, sets[i], path);
    if (const auto wrong = arrays.find(fmt::format("wrong {}", i)); wrong != arrays.end()) {
      const auto rows = wrong->second.view<std::uint8_t>();
      one.wrong.assign(rows.begin(), rows.end());
    }
  }
  return done;
}

}  // namespace

CorruptionsState::CorruptionsState(const CorruptionsTask& task) : path_(task.state) {
  if (path_.empty()) return;
  CorruptionsOptions options = task.options;
  options.reference.reset();  // it decides no unit
  plan_ = plan_digest(std::move(options), task.seed, task.made_of);
}

void CorruptionsState::save(const DoneUnits& done) const {
  if (path_.empty()) return;
  Safetensors state;
  state.metadata["plan"] = plan_;
  state.metadata["paired"] = done.paired ? "yes" : "no";
  if (done.clean) state.tensors["clean"] = *done.clean;
  Json sets = Json::array();
  for (std::size_t i = 0; i < done.units.size(); ++i) {
    CorruptedSet copy = done.units[i].set;
    sets.push_back(written([&](Fields& f) { fields(copy, f); }));
    if (const auto& wrong = done.units[i].wrong; !wrong.empty())
      state.tensors[fmt::format("wrong {}", i)] = make_array<std::uint8_t>({wrong.size()}, wrong);
  }
  state.metadata["sets"] = sets.dump();
  write_state(path_, std::move(state));
}

std::optional<DoneUnits> CorruptionsState::load(const std::function<void(std::string)>& warn) const {
  return state_of_plan(path_, plan_, warn, [&](const Safetensors& state) { return units_in(state, path_); });
}

}  // namespace leeway::tasks
