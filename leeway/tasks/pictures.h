// Pictures of samples for pages, small and as data URIs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leeway/io/images.h"

namespace leeway::tasks {

struct Assess;
struct AverageCase;

// A small picture: u8 values (c,h,w), c = 1 (grey) or 3 (RGB), values 0..255.
struct Picture {
  std::size_t channels = 1, height = 0, width = 0;
  std::vector<std::uint8_t> pixels;
};

// One flipped sample of results[result], before and after the shift; both of one shape.
struct FlipPicture {
  std::size_t result = 0, row = 0;
  Picture clean, shifted;
};

// The input of one row, as it is.
struct SamplePicture {
  std::size_t row = 0;
  Picture picture;
};

struct Pictures {
  std::vector<FlipPicture> flips;      // of an assessment
  std::vector<SamplePicture> samples;  // that average-case robustness ranks; each row once
};

// Where pictures come from. `name` is "" for the source, SHIFT, or MODEL/SHIFT for pictures of one model
// alone (adversarial examples). `images` is kept by pointer.
struct PictureSource {
  std::string name;
  const Images* images = nullptr;
};

struct PageOptions {
  std::string record_name = "record";   // what error messages call the record
  std::size_t flips_per_result = 8;     // shown; the record may hold more
  std::size_t picture_bytes = 1500000;  // of all pictures together, as they stand in the page
};

// The pictures of every flip shown whose clean and shifted image are both among `sources`, and of the
// source's images that average-case robustness ranks. Larger images are averaged down to at most 64 pixels a
// side. Error: a row beyond the images, clean and shifted shapes that differ, channels other than 1 and 3.
[[nodiscard]] Pictures flip_pictures(const Assess& record, const std::vector<PictureSource>& sources,
                                     const PageOptions& options = {});

// Pictures of the samples that average-case robustness ranks, strongest noise first; sizes and errors as
// above.
[[nodiscard]] Pictures sample_pictures(const AverageCase& record, const Images& images,
                                       const PageOptions& options = {});

// Of 1 or 3 channels, with all its pixels.
[[nodiscard]] bool complete(const Picture& picture);

// "data:image/png;base64,...". Deterministic for one version of libpng and zlib.
[[nodiscard]] std::string png_data_uri(const Picture& picture);

// What the shift did, pixel by pixel: middle grey where nothing changed, lighter where it added, darker where
// it took away; scaled so that the largest change of the picture is white or black. Both of one shape.
struct Difference {
  Picture picture;
  int largest = 0;  // largest absolute change, 0..255
};
[[nodiscard]] Difference difference(const Picture& clean, const Picture& shifted);

}  // namespace leeway::tasks
