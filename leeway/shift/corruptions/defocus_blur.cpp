// x' = x correlated with a disc: cells of a grid with i^2 + j^2 <= r^2, divided by their number, then smoothed by a Gaussian of
// deviation `alias` over 3 x 3 cells (5 x 5 where r > 8). The picture goes on mirrored, without its border pixel.
//
// A radius that was scaled to the picture's size is no whole number of halves any more, and the disc would jump: then a cell
// counts as the share of its 8 x 8 parts that lie in the disc. `alias` is not scaled.
//
// Source: Hendrycks and Dietterich, ICLR 2019; constants of the authors' programs. Theirs smooth on a grid that a disc of radius
// 8 or 10 fills to its edge and mirror it there; here the grid is wide enough, and the weights sum to 1.
#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/shift/corruption.h"
#include "leeway/shift/detail/filter.h"

namespace leeway::shift {
namespace {

struct Constants {
  double radius = 0, alias = 0;
};
constexpr std::array<std::array<Constants, 5>, 3> constants{{
    {{{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}}},
    {{{.5, .6}, {1, .1}, {1.5, .1}, {2.5, .01}, {3, .1}}},
    {{{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}}},
}};

// The share of the cell at (i,j) that lies in the disc.
double share_of_cell(double i, double j, double radius) {
  constexpr int parts = 8;
  int inside = 0;
  for (int a = 0; a < parts; ++a)
    for (int b = 0; b < parts; ++b) {
      const double y = i + (a + .5) / parts - .5, x = j + (b + .5) / parts - .5;
      if (y * y + x * x <= radius * radius) ++inside;
    }
  return inside / static_cast<double>(parts * parts);
}

class Disc {
 public:
  void set(double radius, double alias, bool scaled) {
    if (radius == radius_ && alias == alias_ && scaled == scaled_) return;
    radius_ = radius, alias_ = alias, scaled_ = scaled;
    const auto reach = static_cast<std::size_t>(std::floor(radius + .5));  // of cells that the disc may touch
    const std::size_t smoothed = radius > 8 ? 2 : 1, middle = reach + smoothed;
    side = 2 * middle + 1;
    std::vector<double> cells(side * side, 0);
    double sum = 0;
    for (std::size_t i = smoothed; i + smoothed < side; ++i)
      for (std::size_t j = smoothed; j + smoothed < side; ++j) {
        const double y = static_cast<double>(i) - static_cast<double>(middle);
        const double x = static_cast<double>(j) - static_cast<double>(middle);
        const double share = scaled                             ? share_of_cell(y, x, radius)
                             : y * y + x * x <= radius * radius ? 1.
                                                                : 0.;
        sum += cells[i * side + j] = share;
      }
    if (sum == 0) sum = cells[middle * side + middle] = 1;  // smaller than a part
    for (double& cell : cells) cell /= sum;
    const std::vector<double> weights = smoothing(smoothed, alias);
    smooth(cells, side, weights);
    smooth(cells, 1, weights);
    values.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      values[i] = cells[i] < 1e-12 ? 0.f : static_cast<float>(cells[i]);
  }

  std::size_t side = 0;
  std::vector<float> values;

 private:
  static std::vector<double> smoothing(std::size_t reach, double sigma) {
    std::vector<double> weights(2 * reach + 1);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double distance = (static_cast<double>(i) - static_cast<double>(reach)) / sigma;
      sum += weights[i] = std::exp(-distance * distance / 2);
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  // Along the axis whose neighbours are `step` apart; cells so near to the edge that the weights leave the grid are empty.
  void smooth(std::vector<double>& cells, std::size_t step, const std::vector<double>& weights) const {
    const std::size_t reach = weights.size() / 2;
    std::vector<double> out(cells.size(), 0);
    for (std::size_t from = 0; from < cells.size(); ++from) {
      if (cells[from] == 0) continue;
      for (std::size_t k = 0; k < weights.size(); ++k)
        out[from + k * step - reach * step] += weights[k] * cells[from];
    }
    cells.swap(out);
  }

  double radius_ = -1, alias_ = 0;
  bool scaled_ = false;
};

void change(const CorruptedPicture& picture, const CorruptionSetting& setting, Random&) {
  thread_local Disc disc;
  const Constants& own = setting.of(constants);
  disc.set(own.radius * setting.scale.lengths, own.alias, setting.scale.lengths != 1);
  for (std::size_t c = 0; c < picture.channels; ++c)
    correlate(picture.plane(c), picture.height, picture.width, disc.values, disc.side);
}

}  // namespace

Corruption corrupt_defocus_blur() {
  return {{"defocus-blur", "convolution with a disc", "Hendrycks and Dietterich, ICLR 2019"},
          CorruptionGroup::blur,
          change};
}

}  // namespace leeway::shift
