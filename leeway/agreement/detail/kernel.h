// One evaluation of the agreement objective over a block of rows, vectorized with Highway.
//
// With x' = F' - max F' and x'' = F'' - max F'' (per row) a row contributes
//   f1 = log P,             P  = sum_j exp(beta (x'_j + x''_j))
//   f2 = log Z' + log Z'',  Z' = sum_j exp(beta x'_j), Z'' likewise
// so a_i = f1 - f2, with f1 and f2 convex in beta; d and c are their first and second derivatives (Jiménez
// Rodríguez 2024, appendix A.2): means and variances under the products p'p'', and under p' and p''.
//
// Two layouts. Tiles, for few classes: `tile_rows` rows interleaved class by class, clean block first, so
// that a vector holds one class of several rows; the last tile is padded with zeros. Rows, for many classes:
// the row-major file, read in place. Accuracy: 1e-15 relative per exponential (beta x to 30), float64
// throughout. Rows whose P underflows are evaluated one by one with their own scale.
#pragma once

#include <cstddef>
#include <span>

namespace leeway::agreement {

inline constexpr std::size_t tile_rows = 16;

// Rows are grouped by their spread R_i, the largest max - min over classes of x', x'' or x' + x'', because a
// row's second derivatives change at most by a factor e^{R_i |t|} over a distance t, and few rows have a
// large spread. Band b holds the rows with beta R_i <= band_edges[b], the last band the rest.
inline constexpr std::size_t bands = 4;
inline constexpr double band_edges[bands - 1] = {8, 16, 64};

// Sums over rows; the second derivatives band by band.
struct Moments {
  double f1 = 0, d1 = 0;
  double f2 = 0, d2 = 0;
  double c1[bands] = {}, c2[bands] = {};
  double squares = 0;  // of a_i

  Moments& operator+=(const Moments& other);
};

// What an evaluation computes: values and slopes; also curvatures; also the squares of a_i.
enum class Detail { slope, curvature, squares };

struct Request {
  double beta = 0;
  Detail detail = Detail::curvature;
};

// Where and what to evaluate.
struct At {
  double beta = 0;
  const float* spreads = nullptr;  // R_i, rounded up; null: c1 and c2 are not wanted, and stay 0
  bool clamp = true;               // some beta x may lie below lowest_exponent (in powers of two)
  bool squares = false;            // wanted; 0 otherwise. Only with spreads
  double* agreement = nullptr;     // receives a_i for every row

  // The same for rows from `row` on.
  [[nodiscard]] At from(std::size_t row) const {
    return {beta, spreads == nullptr ? nullptr : spreads + row, clamp, squares,
            agreement == nullptr ? nullptr : agreement + row};
  }
};
inline constexpr double lowest_exponent = -490;

// Tiles of x' and x'' as float64.
[[nodiscard]] Moments evaluate_tiles(const double* tiles, std::size_t rows, std::size_t k, const At& at);

// Tiles of F' and F'' from a float32 file; maxima: per tile, tile_rows of max F', then of max F''.
[[nodiscard]] Moments evaluate_tiles(const float* tiles, const float* maxima, std::size_t rows, std::size_t k,
                                     const At& at);

// Row-major F' and F''; maxima_clean[i] = max F'(x_i).
[[nodiscard]] Moments evaluate_rows(const float* clean, const float* shifted, const double* maxima_clean,
                                    const double* maxima_shifted, std::size_t rows, std::size_t k,
                                    const At& at);
[[nodiscard]] Moments evaluate_rows(const double* clean, const double* shifted, const double* maxima_clean,
                                    const double* maxima_shifted, std::size_t rows, std::size_t k,
                                    const At& at);

// The limit of a_i at infinity for one row: log(s / (m' m'')), m' and m'' tied top classes that share s, or
// classes whose weights sum to s; `log_weights` (k) may be empty.
[[nodiscard]] double agreement_at_infinity(const double* x_clean, const double* x_shifted, std::size_t k,
                                           std::span<const double> log_weights = {});

// The sum of exp(beta x) over `count` values x <= 0 with the kernel's exponential: the baseline of bench/.
[[nodiscard]] double sum_of_exponentials(const double* x, std::size_t count, double beta);

}  // namespace leeway::agreement
