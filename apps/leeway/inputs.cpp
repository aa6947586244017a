#include "apps/leeway/inputs.h"

namespace leeway::app {

OutputsShards open_set(Context& context, const std::string& text, const record::OutputsReading& reading,
                       tasks::SetRole role, bool check_finite) {
  return context.inputs.open_set(text, reading, role, check_finite);
}

tasks::NamedOutputs named_outputs(Context& context, const std::string& text,
                                  const record::OutputsReading& reading, tasks::SetRole role,
                                  bool check_finite) {
  return tasks::named_outputs(context.inputs, text, reading, role, check_finite);
}

Array only_array(Context& context, const std::string& path) {
  return tasks::only_array(context.inputs, path);
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

}  // namespace leeway::app
