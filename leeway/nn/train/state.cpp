#include "leeway/nn/train/state.h"

#include <fmt/format.h>

#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/train/plan.h"
#include "leeway/nn/train/selection.h"

namespace leeway::nn {
namespace {

ArrayMap with_prefix(const ArrayMap& all, const std::string& prefix) {
  ArrayMap part;
  for (const auto& [name, array] : all)
    if (name.starts_with(prefix)) part[name.substr(prefix.size())] = array;
  return part;
}

}  // namespace

void save_state(const std::filesystem::path& path, const TrainingText& text, const Course& course,
                const Tensors& algorithm) {
  if (!text.given()) return;
  Safetensors content;
  for (const auto& [name, tensor] : algorithm) content.tensors["algorithm." + name] = shared_array(tensor);
  for (const auto& [name, array] : course.best) content.tensors["best." + name] = array;
  content.tensors["position"] =
      make_array({2}, std::vector<std::int64_t>{static_cast<std::int64_t>(course.pass),
                                                static_cast<std::int64_t>(course.place)});
  content.metadata["training"] = text.write(course);
  write_state(path, std::move(content));
}

Restored restore_state(const std::filesystem::path& path, const TrainingText& text, const Training& planned,
                       Algorithm& algorithm) {
  if (!text.given() || !is_there(path)) return {};
  const std::string name = display_name(path);
  try {
    const std::optional<Safetensors> content = read_state(path);
    if (!content) return {{}, damaged_state(path)};
    const auto found = content->metadata.find("training");
    if (found == content->metadata.end()) refuse(name, "the state of a training run", "none");
    Course course{text.read(found->second, name), with_prefix(content->tensors, "best.")};
    if (const std::string changed = text.differences(course, planned); !changed.empty())
      return {
          {},
          fmt::format("{}: belongs to a training run with other options ({}): starting over", name, changed)};
    const auto position = content->tensors.find("position");
    if (position == content->tensors.end() || position->second.type != ElementType::i64 ||
        position->second.shape != std::vector<std::size_t>{2})
      refuse(name, "the position in a training run", "none");
    const auto numbers = position->second.view<std::int64_t>();
    if (course.epochs.empty() || numbers[0] < 1 || numbers[1] < 0)
      refuse(name, "the position in a training run", fmt::format("pass {}, step {}", numbers[0], numbers[1]));
    course.pass = static_cast<std::size_t>(numbers[0]), course.place = static_cast<std::size_t>(numbers[1]);
    copy_weights(course.best, algorithm.network(), name);  // checks them
    Tensors tensors;
    for (const auto& [key, array] : with_prefix(content->tensors, "algorithm.")) {
      tensors[key] = shared_tensor(array);
      if (!tensors[key].defined()) refuse(name, "tensors of numbers", name_of(array.type));
      if (tensors[key].is_floating_point() && tensors[key].isnan().any().item<bool>())
        refuse(name, "numbers in the tensor " + key, "NaN");  // it would stay in the training for ever
    }
    algorithm.restore(tensors, name);
    const std::size_t done = course.epochs.size();
    return {std::move(course), fmt::format("{}: resumed after epoch {}", name, done)};
  } catch (const Error& failure) {
    return {{}, fmt::format("{}: starting over", failure.what())};
  }
}

std::optional<TrainResult> reuse(const data::TrainingData& data, const TrainOptions& options,
                                 const std::filesystem::path& out) {
  if (!options.text.given() || !read_state(out)) return {};
  try {
    ModelSource source;
    source.path = out;
    source.device = options.device;
    std::shared_ptr<Model> model = load_model(source);
    TrainResult result{options.text.read(model->info().training, display_name(out))};
    if (!options.text.differences(result, planned(data, options)).empty() ||
        !epochs_kept(options, result.epochs.size()))
      return {};
    result.class_names = model->info().class_names;
    if (result.class_names != trained_class_names(data.images, model->info().classes)) return {};
    result.model = std::move(model);
    result.reused = true;
    result.notes = {fmt::format("{}: already trained with these options and data: kept", display_name(out))};
    return result;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace leeway::nn
