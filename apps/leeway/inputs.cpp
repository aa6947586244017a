#include "apps/leeway/inputs.h"

#include "leeway/data/training_data.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {

Images open_images(Context& context, const std::string& data) {
  Images images = read_images(data);
  context.add_input(data, images.pixels.shape);
  if (!images.doubt.empty()) context.warn(images.doubt);
  return images;
}

std::optional<std::vector<std::size_t>> open_rows(Context& context, const record::OutputsReading& flags,
                                                  std::size_t n) {
  if (flags.split && !flags.index) throw UsageError("--split requires --index");
  if (flags.index && !flags.split) throw UsageError("--split is required with --index: train, val, test");
  if (!flags.index) return std::nullopt;
  const data::RowSplit split = data::read_split(*flags.index, n);
  if (!context.inputs.has(*flags.index)) context.add_input(*flags.index, {split.rows, 2});
  return tasks::rows_called(split, *flags.split, *flags.index);
}

Images open_images(Context& context, const std::string& data, const record::OutputsReading& rows) {
  Images images = open_images(context, data);
  const auto taken = open_rows(context, rows, images.n());
  return taken ? select_rows(images, *taken) : images;
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
