#include "apps/leeway/average_case_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/npz.h"

namespace leeway::app {
namespace {

using average_case::AverageCase;
using average_case::Column;

template <class T>
Array vector_array(const std::vector<T>& values) {
  return make_array<T>({values.size()}, values);
}

template <class T>
std::vector<T> vector_of(const ArrayMap& arrays, const std::string& name) {
  const auto view = arrays.at(name).view<T>();
  return {view.begin(), view.end()};
}

}  // namespace

Json plan_of(const average_case::AverageCaseOptions& options) {
  return {{"version", version},
          {"methods", options.methods},
          {"sigmas", options.sigmas},
          {"draws", options.draws},
          {"width", options.width},
          {"copies", options.copies},
          {"copies_as_published", options.copy_draws == average_case::CopyDraws::as_published},
          {"temperature", options.temperature},
          {"classes", options.classes},
          {"tolerance", options.mvn.tolerance},
          {"level", options.level},
          {"seed", options.seed}};
}

std::string state_of(const std::string& out) { return out + ".state"; }

void save_state(const std::string& out, const std::string& plan, const AverageCase& done) {
  ArrayMap arrays;
  arrays["plan"] = make_text_array({1}, {plan});
  arrays["targets"] = vector_array(done.targets);
  arrays["confidence"] = vector_array(done.confidence);
  arrays["seconds"] = vector_array(std::vector<double>{done.seconds, done.model_seconds});
  for (std::size_t c = 0; c < done.columns.size(); ++c) {
    const Column& column = done.columns[c];
    arrays[fmt::format("p {}", c)] = vector_array(column.p);
    arrays[fmt::format("low {}", c)] = vector_array(column.low);
    arrays[fmt::format("high {}", c)] = vector_array(column.high);
    arrays[fmt::format("error {}", c)] = vector_array(column.error);
    arrays[fmt::format("draws {}", c)] = vector_array(column.draws);
    arrays[fmt::format("rest {}", c)] = vector_array(
        std::vector<double>{static_cast<double>(column.not_converged), column.left_out, column.seconds,
                            column.model_seconds, static_cast<double>(column.zero_gradients)});
  }
  write_npz(state_of(out), arrays);
}

AverageCase load_state(const std::string& out, const std::string& plan, AverageCase empty) {
  if (out.empty() || !std::filesystem::exists(state_of(out))) return empty;
  try {
    const ArrayMap arrays = read_npz(state_of(out));
    const Array& stored = arrays.at("plan");
    if (!stored.texts || stored.texts->size() != 1 || stored.texts->front() != plan) return empty;
    AverageCase done = empty;
    done.targets = vector_of<std::int32_t>(arrays, "targets");
    done.confidence = vector_of<double>(arrays, "confidence");
    const auto seconds = vector_of<double>(arrays, "seconds");
    done.seconds = seconds.at(0), done.model_seconds = seconds.at(1);
    for (std::size_t c = 0; c < done.columns.size(); ++c) {
      Column& column = done.columns[c];
      column.p = vector_of<double>(arrays, fmt::format("p {}", c));
      column.low = vector_of<double>(arrays, fmt::format("low {}", c));
      column.high = vector_of<double>(arrays, fmt::format("high {}", c));
      column.error = vector_of<double>(arrays, fmt::format("error {}", c));
      column.draws = vector_of<std::uint32_t>(arrays, fmt::format("draws {}", c));
      const auto rest = vector_of<double>(arrays, fmt::format("rest {}", c));
      column.not_converged = static_cast<std::size_t>(rest.at(0)), column.left_out = rest.at(1);
      column.seconds = rest.at(2), column.model_seconds = rest.at(3);
      column.zero_gradients = static_cast<std::size_t>(rest.at(4));
      if (column.p.size() != done.targets.size()) return empty;
    }
    return done;
  } catch (const Error&) {  // a file of another kind: begin anew
    return empty;
  } catch (const std::out_of_range&) {
    return empty;
  }
}

void remove_state(const std::string& out) {
  if (!out.empty()) std::filesystem::remove(state_of(out));
}

}  // namespace leeway::app
