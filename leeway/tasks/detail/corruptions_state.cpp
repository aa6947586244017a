#include "leeway/tasks/detail/corruptions_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/npz.h"
#include "leeway/record/json.h"
#include "leeway/tasks/detail/plan_digest.h"

namespace leeway::tasks {

namespace {

DoneUnits units_in(const ArrayMap& arrays) {
  DoneUnits done;
  done.paired = arrays.at("paired").view<std::uint8_t>().front() != 0;
  if (const auto clean = arrays.find("clean"); clean != arrays.end()) done.clean = clean->second;
  const auto sets = arrays.find("sets");
  if (sets == arrays.end() || !sets->second.texts) return done;
  for (std::size_t i = 0; i < sets->second.texts->size(); ++i) {
    DoneUnit& one = done.units.emplace_back();
    record::read([&](record::Fields& f) { fields(one.set, f); }, Json::parse((*sets->second.texts)[i]),
                 "state");
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
  record::CorruptionsOptions options = task.options;
  options.reference.reset();  // it decides no unit
  plan_ = plan_digest(std::move(options), task.seed, task.made_of);
}

void CorruptionsState::save(const DoneUnits& done) const {
  if (path_.empty()) return;
  ArrayMap arrays;
  arrays["plan"] = make_text_array({1}, {plan_});
  arrays["paired"] = make_array<std::uint8_t>({1}, {static_cast<std::uint8_t>(done.paired)});
  if (done.clean) arrays["clean"] = *done.clean;
  std::vector<std::string> sets;
  for (std::size_t i = 0; i < done.units.size(); ++i) {
    record::CorruptedSet copy = done.units[i].set;
    sets.push_back(record::written([&](record::Fields& f) { fields(copy, f); }).dump());
    if (const auto& wrong = done.units[i].wrong; !wrong.empty())
      arrays[fmt::format("wrong {}", i)] = make_array<std::uint8_t>({wrong.size()}, wrong);
  }
  const std::size_t count = sets.size();
  if (count > 0) arrays["sets"] = make_text_array({count}, std::move(sets));
  write_npz(path_, arrays);
}

std::optional<DoneUnits> CorruptionsState::load() const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  try {
    const ArrayMap arrays = read_npz(path_);
    const Array& plan = arrays.at("plan");
    if (!plan.texts || plan.texts->size() != 1 || plan.texts->front() != plan_) return std::nullopt;
    return units_in(arrays);
  } catch (const Error&) {  // a file of another kind: begin anew
    return std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace leeway::tasks
