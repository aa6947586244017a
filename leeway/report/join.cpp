#include <algorithm>
#include <set>

#include "leeway/core/message.h"
#include "leeway/report/record.h"
#include "leeway/report/report.h"

namespace leeway::report {
namespace {

using Name = std::pair<std::string, std::string>;  // model, target

void append_new(Json& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

// The record whose worst result is worst speaks for all; the others' headlines lead the findings.
std::size_t speaker(const std::vector<Record>& read) {
  std::size_t worst = 0;
  const auto quality = [](const Record& record) {
    return record.results[record.worst_first().front()].quality().value_or(2);
  };
  for (std::size_t i = 1; i < read.size(); ++i)
    if (quality(read[i]) < quality(read[worst])) worst = i;
  return worst;
}

void require_same_classes(const std::vector<std::pair<std::string, Json>>& records,
                          const std::vector<Record>& read) {
  for (std::size_t i = 1; i < read.size(); ++i) {
    if (read[i].k() != read[0].k())
      refuse(records[i].first, std::to_string(read[0].k()) + " classes as in " + records[0].first,
             std::to_string(read[i].k()));
    for (std::size_t c = 0; c < read[0].k(); ++c)
      if (read[i].class_names[c] != read[0].class_names[c])
        refuse(records[i].first,
               "class " + std::to_string(c) + " named " + in_quotes(read[0].class_names[c]) + " as in " +
                   records[0].first,
               in_quotes(read[i].class_names[c]));
  }
}

}  // namespace

Json join_records(const std::vector<std::pair<std::string, Json>>& records) {
  if (records.empty()) refuse("join", "at least one record", "none");
  if (records.size() == 1) return records[0].second;
  std::vector<Record> read;
  for (const auto& [name, record] : records) {
    const auto schema = record.find("schema");
    if (schema == record.end() || *schema != "leeway.assess/1")
      refuse(name, "schema leeway.assess/1, the only one of which several make one page",
             schema == record.end() ? "none" : schema->dump());
    read.push_back(read_assessment(record, name));
  }
  require_same_classes(records, read);
  const std::size_t first = speaker(read);
  Json out = {{"schema", "leeway.assess/1"},
              {"commands", Json::array()},
              {"inputs", Json::array()},
              {"version", read[first].envelope.version},
              {"headline", read[first].headline},
              {"findings", Json::array()},
              {"models", Json::array()},
              {"targets", Json::array()},
              {"class_names", read[0].class_names},
              {"results", Json::array()}};
  for (std::size_t i = 0; i < read.size(); ++i)
    if (i != first && !read[i].headline.empty()) append_new(out["findings"], read[i].headline);
  std::set<Name> taken;
  double seconds = 0;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto& [name, record] = records[i];
    for (const auto& command : read[i].envelope.commands) out["commands"].push_back(command);
    for (const auto& input : record.value("inputs", Json::array()))
      if (std::find(out["inputs"].begin(), out["inputs"].end(), input) == out["inputs"].end())
        out["inputs"].push_back(input);
    for (const std::string& finding : read[i].findings) append_new(out["findings"], finding);
    seconds += read[i].envelope.seconds.value_or(0);
    for (Json result : record["results"]) {
      std::string model = result.value("model", "");
      const std::string target = result.value("target", "");
      if (!taken.insert({model, target}).second) {
        model += " (" + name + ")";
        if (!taken.insert({model, target}).second)
          refuse(name, "each model and target once", in_quotes(model + "/" + target) + " again");
        result["model"] = model;
      }
      append_new(out["models"], model);
      append_new(out["targets"], target);
      out["results"].push_back(std::move(result));
    }
  }
  out["seconds"] = seconds;
  return out;
}

}  // namespace leeway::report
