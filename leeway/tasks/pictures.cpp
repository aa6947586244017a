#include "leeway/tasks/pictures.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "leeway/io/png.h"
#include "leeway/tasks/average_case/view.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t largest_side = 64;

// Averages of equal boxes, so that no side is longer than largest_side.
Picture small_picture(const Images& images, std::size_t row) {
  const std::size_t channels = images.channels(), height = images.height(), width = images.width();
  std::vector<float> values(images.pixels_per_image());
  images.copy_row(row, values);
  const std::size_t box = (std::max(height, width) + largest_side - 1) / largest_side;
  Picture out{channels, (height + box - 1) / box, (width + box - 1) / box, {}};
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t y = 0; y < out.height; ++y)
      for (std::size_t x = 0; x < out.width; ++x) {
        double sum = 0;
        std::size_t pixels = 0;
        for (std::size_t v = y * box; v < std::min(height, (y + 1) * box); ++v)
          for (std::size_t u = x * box; u < std::min(width, (x + 1) * box); ++u, ++pixels)
            sum += static_cast<double>(values[(c * height + v) * width + u]);
        out.pixels.push_back(static_cast<std::uint8_t>(
            std::lround(255 * std::clamp(sum / static_cast<double>(pixels), 0., 1.))));
      }
  return out;
}

const Images* images_named(const std::vector<PictureSource>& sources, const std::string& name) {
  for (const PictureSource& source : sources)
    if (source.name == name) return source.images;
  return nullptr;
}

void require_row(const Images& images, std::size_t row, const std::string& record, const char* what) {
  if (row >= images.n())
    refuse(images.path, fmt::format("the images of {}, whose {} reach row {}", record, what, row),
           fmt::format("{} images", images.n()));
}

void require_channels(const Images& images) {
  const std::size_t channels = images.channels();
  if (channels != 1 && channels != 3) refuse(images.path, "images with 1 or 3 channels", channels);
}

// Each row once; the strongest noise first.
std::vector<SamplePicture> ranked_samples(const std::vector<Robustness>& records, const Images& images,
                                          const PageOptions& options) {
  std::vector<SamplePicture> out;
  std::set<std::size_t> seen;
  const auto take = [&](const std::vector<RankedSample>& samples) {
    for (const RankedSample& sample : samples) {
      require_row(images, sample.row, options.record_name, "ranked samples");
      if (seen.insert(sample.row).second) out.push_back({sample.row, small_picture(images, sample.row)});
    }
  };
  for (const Robustness& record : records) {
    const RobustnessView view(record);
    for (auto ranking = view.rankings.rbegin(); ranking != view.rankings.rend(); ++ranking)
      for (const RankedClass& one : ranking->classes) take(one.least), take(one.most);
  }
  return out;
}

}  // namespace

bool complete(const Picture& picture) {
  return (picture.channels == 1 || picture.channels == 3) && picture.height > 0 && picture.width > 0 &&
         picture.pixels.size() == picture.channels * picture.height * picture.width;
}

std::string png_data_uri(const Picture& picture) {
  return leeway::png_data_uri(picture.channels, picture.height, picture.width, picture.pixels);
}

Difference difference(const Picture& clean, const Picture& shifted) {
  Difference out{shifted, 0};
  for (std::size_t i = 0; i < clean.pixels.size(); ++i)
    out.largest = std::max(out.largest, std::abs(int{shifted.pixels[i]} - int{clean.pixels[i]}));
  for (std::size_t i = 0; i < clean.pixels.size(); ++i) {
    const double change = shifted.pixels[i] - clean.pixels[i];
    out.picture.pixels[i] =
        static_cast<std::uint8_t>(128 + (out.largest == 0 ? 0 : std::lround(127 * change / out.largest)));
  }
  return out;
}

Pictures flip_pictures(const Assess& record, const std::vector<PictureSource>& sources,
                       const PageOptions& options) {
  Pictures out;
  const Images* clean = images_named(sources, "");
  for (const PictureSource& source : sources) require_channels(*source.images);
  if (clean == nullptr) return out;
  std::vector<Robustness> noise;
  for (const ModelUnderNoise& one : record.average_case) noise.push_back(one.found);
  out.samples = ranked_samples(noise, *clean, options);
  for (std::size_t r = 0; r < record.results.size(); ++r) {
    const AssessResult& result = record.results[r];
    const Images* shifted = images_named(sources, result.model + "/" + result.target);
    if (shifted == nullptr) shifted = images_named(sources, result.target);
    if (shifted == nullptr) continue;
    const auto shape = [](const Images& images) {
      return fmt::format("({}, {}, {})", images.channels(), images.height(), images.width());
    };
    if (shape(*clean) != shape(*shifted))
      refuse(shifted->path, fmt::format("images {} as in {}", shape(*clean), clean->path), shape(*shifted));
    for (std::size_t f = 0; f < std::min(flips_shown(record, options), result.flips.size()); ++f) {
      const std::size_t row = result.flips[f].row;
      require_row(*clean, row, options.record_name, "flips");
      require_row(*shifted, row, options.record_name, "flips");
      out.flips.push_back({r, row, small_picture(*clean, row), small_picture(*shifted, row)});
    }
  }
  return out;
}

Pictures sample_pictures(const AverageCase& record, const Images& images, const PageOptions& options) {
  require_channels(images);
  return {{}, ranked_samples({record.found}, images, options)};
}

}  // namespace leeway::tasks
