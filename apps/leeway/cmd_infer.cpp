// leeway infer: what a model says about images, as an outputs file.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
#include "leeway/record/reading.h"
#include "leeway/tasks/infer.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

struct InferFlags {
  ModelFlags model;
  std::string data;
  record::OutputsReading rows;  // its index and split
};

// UsageError: --split without --index. Error: those of read_split.
std::optional<data::RowSplit> open_split(Context& context, const record::OutputsReading& flags,
                                         std::size_t n) {
  if (flags.split && !flags.index) throw UsageError("--split: expected --index beside it");
  if (!flags.index) return std::nullopt;
  data::RowSplit split = data::read_split(*flags.index, n);
  context.add_input(*flags.index, {split.rows, 2});
  return split;
}

// The rows that --split names, alone.
void keep_split(ModelAndImages& loaded, const data::RowSplit& split, const record::OutputsReading& flags) {
  const std::vector<std::size_t>& rows = tasks::rows_called(split, *flags.split, *flags.index);
  loaded.others = tasks::take_rows(loaded.others, loaded.images.n(), rows);
  loaded.images = select_rows(loaded.images, rows);
}

std::string table_of(const record::Infer& record, const Outputs& outputs) {
  const record::InferredSet& set = record.results.front();
  std::string table =
      fmt::format("{}: logits ({}, {}){}{}\n", set.out, set.n, set.k,
                  outputs.features ? fmt::format(", features {}", outputs.features->shape_text()) : "",
                  outputs.labels ? ", labels" : "");
  for (const record::InferredSplit& split : set.splits)
    table += fmt::format("{:<6} n = {}{}\n", split.split, split.n,
                         split.accuracy ? fmt::format(", accuracy {} {}", four(split.accuracy),
                                                      interval_text(split.accuracy_interval))
                                        : "");
  if (set.accuracy)
    table += fmt::format("accuracy {} {} (95% interval), n = {}\n", four(set.accuracy),
                         interval_text(set.accuracy_interval), set.n);
  return table;
}

int run_infer(Context& context, const InferFlags& flags) {
  require_out(context, "the outputs");
  ModelAndImages loaded = load_model_and_inputs(context, flags.model, flags.data);
  const auto split = open_split(context, flags.rows, loaded.images.n());
  if (flags.rows.split) keep_split(loaded, *split, flags.rows);
  auto [record, outputs] = tasks::infer({.model = *loaded.model,
                                         .images = loaded.images,
                                         .data = flags.data,
                                         .options = flags.model.reading,
                                         .seed = context.seed},
                                        context.progress());
  tasks::write_outputs(context.out, outputs, loaded.others);
  record.envelope.warnings = loaded.warnings;
  record::InferredSet& set = record.results.front();
  set.model = flags.model.model, set.out = context.out;
  set.stochastic = loaded.stochastic;
  set.index = flags.rows.index.value_or(""), set.split = flags.rows.split.value_or("");
  if (split && !flags.rows.split) set.splits = tasks::accuracy_by_split(outputs, *split);
  context.print(to_json(context.completed(record)), table_of(record, outputs));
  return exit_ok;
}

}  // namespace

void add_infer(const Command& root, Context& context) {
  const Command command = root.add("infer", "Run a model on images and keep what it says");
  auto& flags = command.keep<InferFlags>();
  add_model_flags(command, flags.model);
  command.option("--data", flags.data, inputs_help).required();
  add_layout_flag(command, flags.model);
  add_option_flags(command, [&](record::Fields& f) { row_fields(flags.rows, f); });
  context.add_common_flags(command, "Outputs file (.npz): logits, features, labels", Written::file);
  command.hide({"--seed"});
  command.footer("  leeway infer --model cnn.safetensors --data fashion-mnist:test --out clean.npz");
  command.runs([&context, &flags] { return run_infer(context, flags); });
}

}  // namespace leeway::app
