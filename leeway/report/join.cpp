#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "leeway/core/message.h"
#include "leeway/report/pa_record.h"
#include "leeway/report/record.h"
#include "leeway/report/report.h"

namespace leeway::report {
namespace {

using Named = std::vector<std::pair<std::string, Json>>;
using Name = std::pair<std::string, std::string>;  // model, target

// What every joined record has of its parts: commands, inputs (each once) and the time of all.
template <class Read>
Json joined_envelope(const Named& records, const std::vector<Read>& read) {
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
  const auto same = [&](const Read& other) {
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

void require_same_count(const Named& records, std::size_t i, std::size_t first, std::size_t found) {
  if (found != first)
    refuse(records[i].first, std::to_string(first) + " classes as in " + records[0].first,
           std::to_string(found));
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
    require_same_count(records, i, read[0].k(), read[i].k());
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
std::function<std::string(const std::string&)> set_names(const std::vector<PaRecord>& read, bool one_model) {
  const auto as_given = [](const std::string& path) { return path; };
  if (one_model) return as_given;
  for (const PaRecord& record : read) {
    std::set<std::string> stems;
    for (const std::string& shifted : record.shifted)
      if (!stems.insert(stem(shifted)).second) return as_given;
  }
  return stem;
}

std::string shift_of(const Json& object) {
  const std::string shift = text(object, "shift");
  return shift.empty() ? text(object, "shifted") : shift;
}

// Records of one model each, which therefore do not name it, are models by the names of their records; of one
// clean set, they are one model.
Json join_agreements(const Named& records) {
  std::vector<PaRecord> read;
  for (const auto& [name, record] : records) read.push_back(read_pa(record, name));
  const auto clean = [&](std::size_t i) {
    return read[i].envelope.inputs.empty() ? records[i].first : read[i].envelope.inputs[0].path;
  };
  bool one_model = true;
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (const PaResult& result : read[i].results)
      require_same_count(records, i, read[0].results[0].k, result.k);
    one_model = one_model && read[i].models == std::vector<std::string>{""} && clean(i) == clean(0);
  }
  const auto set_name = set_names(read, one_model);
  std::set<Name> taken;
  Json out = joined_envelope(records, read);
  out["version"] = read[0].envelope.version;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto& [name, record] = records[i];
    std::map<Name, std::string> called;
    for (Json result : record["results"]) {
      const std::string given = text(result, "model");
      result["shifted"] = set_name(shift_of(result));
      result.erase("shift");
      const std::string model =
          free_name(taken, given.empty() && !one_model ? stem(name) : given, result["shifted"], name);
      if (!model.empty()) result["model"] = model;
      called[{given, result["shifted"]}] = model;
      out["results"].push_back(std::move(result));
    }
    for (Json gap : record.value("ar_gap", Json::array())) {
      gap["shifted"] = set_name(shift_of(gap));
      gap.erase("shift");
      for (const char* key : {"model_plus", "model_minus"})
        gap[key] = called[{text(gap, key), gap["shifted"]}];
      out["ar_gap"].push_back(std::move(gap));
    }
  }
  return out;
}

}  // namespace

Json join_records(const Named& records) {
  if (records.empty()) refuse("join", "at least one record", "none");
  if (records.size() == 1) return records[0].second;
  const auto schema = [](const auto& named) { return JsonView(named.second, named.first)["schema"].text(); };
  const std::string first = schema(records[0]);
  if (first != "leeway.assess/1" && first != "leeway.pa/1")
    refuse(records[0].first, "schema leeway.assess/1 or leeway.pa/1, of which several make one page",
           first.empty() ? "none" : in_quotes(first));
  for (const auto& record : records)
    if (const std::string own = schema(record); own != first)
      refuse(record.first, "schema " + first + " as in " + records[0].first,
             own.empty() ? "none" : in_quotes(own));
  return first == "leeway.pa/1" ? join_agreements(records) : join_assessments(records);
}

}  // namespace leeway::report
