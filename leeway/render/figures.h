// The charts and tables of a view as files for papers: SVG, CSV and LaTeX.
//
// A table becomes SECTION-CAPTION.csv and .tex. The CSV has all columns with full digits, an interval as
// three columns; the LaTeX file has the page's digits as a booktabs tabular. A chart becomes
// SECTION-TITLE.csv and .svg, drawn by Vega in the light colors on white; a chart with a choice gives a file
// for each. Names are lower-case words joined by "-"; a second file of one name ends in the first free of "-2",
// "-3", ....
//
// Each file is written whole or not at all (core/file.h); the same view gives the same files. SVG needs the
// program `node` on PATH and is skipped without it. Cost: milliseconds, plus .3 s and 20 ms per chart for
// SVG.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "leeway/describe/view.h"

namespace leeway::render {

struct Figures {
  std::vector<std::string> files;  // names in the folder, in the order of the view
  std::string missing;             // why there are no SVG files; empty where they are there
};

// Creates the folder. `claim` is called with every path before the first file is written;
// it throws where a path must not be written. std::runtime_error: a file cannot be written, Vega fails.
Figures write_figures(const View& view, const std::filesystem::path& folder,
                      const std::function<void(const std::filesystem::path&)>& claim = {});

}  // namespace leeway::render
