#include "leeway/shift/detail/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::shift {
namespace {

constexpr std::size_t pictures_between_reports = 512;

}  // namespace

void for_each_picture(std::size_t n, std::string_view task, Progress* progress,
                      const std::function<void(std::size_t row)>& change) {
  for (std::size_t begin = 0; begin < n; begin += pictures_between_reports) {
    if (progress && progress->stop_requested())
      throw Interrupted(fmt::format("{} stopped after {} of {} images; nothing was written", task, begin, n));
    const std::size_t count = std::min(pictures_between_reports, n - begin);
    parallel_for(count, [&](std::size_t i) { change(begin + i); });
    if (progress) progress->update(task, begin + count, n, "");
  }
}

Shifted change_pictures(const Images& images, std::string_view task, Progress* progress,
                        const Change& change) {
  const std::size_t n = images.n(), size = images.pixels_per_image();
  std::vector<float> pixels(n * size);
  for_each_picture(n, task, progress, [&](std::size_t row) {
    const std::span<float> picture(pixels.data() + row * size, size);
    images.copy_row(row, picture);
    change(row, picture);
  });
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Images changed{images.path, make_array(images.pixels.shape, std::move(pixels)), images.labels};
  changed.class_names = images.class_names;
  return {std::move(changed), std::move(rows)};
}

Shifted change_channels(const Images& images, std::string_view task, Progress* progress,
                        const std::function<void(std::span<float> channel)>& change) {
  const std::size_t area = images.height() * images.width();
  return change_pictures(images, task, progress, [&](std::size_t, std::span<float> picture) {
    for (std::size_t start = 0; start < picture.size(); start += area) change(picture.subspan(start, area));
  });
}

Shifted keep_rows(const Images& images, std::vector<std::size_t> rows) {
  Images kept = select_rows(images, rows);
  return {std::move(kept), std::move(rows)};
}

const std::vector<std::int64_t>& labels_of(const Images& images, std::string_view member) {
  if (!images.labels)
    throw Error(fmt::format("{}: shift {}: expected labels (`y`), found none", images.path, member));
  return *images.labels;
}

void check_classes(const Images& images, const std::vector<std::int64_t>& classes, std::string_view member) {
  const auto& labels = labels_of(images, member);
  const std::set<std::int64_t> present(labels.begin(), labels.end());
  std::set<std::int64_t> seen;
  for (const auto label : classes) {
    if (!present.contains(label))
      throw Error(fmt::format("{}: shift {}: expected classes that occur, found {}, which is in no row",
                              images.path, member, label));
    if (!seen.insert(label).second)
      throw Error(fmt::format("shift {}: expected every class once, found {} twice", member, label));
  }
}

}  // namespace leeway::shift
