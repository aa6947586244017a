#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/report/pa_view.h"
#include "leeway/report/record.h"
#include "leeway/report/report.h"

namespace leeway::report {
namespace {

using Named = std::vector<std::pair<std::string, Json>>;
using Name = std::pair<std::string, std::string>;  // model, target

// What every joined record has of its parts: commands, inputs (each once) and the time of all.
Json joined_envelope(const Named& records, const std::vector<Record>& read) {
  Json out = {{"schema", records[0].second["schema"]},
              {"commands", Json::array()},
              {"inputs", Json::array()},
              {"results", Json::array()}};
  double seconds = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& command : read[i].envelope.commands) out["commands"].push_back(command);
    for (const auto& input : records[i].second.value("inputs", Json::array()))
      if (std::find(out["inputs"].begin(), out["inputs"].end(), input) == out["inputs"].end())
        out["inputs"].push_back(input);
    seconds += read[i].envelope.seconds.value_or(0);
  }
  out["seconds"] = seconds;
  const auto same = [&](const Record& other) {
    return other.envelope.instruction_set == read[0].envelope.instruction_set;
  };
  if (const std::string& set = read[0].envelope.instruction_set;
      !set.empty() && std::all_of(read.begin(), read.end(), same))
    out["instruction_set"] = set;
  return out;
}

// Empty where there is none, or null.
std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

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
std::size_t speaker(const std::vector<Record>& read) {
  std::size_t worst = 0;
  const auto rank = [](const Record& record) { return record.results[record.worst_first().front()].rank(); };
  for (std::size_t i = 1; i < read.size(); ++i)
    if (rank(read[i]) < rank(read[worst])) worst = i;
  return worst;
}

void require_same_classes(const Named& records, const std::vector<Record>& read) {
  for (std::size_t i = 1; i < read.size(); ++i) {
    require_same_count(records[i].first, records[0].first, read[0].k(), read[i].k());
    for (std::size_t c = 0; c < read[0].k(); ++c)
      if (read[i].class_names[c] != read[0].class_names[c])
        refuse(records[i].first,
               "class " + std::to_string(c) + " named " + in_quotes(read[0].class_names[c]) + " as in " +
                   records[0].first,
               in_quotes(read[i].class_names[c]));
  }
}

Json join_assessments(const Named& records) {
  std::vector<Record> read;
  for (const auto& [name, record] : records) read.push_back(read_assessment(record, name));
  require_same_classes(records, read);
  const std::size_t first = speaker(read);
  std::vector<std::string> findings, models, targets;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (i != first && !read[i].headline.empty()) append_new(findings, read[i].headline);
  std::set<Name> taken, met_noise;
  Json out = joined_envelope(records, read);
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto& [name, record] = records[i];
    for (const std::string& finding : read[i].findings) append_new(findings, finding);
    std::map<std::string, std::string> called;
    for (Json result : record["results"]) {
      const std::string target = text(result, "target"), given = text(result, "model");
      result["model"] = free_name(taken, given, target, name);
      called.emplace(given, result["model"]);
      append_new(models, result["model"]);
      append_new(targets, target);
      out["results"].push_back(std::move(result));
    }
    for (Json noise : record.value("average_case", Json::array())) {
      const auto found = called.find(text(noise, "model"));
      noise["model"] =
          free_name(met_noise, found == called.end() ? text(noise, "model") : found->second, "", name);
      out["average_case"].push_back(std::move(noise));
    }
    for (Json shift : record.value("shifts", Json::array())) {
      for (Json& model : shift["models"])
        if (const auto found = called.find(model.get<std::string>()); found != called.end())
          model = found->second;
      out["shifts"].push_back(std::move(shift));
    }
  }
  out["version"] = read[first].envelope.version;
  for (const auto& [name, record] : records)  // what bounds assume is said once
    if (!out.contains("bounds") && record.contains("bounds") && !record["bounds"].is_null())
      out["bounds"] = record["bounds"];
  out["headline"] = read[first].headline;
  out["findings"] = findings;
  out["models"] = models;
  out["targets"] = targets;
  out["class_names"] = read[0].class_names;
  return out;
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Shifted sets by their files alone, "pgd8" of "robust/pgd8.npz", so that the same shift of two models is one
// set; as they are where two of one record would become one.
std::function<std::string(const std::string&)> set_names(const std::vector<record::Pa>& records,
                                                         bool one_model) {
  const auto as_given = [](const std::string& path) { return path; };
  if (one_model) return as_given;
  for (const record::Pa& record : records) {
    std::set<std::string> stems;
    for (const std::string& shifted : PaView(record).shifted)
      if (!stems.insert(stem(shifted)).second) return as_given;
  }
  return stem;
}

// Commands, inputs (each once) and the time of all; a seed, a version or an instruction set is the first's.
record::Envelope joined_envelope(const std::vector<record::Pa>& records) {
  record::Envelope out = records[0].envelope;
  for (const record::Pa& record : std::span(records).subspan(1)) {
    const record::Envelope& own = record.envelope;
    out.joined_commands.push_back(own.command);
    for (const record::Input& input : own.inputs)
      if (std::find(out.inputs.begin(), out.inputs.end(), input) == out.inputs.end())
        out.inputs.push_back(input);
    out.seconds += own.seconds;
    if (out.instruction_set != own.instruction_set) out.instruction_set.clear();
  }
  return out;
}

}  // namespace

// Records of one model each, which therefore do not name it, are models by the names of their records; of one
// clean set, they are one model.
record::Pa join_records(const std::vector<std::string>& names, std::vector<record::Pa> records) {
  if (records.size() == 1) return std::move(records[0]);
  const auto clean = [&](std::size_t i) {
    return records[i].envelope.inputs.empty() ? names[i] : records[i].envelope.inputs[0].path;
  };
  bool one_model = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const record::PaSet& result : records[i].results)
      require_same_count(names[i], names[0], records[0].results[0].agreement.k, result.agreement.k);
    one_model =
        one_model && PaView(records[i]).models == std::vector<std::string>{""} && clean(i) == clean(0);
  }
  const auto set_name = set_names(records, one_model);
  std::set<Name> taken;
  record::Pa out;
  out.envelope = joined_envelope(records);
  out.options = records[0].options;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::map<Name, std::string> called;
    for (record::PaSet& result : records[i].results) {
      const std::string given = result.model;
      result.shifted = set_name(result.shift_name());
      result.shift.clear();
      result.model =
          free_name(taken, given.empty() && !one_model ? stem(names[i]) : given, result.shifted, names[i]);
      called[{given, result.shifted}] = result.model;
      out.results.push_back(std::move(result));
    }
    for (record::PaGap& gap : records[i].ar_gap) {
      gap.shifted = set_name(gap.shift_name());
      gap.shift.clear();
      gap.model_plus = called[{gap.model_plus, gap.shifted}];
      gap.model_minus = called[{gap.model_minus, gap.shifted}];
      out.ar_gap.push_back(std::move(gap));
    }
  }
  out.envelope.headline = record::headline_of(out);
  out.envelope.findings = record::findings_of(out);
  return out;
}

Json join_records(const Named& records) {
  if (records.empty()) refuse("join", "at least one record", "none");
  if (records.size() == 1) return records[0].second;
  const auto schema = [](const auto& named) { return JsonView(named.second, named.first)["schema"].text(); };
  const std::string first = schema(records[0]);
  if (first != "leeway.assess/1")
    refuse(records[0].first,
           fmt::format("schema leeway.assess/1 or {}, of which several make one page", record::pa_schema),
           first.empty() ? "none" : in_quotes(first));
  for (const auto& record : records)
    if (const std::string own = schema(record); own != first)
      refuse(record.first, "schema " + first + " as in " + records[0].first,
             own.empty() ? "none" : in_quotes(own));
  return join_assessments(records);
}

}  // namespace leeway::report
