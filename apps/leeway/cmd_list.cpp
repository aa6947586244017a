// leeway list: the members of every family.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "apps/leeway/command.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/error.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/nn/train.h"
#include "leeway/shift/shift.h"

namespace leeway::app {
namespace {

constexpr std::array<const char*, 5> families = {"architectures", "algorithms", "attacks", "estimators",
                                                 "shifts"};

Json to_json(const std::vector<Member>& entries) {
  Json list = Json::array();
  for (const auto& entry : entries)
    list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"source", entry.source}});
  return list;
}

Json shifts() {
  Json list = Json::array();
  for (const auto& member : shift::members())
    list.push_back({{"name", member.name},
                    {"summary", member.summary},
                    {"strength", member.strength},
                    {"default", member.default_strength},
                    {"low", member.low},
                    {"high", member.high}});
  return list;
}

Json estimators() {
  Json list = Json::array();
  for (const auto& member : error_bound::estimators())
    list.push_back({{"name", member.name},
                    {"summary", member.summary},
                    {"source", member.source},
                    {"assumes", member.assumes},
                    {"fails", member.fails}});
  return list;
}

Json architectures(const nn::Session& session) {
  Json list = to_json(session.architectures());
  const auto note = [&](Json& one, const char* key, const nn::InputShape& input) {
    try {
      one[key] = session.weights_of(one["name"], input, 10);
    } catch (const Error&) {
      // it does not take such images
    }
  };
  for (Json& one : list) {
    note(one, "weights_28x28", {1, 28, 28});
    note(one, "weights_3x32x32", {3, 32, 32});
  }
  return list;
}

Json parameters_json(const std::vector<Parameter>& parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters)
    list.push_back({{"name", parameter.name},
                    {"default", parameter.value},
                    {"low", parameter.low},
                    {"high", parameter.high},
                    {"integer", parameter.integer},
                    {"meaning", parameter.meaning}});
  return list;
}

Json algorithms(const nn::Session& session) {
  const std::vector<Member> members = session.algorithms();
  Json list = to_json(members);
  for (std::size_t i = 0; i < members.size(); ++i) {
    list[i]["needs"] = session.requirements_of(list[i]["name"]).words();
    list[i]["parameters"] = parameters_json(members[i].parameters);
  }
  return list;
}

Json attacks(const nn::Session& session) {
  Json list = Json::array();
  for (const nn::AttackEntry& entry : session.attacks()) {
    Json norms = Json::array();
    for (const nn::Norm norm : entry.norms) norms.push_back(nn::name_of(norm));
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"source", entry.source},
                    {"budget", entry.minimum_norm ? "minimum-norm" : "fixed"},
                    {"norms", std::move(norms)},
                    {"loss", nn::name_of(entry.loss)},
                    {"parameters", parameters_json(entry.parameters)}});
  }
  return list;
}

Json members(const std::string& family, const Context& context) {
  if (family == "shifts") return shifts();
  if (family == "estimators") return estimators();
  const nn::Session& session = model_session(context.threads);
  if (family == "architectures") return architectures(session);
  if (family == "algorithms") return algorithms(session);
  return attacks(session);
}

// " (7850 weights for 1x28x28, 30730 for 3x32x32, 10 classes)", of the images it takes; nothing for other families.
std::string weights_text(const Json& one) {
  std::vector<std::string> sizes;
  for (const auto& [key, shape] : {std::pair("weights_28x28", "1x28x28"), {"weights_3x32x32", "3x32x32"}})
    if (one.contains(key))
      sizes.push_back(
          fmt::format("{}{} for {}", one[key].get<std::size_t>(), sizes.empty() ? " weights" : "", shape));
  return sizes.empty() ? "" : fmt::format(" ({}, 10 classes)", fmt::join(sizes, ", "));
}

std::string table(const std::string& family, const Json& list) {
  std::string text = family + "\n";
  for (const Json& one : list) {
    text += fmt::format("  {:<18} {}", one["name"].get<std::string>(), one["summary"].get<std::string>());
    text += weights_text(one);
    if (one.contains("strength"))
      text += fmt::format("; {}, {:g} to {:g}, default {:g}", one["strength"].get<std::string>(),
                          one["low"].get<double>(), one["high"].get<double>(), one["default"].get<double>());
    if (one.contains("norms"))
      text += fmt::format("; {}, {}, loss {}", one["budget"] == "fixed" ? "within a radius" : "no radius",
                          fmt::join(one["norms"].get<std::vector<std::string>>(), " "),
                          one["loss"].get<std::string>());
    if (const auto needs = one.value("needs", std::vector<std::string>()); !needs.empty())
      text += fmt::format("; needs {}", fmt::join(needs, ", "));
    text += '\n';
    for (const Json& parameter : one.value("parameters", Json::array()))
      text += fmt::format("    {:<19} {} ({:g} to {:g}{}, default {:g})\n",
                          parameter["name"].get<std::string>(), parameter["meaning"].get<std::string>(),
                          parameter["low"].get<double>(), parameter["high"].get<double>(),
                          parameter["integer"] ? ", whole" : "", parameter["default"].get<double>());
  }
  return text;
}

int run_list(Context& context, const std::string& wanted) {
  context.start_clock();
  Json results = Json::array();
  std::string text;
  for (const std::string family : families) {
    if (!wanted.empty() && wanted != family) continue;
    try {
      Json list = members(family, context);
      text += table(family, list);
      results.push_back({{"family", family}, {"members", std::move(list)}});
    } catch (const std::runtime_error& missing) {
      // the whole list says what is not there and goes on; a family asked for by name is a failure
      if (!wanted.empty()) throw;
      text += fmt::format("{}\n  not available: {}\n", family, missing.what());
      results.push_back({{"family", family}, {"members", Json()}, {"reason", missing.what()}});
    }
  }
  context.stop_clock();
  const Json record = context.record("leeway.list/1", std::move(results));
  context.write_record(record);
  context.print(record, text);
  return exit_ok;
}

}  // namespace

void add_list(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("list", "List architectures, training algorithms, attacks, estimators and shifts");
  const auto family = std::make_shared<std::string>();
  command->add_option("family", *family, "One of them (default: all)")
      ->check(CLI::IsMember(std::vector<std::string>(families.begin(), families.end())));
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->callback(
      [&context, family, &run] { run = [&context, family] { return run_list(context, *family); }; });
}

}  // namespace leeway::app
