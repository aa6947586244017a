#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/inspect/inspect.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Blocks layers_table(const std::string& caption, const InspectedModel& model) {
  using One = nn::Layer;
  const std::vector<ColumnOf<One>> columns = {{text_column("Name"), &One::name},
                                              {text_column("Type"), &One::type},
                                              {text_column("Shape"), &One::shape},
                                              {number_column("Numbers"), &One::parameters}};
  return table_of(caption, columns, model.info.layers).block();
}

// Of tensors of which nothing says what network they are.
Facts unknown_facts(const InspectedModel& model) {
  Facts facts{{"architecture", "unknown; the tensors fit " + fitting_text(model)}};
  for (const nn::FittingArchitecture& fit : model.fitting)
    facts.emplace_back("", fmt::format("--arch {} --input {}  ({} classes)", fit.name,
                                       fmt::join(sizes_of(fit.input), ","), fit.classes));
  return facts;
}

Facts model_facts(const InspectedModel& model) {
  const nn::ModelInfo& info = model.info;
  const std::vector<std::size_t> input = input_sizes(model);
  std::string classes = info.classes > 0 ? std::to_string(info.classes) : "unknown";
  if (!info.class_names.empty()) classes += fmt::format(" ({})", fmt::join(info.class_names, ", "));
  Facts facts{{"input", (input.empty() ? "unknown (--input CHANNELS,HEIGHT,WIDTH)"
                                       : fmt::format("{}", fmt::join(input, " x "))) +
                            (input.size() % 3 == 0 ? ", pixels from 0 to 1" : ", numbers of any range")},
              {"classes", classes},
              {"normalization", flags_of(info.normalization) +
                                    (info.notes_file.empty() ? "" : fmt::format(" ({})", info.notes_file))}};
  if (!info.confinement.empty())
    facts.emplace_back("program", info.confinement == "none"
                                      ? "runs without confinement (--trust)"
                                      : fmt::format("runs in a separate process that can only compute ({})",
                                                    info.confinement));
  if (const auto& cost = model.cost)
    facts.emplace_back(
        "cost per image",
        fmt::format("{:.3g} ms forward, {} ({} images at a time, one thread)", 1e3 * cost->forward_seconds,
                    cost->gradient_seconds
                        ? fmt::format("{:.3g} ms forward and backward", 1e3 * *cost->gradient_seconds)
                        : "no gradients",
                    cost->images));
  if (model.accuracy.value)
    facts.emplace_back("accuracy", fmt::format("{}, n = {}", value_words(model.accuracy, true), model.n));
  return facts;
}

}  // namespace

View view(const Inspect& record) {
  const InspectedModel& model = record.results.front();
  const bool unknown = is_unknown(model);
  return plain_view("a model file", record.envelope,
                    term_list(unknown ? unknown_facts(model) : model_facts(model)) +
                        layers_table(unknown ? "Tensors" : "Layers", model));
}

}  // namespace leeway::tasks
