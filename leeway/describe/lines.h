// Line charts with intervals: PA against the share of shifted samples, scores against checkpoints, means against noise.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/view.h"

namespace leeway {

struct LinePoint {
  double x = 0;
  Measured y;         // one without a value is a gap in the line
  std::string at;     // x in words
  std::string words;  // shown when the pointer rests on it, below the line's name
};

struct Line {
  std::string name;
  std::size_t slot = 0;  // colour, shape and dash, 0..series-1
  std::vector<LinePoint> points;
};

// A horizontal distance between two lines at height y.
struct Span {
  double from = 0, to = 0, y = 0;
  std::string text, words;  // beside it, and when the pointer rests on it
};

// An x that was chosen, marked over the whole height.
struct Pick {
  double x = 0;
  std::size_t slot = 0;
  std::string text;
};

struct LineAxes {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  std::vector<double> x_ticks = {};
  std::vector<std::string> x_names = {};  // of the ticks
  std::string x_title = {};
  bool percent = false;  // y is a share
  std::size_t height = 170;
  std::size_t name_length = 0;  // room for names of so many characters, so that charts below each other align
};

// Axes whose x counts from 1 to n, with some eight ticks, which have the names of what they count, or its number.
[[nodiscard]] LineAxes counted_axes(std::size_t n, const std::string& x_title,
                                    const std::vector<std::string>& names = {});

// An x axis with a tick at every value, ascending; logarithmic where the values are positive and span 20 times or
// more. position() is where a value stands on it.
struct ValueAxis {
  std::vector<double> values;
  bool logarithmic = false;
  [[nodiscard]] double position(double value) const;
  [[nodiscard]] LineAxes axes(const std::string& x_title) const;
};
[[nodiscard]] ValueAxis value_axis(std::vector<double> values);

// Axes of shares over x from 0 to `most`, with five ticks.
[[nodiscard]] LineAxes share_axes(double most, const std::string& x_title);

// Sets y_low and y_high to round numbers inside [least, most] that enclose all points and intervals.
[[nodiscard]] LineAxes fit_y(LineAxes axes, const std::vector<Line>& lines, double least, double most);

// At most `series` lines. Data set "points" has the fields line, at, y, low and high.
[[nodiscard]] Chart line_chart(const std::string& title, const std::string& note,
                               const std::vector<Line>& lines, const LineAxes& axes,
                               const std::vector<Span>& spans = {}, const std::vector<Pick>& picks = {});

// The same for any number of lines, in charts of `series` lines each.
[[nodiscard]] Blocks line_charts(const std::string& title, const std::string& note,
                                 const std::vector<Line>& lines, const LineAxes& axes);

// Line charts over noise strength (x); y from 0 to at most `most`. Empty for one sigma: tables suffice.
[[nodiscard]] Blocks sigma_charts(const std::string& title, const std::string& note, std::vector<Line> lines,
                                  const std::vector<double>& sigmas, double most);

}  // namespace leeway
