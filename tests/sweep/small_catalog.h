// Commands for studies in tests: draw makes a file, change reads one and makes another, look reads files and says a record.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/sweep/catalog.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/run_table.h"
#include "leeway/sweep/study.h"

namespace leeway::sweep::testing {

inline const Catalog& small_catalog() {
  const auto text = [](const char* name) {
    CatalogOption option;
    option.name = name;
    return option;
  };
  const auto number = [](const char* name, const char* default_text, bool whole = false) {
    CatalogOption option;
    option.name = name, option.number = true, option.whole = whole, option.default_text = default_text;
    return option;
  };
  const auto file = [](const char* name) {
    CatalogOption option;
    option.name = name, option.file = true;
    return option;
  };
  const auto flag = [](const char* name) {
    CatalogOption option;
    option.name = name, option.flag = true;
    return option;
  };
  CatalogOption name = text("name"), record = file("out");
  name.positional = true, record.record = true;
  static const Catalog catalog{
      {{"data draw",
        {name, number("size", "64", true), number("seed", "", true), file("out"), file("table")}},
       {"change",
        {name, text("data"), number("lr", "0.001"), number("strength", ""), flag("hard"), text("set"),
         number("seed", "", true), file("out")}},
       {"train", {text("data"), text("start"), number("lr", "0.001"), file("out")}},
       {"look", {text("source"), text("target"), text("methods"), number("seed", "", true), record}}},
      [](const std::vector<std::string>& words) -> std::string {
        for (const std::string& word : words)
          if (word == "forbidden") return "--name: expected another word, found forbidden";
        return "";
      },
      [](const std::string& command, const std::vector<std::string>&) -> std::vector<CatalogFamily> {
        if (command != "change") return {};
        return {{"name",
                 "a change",
                 {{"blur", "", "", {{"eta", .1, 0, .5, ""}, {"steps", 3, 1, 1000, "", true}}},
                  {"noise",
                   "",
                   "",
                   {{"eta", .1, 0, .5, ""}, {"twice", 0, 0, 1, "", true}, {"weight", 0, 0, 10, ""}}},
                  {"odd", "", "", {{"eta", 1, 0, 100, ""}}},
                  {"turn", "", ""},
                  {"forbidden", "", ""}},
                 "set",
                 true}};
      }};
  return catalog;
}

inline Study study_of(std::string_view text) { return parse_study(text, "study.toml", small_catalog()); }
inline Plan plan_of(std::string_view text) {
  return make_plan(study_of(text), small_catalog(), "study.toml");
}

inline RunTable table_of_text(const std::string& text, const std::string& name = "runs.csv") {
  const auto kept = std::make_shared<const std::string>(text);
  return {MappedFile{kept, std::as_bytes(std::span(*kept))}, name};
}

}  // namespace leeway::sweep::testing
