// What leeway inspect shows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/inspect/inspect.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

Blocks layers_table(const std::string& caption, const InspectedModel& model) {
  using One = ModelLayer;
  const std::vector<ColumnOf<One>> columns = {{text_column("Name"), &One::name},
                                              {text_column("Type"), &One::type},
                                              {text_column("Shape"), &One::shape},
                                              {number_column("Numbers"), &One::parameters}};
  return table_of(caption, columns, model.layers).block();
}

// Of tensors of which nothing says what network they are.
Facts unknown_facts(const InspectedModel& model) {
  Facts facts{{"architecture", "unknown; the tensors fit " + fitting_text(model)}};
  for (const FittingArchitecture& fit : model.fitting)
    facts.emplace_back("", fmt::format("--arch {} --input {}  ({} classes)", fit.architecture,
                                       fmt::join(fit.input, ","), fit.classes));
  return facts;
}

Facts model_facts(const InspectedModel& model) {
  std::string classes = model.classes ? std::to_string(*model.classes) : "unknown";
  if (!model.class_names.empty()) classes += fmt::format(" ({})", fmt::join(model.class_names, ", "));
  Facts facts{
      {"input", (model.input.empty() ? "unknown (--input CHANNELS,HEIGHT,WIDTH)" : shape_text(model.input)) +
                    (model.input.size() % 3 == 0 ? ", pixels from 0 to 1" : ", numbers of any range")},
      {"classes", classes},
      {"normalization",
       flags_of(model.normalization) + (model.notes.empty() ? "" : fmt::format(" ({})", model.notes))}};
  if (!model.confinement.empty())
    facts.emplace_back("program", model.confinement == "none"
                                      ? "runs without confinement (--trust)"
                                      : fmt::format("runs in a separate process that can only compute ({})",
                                                    model.confinement));
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
