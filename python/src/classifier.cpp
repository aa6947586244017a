#include "python/src/classifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/io/images.h"
#include "leeway/tasks/variation.h"
#include "python/src/arrays.h"
#include "python/src/guard.h"

namespace leeway::python {
namespace {

using Shape = std::vector<std::size_t>;

std::size_t product(std::span<const std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t length : shape) size *= length;
  return size;
}

// "(n, 1, 28, 28)".
std::string text_of(const std::string& first, std::span<const std::size_t> rest) {
  return fmt::format("({}, {})", first, fmt::join(rest, ", "));
}

Shape joined(std::initializer_list<std::size_t> first, std::span<const std::size_t> rest) {
  Shape shape(first);
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

// -- What the functions are given, and what they return. The GIL is held.

nb::object rows_of(std::span<const float> x, const Shape& input) {
  return numpy_of(make_array<float>(joined({x.size() / product(input)}, input), {x.begin(), x.end()}));
}

Array array_like(nb::handle returned, const std::string& name) {
  return as_float(array_of(nb::module_::import_("numpy").attr("ascontiguousarray")(returned), name), name);
}

std::vector<float> floats_of(const Array& array) {
  if (array.type == ElementType::f32) {
    const auto view = array.view<float>();
    return {view.begin(), view.end()};
  }
  std::vector<float> floats;
  floats.reserve(array.size());
  for (const double value : array.view<double>()) floats.push_back(static_cast<float>(value));
  return floats;
}

Array checked_logits(nb::handle returned, std::size_t n, std::size_t k) {
  Array logits = array_like(returned, "leeway.Classifier: logits");
  const bool fits = logits.shape.size() == 2 && logits.shape[0] == n &&
                    (k > 0 ? logits.shape[1] == k : logits.shape[1] >= 2);
  if (!fits)
    refuse("leeway.Classifier: logits",
           k > 0 ? fmt::format("({}, {})", n, k) : fmt::format("({}, k) with k of at least 2", n),
           logits.shape_text());
  return logits;
}

// (n, *input) or (n,d).
Array checked_gradients(nb::handle returned, std::size_t n, const Shape& input) {
  const std::string name = "leeway.Classifier: vjp";
  Array gradients = array_like(returned, name);
  const Shape whole = joined({n}, input);
  if (gradients.shape != whole && gradients.shape != Shape{n, product(input)})
    refuse(name, fmt::format("({})", fmt::join(whole, ", ")), gradients.shape_text());
  return gradients;
}

// The two parts of what a function returned.
std::pair<nb::object, nb::object> pair_of(const nb::object& returned, const std::string& name,
                                          const char* parts) {
  if (!PyTuple_Check(returned.ptr()) || PyTuple_Size(returned.ptr()) != 2)
    refuse(name, fmt::format("a pair, {}", parts),
           nb::cast<std::string>(nb::object(returned.type().attr("__name__"))));
  return {returned[0], returned[1]};
}

// -- The functions

struct Functions {
  nb::object logits, linearize;
  Shape input;

  [[nodiscard]] Array logits_of(std::span<const float> x, std::size_t k) const {
    return checked_logits(logits(rows_of(x, input)), x.size() / product(input), k);
  }
};

// Copies of the core's functions are made and dropped without the GIL: they share this one, whose end takes it.
template <class Held>
std::shared_ptr<const Held> shared(Held held) {
  return {new Held(std::move(held)), [](const Held* last) {
            if (Py_IsInitialized() == 0 || python_ends()) return;
            const nb::gil_scoped_acquire gil;
            delete last;
          }};
}

Linearized linearized(const std::shared_ptr<const Functions>& functions, std::span<const float> x,
                      std::size_t k) {
  const Acquired gil;
  const Shape& input = functions->input;
  const std::size_t n = x.size() / product(input);
  const auto [logits, vjp] = pair_of(functions->linearize(rows_of(x, input)), "leeway.Classifier: linearize",
                                     "logits and a function");
  Linearized found{floats_of(checked_logits(logits, n, k))};
  found.vjp = [vjp = shared(nb::object(vjp)), input, n, k](std::span<const float> cotangents) {
    const Acquired taken;
    const nb::object given = numpy_of(make_array<float>({n, k}, {cotangents.begin(), cotangents.end()}));
    return floats_of(checked_gradients((*vjp)(given), n, input));
  };
  return found;
}

Classifier classifier_of(const std::shared_ptr<const Functions>& functions, std::size_t k) {
  Classifier classifier{product(functions->input), k};
  classifier.logits = [functions, k](std::span<const float> x) {
    const Acquired gil;
    return floats_of(functions->logits_of(x, k));
  };
  if (functions->linearize.is_none()) return classifier;
  classifier.linearize = [functions, k](std::span<const float> x) { return linearized(functions, x, k); };
  return classifier;
}

// -- Inputs

void check(const Array& inputs, const std::optional<Shape>& declared, bool pixels) {
  if (!inputs.is_float() && inputs.type != ElementType::u8)
    refuse("x", "float32, float64, or uint8 (0 to 255 are read as [0,1])", std::string(name_of(inputs.type)));
  const bool rows = inputs.shape.size() > 1 && inputs.size() > 0;
  if (!declared && !rows) refuse("x", "inputs (n, ...), at least one", inputs.shape_text());
  const bool fits = rows && (!declared || inputs.shape == joined({inputs.shape[0]}, *declared) ||
                             inputs.shape == Shape{inputs.shape[0], product(*declared)});
  if (!fits) refuse("x", "inputs " + text_of("n", *declared) + ", at least one", inputs.shape_text());
  if (const auto bad = first_not_finite(inputs))
    refuse("x", "finite inputs",
           fmt::format("{} at {}", to_f64(inputs, "x")[*bad], position_text(inputs, *bad)));
  if (!pixels && are_byte_levels(inputs))
    refuse("x",
           "float pixels in [0,1] (divide by 255, or pass uint8; for a network that expects 0 to 255 use "
           "normalization={'scale': 255}; for rows of any range pass x.reshape(len(x), -1))",
           "numbers from 0 to 255");
  if (!pixels || !inputs.is_float()) return;
  const std::vector<double> values = to_f64(inputs, "x");
  const auto out = std::ranges::find_if(values, [](double value) { return value < 0 || value > 1; });
  if (out != values.end())
    refuse(
        "x", "float pixels in [0,1] before normalization (divide by 255, or pass uint8)",
        fmt::format("{} at {}", *out, position_text(inputs, static_cast<std::size_t>(out - values.begin()))));
}

average_case::InputRow input_row(const Array& inputs) {
  return [inputs](std::size_t row, std::span<float> out) {
    const auto copy = [&]<class T>(std::span<const T> values, auto as_float32) {
      std::ranges::transform(values.subspan(row * out.size(), out.size()), out.begin(), as_float32);
    };
    if (inputs.type == ElementType::f32)
      copy(inputs.view<float>(), [](float value) { return value; });
    else if (inputs.type == ElementType::f64)
      copy(inputs.view<double>(), [](double value) { return static_cast<float>(value); });
    else
      copy(inputs.view<std::uint8_t>(),
           [](std::uint8_t value) { return static_cast<float>(value) / 255.0F; });
  };
}

// The number of classes, of which nothing is known before the first pass.
std::size_t classes_of(const Functions& functions, const average_case::InputRow& input) {
  std::vector<float> row(product(functions.input));
  input(0, row);
  return functions.logits_of(row, 0).shape[1];
}

}  // namespace

tasks::ClassifierInputs randomized_inputs(nb::handle classifier, const Array& inputs) {
  std::optional<Shape> declared;
  if (!classifier.attr("input_shape").is_none()) declared = nb::cast<Shape>(classifier.attr("input_shape"));
  check(inputs, declared, nb::cast<bool>(classifier.attr("pixels")));
  const Shape input = declared.value_or(Shape(inputs.shape.begin() + 1, inputs.shape.end()));
  const auto functions = shared(Functions{classifier.attr("logits"), classifier.attr("linearize"), input});
  const average_case::InputRow row = input_row(inputs);
  return {classifier_of(functions, classes_of(*functions, row)), row, inputs.shape[0]};
}

tasks::ClassifierInputs classifier_inputs(nb::handle classifier, const Array& inputs) {
  tasks::ClassifierInputs model = randomized_inputs(classifier, inputs);
  std::optional<nn::Variation> variation;
  {
    const Released release;
    variation = tasks::variation_of(model);
  }
  if (variation)
    refuse("leeway.Classifier",
           "the same outputs for the same inputs (module.eval() switches off dropout and batch statistics)",
           tasks::variation_text(*variation, "row"));
  return model;
}

}  // namespace leeway::python
