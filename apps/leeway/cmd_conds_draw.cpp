// leeway conds draw: source and target sets with concurrent distribution shifts, drawn from a table of
// attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/conds_draw_table.h"
#include "apps/leeway/options.h"
#include "apps/leeway/written.h"
#include "leeway/conds/conds.h"
#include "leeway/conds/protocol_sets.h"
#include "leeway/core/error.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

struct CondsFlags {
  std::string attributes, label, data_set, id;
  std::optional<std::string> sc, ldd, uds;
  std::vector<std::string> columns, orders;  // orders: "attribute=v1,v2"
  std::optional<std::size_t> train, validation, test;
  double ldd_ratio = 3, counterexamples = .01;
  bool all = false, plan = false, resample = false;
};

using conds::ConDSCase;
using conds::ConDSOptions;
using conds::ConDSPlan;

// "attribute=v1,v2" as the name and the values.
std::pair<std::string, std::vector<std::string>> parse_order(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--order: expected ATTRIBUTE=VALUE,VALUE,..., found {}", in_quotes(text)));
  return {text.substr(0, equals), CLI::detail::split(text.substr(equals + 1), ',')};
}

// Columns of a named data set, under the names that the table has for them.
TableColumns columns_of_set(const CondsFlags& flags) {
  const conds::ConDSDataSet& set = conds::conds_data_set(flags.data_set);
  TableColumns columns = conds::columns_of(set);
  if (!flags.columns.empty() && flags.columns.size() != columns.attributes.size())
    throw UsageError(fmt::format("--columns: expected {} names for {}, those of {}, found {}",
                                 columns.attributes.size(), set.name, fmt::join(columns.attributes, ", "),
                                 flags.columns.size()));
  const auto rename = [&](std::string& column, const std::string& as) {
    auto order = columns.orders.extract(column);
    order.key() = column = as;
    columns.orders.insert(std::move(order));
  };
  // Out of the way first, since a table may use a name of the set for another column.
  for (std::size_t i = 0; i < columns.attributes.size(); ++i)
    if (!flags.columns.empty()) rename(columns.attributes[i], fmt::format("\n{}", i));
  if (!flags.label.empty()) rename(columns.label, flags.label);
  for (std::size_t i = 0; i < flags.columns.size(); ++i) rename(columns.attributes[i], flags.columns[i]);
  return columns;
}

TableColumns columns_of(const CondsFlags& flags) {
  TableColumns columns;
  if (!flags.data_set.empty()) {
    columns = columns_of_set(flags);
  } else {
    if (flags.label.empty()) throw UsageError("--label is required: the column of the labels");
    columns.label = flags.label;
    columns.attributes = flags.columns;
    for (const auto& attribute : {flags.sc, flags.ldd, flags.uds})
      if (attribute && flags.columns.empty()) columns.attributes.push_back(*attribute);
    if (columns.attributes.empty())
      throw UsageError("--columns is required: the attributes, where no shift names one");
  }
  for (const std::string& text : flags.orders) {
    auto [name, values] = parse_order(text);
    columns.orders[name] = std::move(values);
  }
  if (!flags.id.empty()) columns.id = flags.id;
  for (const auto& [option, attribute] :
       {std::pair("--sc", flags.sc), std::pair("--ldd", flags.ldd), std::pair("--uds", flags.uds)})
    if (attribute && std::ranges::find(columns.attributes, *attribute) == columns.attributes.end())
      throw UsageError(fmt::format("{}: expected one of {}, found {}", option,
                                   fmt::join(columns.attributes, ", "), in_quotes(*attribute)));
  std::set<std::string> shifted;
  for (const auto& attribute : {flags.sc, flags.ldd, flags.uds})
    if (attribute && !shifted.insert(*attribute).second)
      throw UsageError(fmt::format("--sc, --ldd, --uds: expected different attributes, found {} twice",
                                   in_quotes(*attribute)));
  return columns;
}

ConDSOptions options_of(const CondsFlags& flags, std::uint64_t seed) {
  ConDSOptions options;
  if (!flags.data_set.empty()) options.counts = conds::conds_data_set(flags.data_set).counts;
  if (flags.train) options.counts.train.fill(*flags.train);
  if (flags.validation) options.counts.validation.fill(*flags.validation);
  if (flags.test) options.counts.test = *flags.test;
  options.ldd_ratio = flags.ldd_ratio;
  options.counterexamples = flags.counterexamples;
  options.resample = flags.resample;
  options.seed = seed;
  return options;
}

// "sc_ldd-3": the kind and the number of the assignment, as the protocol's reference counts them.
std::vector<std::string> names_of_cases(const std::vector<ConDSCase>& cases) {
  std::vector<std::string> names;
  std::map<std::size_t, std::size_t> number;
  for (const ConDSCase& one : cases) {
    std::string name = conds::kind_name(one.kind());
    for (char& c : name) c = c == '+' ? '_' : static_cast<char>(c - 'A' + 'a');
    names.push_back(one.kind() == 0 ? name : fmt::format("{}-{}", name, number[one.kind()]++));
  }
  return names;
}

std::string text_of(const conds::ConDSSplit& split) {
  std::vector<std::pair<std::size_t, std::string_view>> rows;
  for (const auto& [set, name] : {std::pair(&split.train, "train"), std::pair(&split.validation, "val"),
                                  std::pair(&split.test, "test")})
    for (const std::size_t row : *set) rows.emplace_back(row, name);
  std::ranges::sort(rows);
  std::string text = "index,split\n";
  for (const auto& [row, name] : rows) text += fmt::format("{},{}\n", row, name);
  return text;
}

// Of one case; with --all of many, in a folder.
std::string file_of(const Context& context, const std::string& name, bool to_folder) {
  return to_folder ? (std::filesystem::path(context.out) / (name + ".csv")).string() : context.out;
}

std::string manifest_file(const Context& context, bool to_folder) {
  return to_folder ? (std::filesystem::path(context.out) / "manifest.json").string()
                   : manifest_of(context.out);
}

void claim_files(Context& context, const std::vector<std::string>& names, bool to_folder) {
  if (to_folder) context.files.claim("--out", context.out, Written::folder);
  if (to_folder && !std::filesystem::exists(context.out)) return;  // nothing that could be replaced
  for (const std::string& name : names)
    context.files.claim("--out", file_of(context, name, to_folder), Written::file);
  context.files.claim("--out", manifest_file(context, to_folder), Written::file);
}

struct Drawing {
  const AttributeTable& table;
  const Cells& cells;
  std::vector<CondsCase> cases;

  void write(Context& context, const ConDSOptions& options, bool to_folder) {
    if (!options.resample)
      for (const CondsCase& one : cases)
        conds::require_rows(one.plan, cells,
                            to_folder ? fmt::format("{}: {}", table.name, one.name) : table.name);
    if (to_folder) std::filesystem::create_directories(context.out);
    const conds::ConDSSampler sampler(table, cells, options.seed);
    for (CondsCase& one : cases) {
      const conds::ConDSSplit split = sampler.draw(one.plan, options.resample);
      one.drawn = {split.train.size(), split.validation.size(), split.test.size()};
      if (!split.left_out.empty())
        context.warn(fmt::format("leeway: {}: {}: left out {} cells without rows, first {}", table.name,
                                 one.name, split.left_out.size(), cells.text(split.left_out.front())));
      one.out = file_of(context, one.name, to_folder);
      write_text(one.out, text_of(split));
      if (context.digests) one.digest = digest_file(one.out);
    }
  }
};

ConDSCase asked_for(const CondsFlags& flags, const AttributeTable& table) {
  const auto position = [&](const std::optional<std::string>& attribute) {
    return attribute ? std::optional(table.find(*attribute)) : std::nullopt;
  };
  return {position(flags.sc), position(flags.ldd), position(flags.uds)};
}

int run_draw(Context& context, const CondsFlags& flags) {
  const TableColumns columns = columns_of(flags);
  if (flags.all && (flags.sc || flags.ldd || flags.uds))
    throw UsageError("--all: expected no --sc, --ldd or --uds beside it");
  if (context.out.empty() && !flags.plan)
    throw UsageError(flags.all ? "--out is required: the folder to write"
                               : "--out is required: the split to write");
  context.start_clock();
  const AttributeTable table = read_attribute_table(flags.attributes, columns);
  context.add_input(flags.attributes, {table.n(), table.attributes.size() + 1});
  const Cells cells(table);
  const auto available = cells.counts(table);
  const ConDSOptions options = options_of(flags, context.seed);
  const auto chosen =
      flags.all ? conds::all_cases(table.attributes.size()) : std::vector<ConDSCase>{asked_for(flags, table)};
  const auto names = names_of_cases(chosen);
  if (!flags.plan) claim_files(context, names, flags.all);
  Drawing drawing{table, cells, {}};
  for (std::size_t i = 0; i < chosen.size(); ++i)
    drawing.cases.push_back({names[i], conds::plan_conds(table, cells, available, chosen[i], options)});
  if (!flags.plan) {
    drawing.write(context, options, flags.all);
  }
  context.stop_clock();
  Json results = Json::array();
  for (const CondsCase& one : drawing.cases) results.push_back(conds_json(one, table, cells, options));
  Json record = context.record("leeway.shift-conds/1", std::move(results));
  record.update(conds_json(table, options));
  record["data_set"] = flags.data_set.empty() ? Json() : Json(flags.data_set);
  if (!flags.plan) write_manifest(manifest_file(context, flags.all), record);
  context.print(record, conds_text(drawing.cases, table, cells, context.seed));
  return exit_ok;
}

}  // namespace

void add_conds_draw(CLI::App& room, Context& context, Run& run) {
  auto flags = std::make_shared<CondsFlags>();
  auto* command = room.add_subcommand(
      "draw",
      "Train, validation and test sets with concurrent distribution shifts, from a table of attributes");
  command->add_option("--attributes", flags->attributes, "CSV: a row for each sample, a label, attributes")
      ->required();
  command->add_option("--label", flags->label, "Column of the labels");
  command
      ->add_option("--sc", flags->sc, "Attribute that goes with the label in training: spurious correlation")
      ->group("Shifts");
  command->add_option("--ldd", flags->ldd, "Attribute whose last value is rare in training: low data drift")
      ->group("Shifts");
  command->add_option("--uds", flags->uds, "Attribute whose last value training never has: unseen data shift")
      ->group("Shifts");
  command
      ->add_flag("--all", flags->all, "Every case: uniform, and all shifts on all attributes (33 of three)")
      ->group("Shifts");
  command
      ->add_option("--columns", flags->columns,
                   "All attributes that make the cells (default: those that shifts are on)")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option(
          "--order", flags->orders,
          "ATTRIBUTE=VALUE,VALUE,...: all values, the last is the rare or unseen one, the i-th goes with the "
          "i-th label (default: numbers ascending, else letters); may be repeated")
      ->allow_extra_args(false)
      ->type_name("ORDER");
  command
      ->add_option("--dataset", flags->data_set,
                   "Columns, orders and counts of the protocol: " + names_of(conds::conds_data_sets()))
      ->check(CLI::IsMember([] {
        std::vector<std::string> names;
        for (const auto& set : conds::conds_data_sets()) names.emplace_back(set.name);
        return names;
      }()))
      ->type_name("NAME");
  command->add_option("--id", flags->id, "Column that tells rows apart (default: the whole row)");
  command->add_flag("--plan", flags->plan,
                    "Say what each cell would give and what the data lack; draw nothing");
  const std::string counts = "Counts", number = "N";
  const auto count = CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}).description("");
  command->add_option("--train", flags->train, "Training samples a cell (default: by case, as for dSprites)")
      ->check(count)
      ->type_name(number)
      ->group(counts);
  command->add_option("--val", flags->validation, "Validation samples a cell (default: by case)")
      ->check(count)
      ->type_name(number)
      ->group(counts);
  command->add_option("--test", flags->test, "Test samples a cell (default: 10)")
      ->check(count)
      ->type_name(number)
      ->group(counts);
  command->add_option("--ldd-ratio", flags->ldd_ratio, "How many times rarer LDD's last value is")
      ->check(within(1, 1e9))
      ->capture_default_str()
      ->group(counts);
  command
      ->add_option("--counterexamples", flags->counterexamples,
                   "SC: samples that break the correlation, as a share of the others")
      ->check(within(0, 1))
      ->capture_default_str()
      ->group(counts);
  command->add_flag("--resample", flags->resample, "Repeat rows of cells that have too few")->group(counts);
  context.add_common_flags(*command,
                           "The split to write: index,split (train, val, test), and beside it "
                           "NAME.manifest.json, the record; with --all a folder, with manifest.json",
                           Written::claimed);
  command->footer(
      "Cells are labels times values of the attributes. The test set has every cell alike. The same seed "
      "gives the "
      "same\nsamples, whatever the order of the rows, and all cases of a seed share the test set.\n\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --plan\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --out split.csv\n"
      "  leeway conds draw --attributes table.csv --dataset dsprites --all --out cases");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_draw(context, *flags); }; });
}

}  // namespace leeway::app
