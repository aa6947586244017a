// The charts and tables of a page as files for papers: SVG, CSV and LaTeX.
//
// A table becomes SECTION-CAPTION.csv and .tex: every column with its full digits, an interval as three columns; in LaTeX the
// page's own digits, as a tabular of booktabs. A chart becomes SECTION-TITLE.csv, the numbers behind it, and .svg, drawn by Vega
// in the light colours on white; one with a choice is written once for each. Names are lower case words joined by "-"; the
// second of one name ends in "-2".
//
// Each file is written whole or not at all (core/file.h), and a page gives the same files again. Vega is JavaScript: SVG
// needs the program `node` on PATH; without it all else is written. Cost: milliseconds, and .3 s and 20 ms a chart for SVG.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace leeway::report {

struct Figures {
  std::vector<std::string> files;  // names in the folder, in the order of the page
  std::string missing;             // why there are no SVG files; empty where they are there
};

struct FiguresOptions {
  std::size_t width = 480;  // of an SVG, in pixels
};

// `page` is what html_report() made. The folder is made where it is not there. Errors: std::runtime_error where a file
// cannot be written or Vega fails.
Figures write_figures(const std::string& page, const std::filesystem::path& folder,
                      const FiguresOptions& options = {});

}  // namespace leeway::report
