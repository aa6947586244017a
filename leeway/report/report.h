// What every record shows, as a view (describe/view.h), and its page (render/page.h).
//
// Long tables are cut and say so: the page of an assessment of up to 200 results is below 3 MB. Pictures take at
// most Options::picture_bytes; further flips have none.
// Errors (Error: name, expected, found): an unknown schema, a value of another type than the schema's, a
// record without results; those of record/join.h. Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/json_fwd.h"
#include "leeway/describe/view.h"
#include "leeway/record/records.h"
#include "leeway/render/page.h"

namespace leeway::report {

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

struct Options {
  std::string record_name = "record";   // what error messages call the record
  std::size_t flips_per_result = 8;     // shown; the record may hold more
  std::size_t picture_bytes = 1500000;  // of all pictures together, as they stand in the page
};

// The pictures of every flip shown whose clean and shifted image are both among `sources`, and of the
// source's images that average-case robustness ranks. Larger images are averaged down to at most 64 pixels a
// side. Error: a row beyond the images, clean and shifted shapes that differ, channels other than 1 and 3.
[[nodiscard]] Pictures flip_pictures(const record::Assess& record, const std::vector<PictureSource>& sources,
                                     const Options& options = {});

// Pictures of the samples that average-case robustness ranks, strongest noise first; sizes and errors as
// above.
[[nodiscard]] Pictures sample_pictures(const record::AverageCase& record, const Images& images,
                                       const Options& options = {});

// What a record shows (describe/view.h); render/ draws it.
[[nodiscard]] View view(const record::Align& record);
[[nodiscard]] View view(const record::Adapt& record);
[[nodiscard]] View view(const record::CondsDraw& record);
[[nodiscard]] View view(const record::DataDiagvib& record);
[[nodiscard]] View view(const record::DataLoad& record);
[[nodiscard]] View view(const record::DataRender& record);
[[nodiscard]] View view(const record::Infer& record);
[[nodiscard]] View view(const record::Inspect& record);
[[nodiscard]] View view(const record::List& record);
[[nodiscard]] View view(const record::MvnCdf& record);
[[nodiscard]] View view(const record::Report& record);
[[nodiscard]] View view(const record::Shift& record);
[[nodiscard]] View view(const record::ShiftText& record);
[[nodiscard]] View view(const record::SweepCollect& record);
[[nodiscard]] View view(const record::SweepPlan& record);
[[nodiscard]] View view(const record::SweepRun& record);
[[nodiscard]] View view(const record::SweepStatus& record);
[[nodiscard]] View view(const record::Assess& record, const Pictures& pictures = {},
                        const Options& options = {});
[[nodiscard]] View view(const record::Attack& record);
[[nodiscard]] View view(const record::AverageCase& record, const Pictures& pictures = {},
                        const Options& options = {});
[[nodiscard]] View view(const record::Bound& record);
[[nodiscard]] View view(const record::BoundEvaluation& record);
[[nodiscard]] View view(const record::CondsDescribe& record);
[[nodiscard]] View view(const record::Corruptions& record);
[[nodiscard]] View view(const record::Distances& record);
[[nodiscard]] View view(const record::Pa& record);
[[nodiscard]] View view(const record::Select& record);
[[nodiscard]] View view(const record::SweepReport& record);
[[nodiscard]] View view(const record::Train& record);

// A member's name with its summary, needs, and parameters with ranges and defaults.
[[nodiscard]] Blocks member_terms(const record::ListedMember& member);

// Of any saved record.
[[nodiscard]] View view(const Json& record, const Pictures& pictures = {}, const Options& options = {});
// Saved records with their names for errors: one, or several of assess or of pa, joined (record/join.h).
// `sources` give the pictures of samples in assess and average-case; average-case: one unnamed source
// (Error).
[[nodiscard]] View view(const std::vector<std::pair<std::string, Json>>& records,
                        const std::vector<PictureSource>& sources, const Options& options = {});

// The page of a record.
template <class... Arguments>
[[nodiscard]] std::string html_report(const Arguments&... arguments) {
  return render::page(view(arguments...));
}

}  // namespace leeway::report
