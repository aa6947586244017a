#include "apps/leeway/inputs.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::app {

OutputsOptions reading_of(const record::OutputsReading& reading, bool check_finite) {
  OutputsOptions options;
  options.check_finite = check_finite;
  if (reading.binary) options.binary = *reading.binary == "prob" ? Binary::prob : Binary::logit;
  if (reading.as) options.as = *reading.as == "probs" ? Scores::probs : Scores::logits;
  return options;
}

tasks::NamedOutputs named_outputs(Context& context, const std::string& text,
                                  const record::OutputsReading& reading, bool check_finite) {
  return {text, [&context, text, options = reading_of(reading, check_finite),
                 noted = std::make_shared<bool>(false)] {
            OutputsShards shards = read_shards(text, options);
            if (std::exchange(*noted, true)) return shards;
            for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
            return shards;
          }};
}

Labels named_labels(Context& context, const std::string& path) {
  if (path.empty()) return {};
  return [&context, path, noted = std::make_shared<bool>(false)](std::size_t n, std::size_t k) {
    std::vector<std::int64_t> labels = read_labels(path, n, k);
    if (!std::exchange(*noted, true)) context.add_input(path, {labels.size()});
    return labels;
  };
}

Images open_images(Context& context, const std::string& data) {
  Images images = read_images(data);
  context.add_input(data, images.pixels.shape);
  return images;
}

std::vector<NamedImages> open_named_images(Context& context, const std::vector<std::string>& texts) {
  std::vector<NamedImages> files;
  for (const std::string& text : texts) {
    const auto [name, path] = split_name(text);
    if (path.empty()) throw UsageError("--images " + text + ": expected [[MODEL/]SHIFT=]FILE");
    files.push_back({name, open_images(context, path)});
  }
  return files;
}

Array only_array(Context& context, const std::string& path) {
  const ArrayMap arrays = read_arrays(path);
  if (arrays.size() != 1) {
    std::string names;
    for (const auto& [name, array] : arrays) names += (names.empty() ? "" : ", ") + name;
    refuse(display_name(path), "one array", fmt::format("{}: {}", arrays.size(), names));
  }
  context.add_input(path, arrays.begin()->second.shape);
  return as_float(arrays.begin()->second, display_name(path));
}

}  // namespace leeway::app
