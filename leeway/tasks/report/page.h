// Any saved record as a view (describe/view.h), and its page (render/page.h).
//
// Long tables are cut and say so: the page of an assessment of up to 200 results is below 3 MB. Pictures take at
// most PageOptions::picture_bytes; further flips have none.
// Errors (Error: name, expected, found): an unknown schema, a value of another type than the schema's, a
// record without results; those of tasks/report/join.h. Deterministic.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leeway/core/json_fwd.h"
#include "leeway/describe/view.h"
#include "leeway/render/page.h"
#include "leeway/tasks/pictures.h"
#include "leeway/tasks/records.h"

namespace leeway::tasks {

// Of any saved record.
[[nodiscard]] View view(const Json& record, const Pictures& pictures = {}, const PageOptions& options = {});
// Saved records with their names for errors: one, or several of assess or of pa, joined (tasks/report/join.h).
// `sources` give the pictures of samples in assess and average-case; average-case: one unnamed source
// (Error).
[[nodiscard]] View view(const std::vector<std::pair<std::string, Json>>& records,
                        const std::vector<PictureSource>& sources, const PageOptions& options = {});

// The page of a record.
template <class... Arguments>
[[nodiscard]] std::string html_report(const Arguments&... arguments) {
  return render::page(view(arguments...));
}

}  // namespace leeway::tasks
