#include "leeway/tasks/report/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "leeway/core/message.h"

namespace leeway::tasks {
namespace {

using Name = std::pair<std::string, std::string>;  // model, target

// Names that no two results share: the later one is called "MODEL (NAME)".
std::string free_name(std::set<Name>& taken, const std::string& model, const std::string& target,
                      const std::string& name) {
  if (taken.insert({model, target}).second) return model;
  std::string longer = model.empty() ? name : model + " (" + name + ")";
  if (!taken.insert({longer, target}).second)
    refuse(name, "each model and target once", in_quotes(longer + "/" + target) + " again");
  return longer;
}

void require_same_count(const std::string& name, const std::string& first_name, std::size_t first,
                        std::size_t found) {
  if (found != first)
    refuse(name, std::to_string(first) + " classes as in " + first_name, std::to_string(found));
}

// The record whose worst result is worst speaks for all; the others' headlines lead the findings.
std::size_t speaker(const std::vector<Assess>& records) {
  const auto rank = [](const Assess& one) { return one.worst_first().front()->rank(); };
  const auto worst = std::ranges::min_element(records, {}, rank);
  return static_cast<std::size_t>(worst - records.begin());
}

void require_same_classes(const std::vector<std::string>& names, const std::vector<Assess>& records) {
  const std::vector<std::string>& first = records[0].class_names;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const std::vector<std::string>& own = records[i].class_names;
    require_same_count(names[i], names[0], first.size(), own.size());
    for (std::size_t c = 0; c < first.size(); ++c)
      if (own[c] != first[c])
        refuse(names[i],
               fmt::format("class {} named {} as in {} (assess both with the same --class-names)", c,
                           in_quotes(first[c]), names[0]),
               in_quotes(own[c]));
  }
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Shifted sets by their files alone, "pgd8" of "robust/pgd8.npz", so that the same shift of two models is one
// set; as they are where two of one record would become one.
std::function<std::string(const std::string&)> set_names(const std::vector<Pa>& records, bool one_model) {
  const auto as_given = [](const std::string& path) { return path; };
  if (one_model) return as_given;
  for (const Pa& record : records) {
    std::map<std::string, std::string> by_stem;
    for (const PaSet& result : record.results)
      if (by_stem.try_emplace(stem(result.shift_name()), result.shift_name()).first->second !=
          result.shift_name())
        return as_given;
  }
  return stem;
}

// Commands, inputs (each once) and the time of all; a seed, a version or an instruction set is the first's.
template <class Record>
Envelope joined_envelope(const std::vector<Record>& records) {
  Envelope out = records[0].envelope;
  for (const Record& record : std::span(records).subspan(1)) {
    const Envelope& own = record.envelope;
    out.joined_commands.push_back(own.command);
    for (const Input& input : own.inputs)
      if (std::ranges::find(out.inputs, input) == out.inputs.end()) out.inputs.push_back(input);
    out.seconds += own.seconds;
    if (out.instruction_set != own.instruction_set) out.instruction_set.clear();
  }
  return out;
}

}  // namespace

// Records that name no model are models by the records' names; with one clean set, a single model.
Pa join_records(const std::vector<std::string>& names, std::vector<Pa> records) {
  if (records.size() == 1) return std::move(records[0]);
  const auto clean = [&](std::size_t i) {
    return records[i].envelope.inputs.empty() ? names[i] : records[i].envelope.inputs[0].path;
  };
  bool one_model = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const PaSet& result : records[i].results)
      require_same_count(names[i], names[0], records[0].results[0].agreement.k, result.agreement.k);
    one_model = one_model && std::ranges::all_of(records[i].results, &std::string::empty, &PaSet::model) &&
                clean(i) == clean(0);
  }
  const auto set_name = set_names(records, one_model);
  std::set<Name> taken;
  Pa out;
  out.envelope = joined_envelope(records);
  out.options = records[0].options;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::map<Name, std::string> called;
    for (PaSet& result : records[i].results) {
      const std::string given = result.model;
      result.shifted = set_name(result.shift_name());
      result.shift.clear();
      result.model =
          free_name(taken, given.empty() && !one_model ? stem(names[i]) : given, result.shifted, names[i]);
      called[{given, result.shifted}] = result.model;
      out.results.push_back(std::move(result));
    }
    for (PaGap& gap : records[i].ar_gap) {
      gap.shifted = set_name(gap.shift_name());
      gap.shift.clear();
      gap.model_plus = called[{gap.model_plus, gap.shifted}];
      gap.model_minus = called[{gap.model_minus, gap.shifted}];
      out.ar_gap.push_back(std::move(gap));
    }
  }
  out.envelope.headline = headline_of(out);
  out.envelope.findings = findings_of(out);
  return out;
}

Assess join_records(const std::vector<std::string>& names, std::vector<Assess> records) {
  if (records.empty()) refuse("join", "at least one record", "none");
  if (records.size() == 1) return std::move(records[0]);
  require_same_classes(names, records);
  const std::size_t first = speaker(records);
  Assess out;
  out.envelope = joined_envelope(records);
  out.envelope.version = records[first].envelope.version;
  out.envelope.headline = records[first].envelope.headline;
  out.envelope.findings.clear();
  out.options = records[0].options, out.level = records[0].level, out.class_names = records[0].class_names;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (i != first && !records[i].envelope.headline.empty())
      append_new(out.envelope.findings, records[i].envelope.headline);
  std::set<Name> taken, met_noise;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Assess& record = records[i];
    for (const std::string& finding : record.envelope.findings) append_new(out.envelope.findings, finding);
    std::map<std::string, std::string> called;
    const auto name_of = [&](const std::string& model) {
      const auto found = called.find(model);
      return found == called.end() ? model : found->second;
    };
    for (AssessResult& result : record.results) {
      const std::string given = result.model;
      result.model = free_name(taken, given, result.target, names[i]);
      called.emplace(given, result.model);
      append_new(out.models, result.model);
      append_new(out.targets, result.target);
      out.results.push_back(std::move(result));
    }
    for (AssessTimeline& timeline : record.timelines) {
      timeline.model = name_of(timeline.model);
      out.timelines.push_back(std::move(timeline));
    }
    for (ModelUnderNoise& noise : record.average_case) {
      noise.model = free_name(met_noise, name_of(noise.model), "", names[i]);
      out.average_case.push_back(std::move(noise));
    }
    for (AssessShifts& shifts : record.shifts) {
      for (std::string& model : shifts.models) model = name_of(model);
      out.shifts.push_back(std::move(shifts));
    }
    if (!out.bounds) out.bounds = record.bounds;  // what bounds assume is said once
  }
  out.seeds = over_seeds(out.results, out.level);
  return out;
}

}  // namespace leeway::tasks
