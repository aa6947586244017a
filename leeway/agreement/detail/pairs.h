// Clean and shifted logits, checked and laid out for the kernel, with all facts that do not depend on beta.
// Layouts (kernel.h): tiles in memory while small (x as float64 up to 8 MB, float32 logits up to 256 MB);
// larger arrays, and more than 128 classes, are read in place, so a memory-mapped file is never copied.
// With a prior rows are evaluated one by one, without vectors.
// Errors (Error): as posterior_agreement, and |logit| >= 1e140, whose squares would overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/detail/kernel.h"
#include "leeway/agreement/detail/prepare.h"
#include "leeway/core/rows.h"

namespace leeway::agreement {

// Uninitialised memory, aligned for vectors.
template <class T>
struct FreeBlock {
  void operator()(T* block) const { std::free(block); }
};
template <class T>
using AlignedBlock = std::unique_ptr<T[], FreeBlock<T>>;

class Pairs {
 public:
  struct Names {
    std::string clean, shifted;
  };
  // `prior` of the classes, or empty: uniform.
  Pairs(Rows clean, Rows shifted, std::span<const std::int64_t> labels, Names names,
        std::span<const double> prior = {});

  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] std::size_t k() const { return k_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }

  // log w_j = log(min p / p_j); empty for the uniform prior, which has w_j = 1.
  [[nodiscard]] const std::vector<double>& log_weights() const { return log_weights_; }
  // The largest PA: log k, with a prior -log min p.
  [[nodiscard]] double most() const { return most_; }

  // Means over rows at beta >= 0; what `detail` does not request is 0. Same bits for any number of threads.
  [[nodiscard]] Moments evaluate(double beta, Detail detail = Detail::curvature) const;

  // The same for several betas in one pass over the logits.
  [[nodiscard]] std::vector<Moments> evaluate(std::span<const Request> requests) const;

  // x' and x'' of one row, 2k values.
  void copy_row(std::size_t row, std::span<double> x) const;

  // a_i(beta) for every row; beta may be infinity.
  [[nodiscard]] std::vector<double> per_row(double beta) const;

 private:
  enum class Layout { tiles_f64, tiles_f32, stream_tiles, rows };
  static constexpr std::size_t chunk_rows = 512;

  [[nodiscard]] Facts prepare_chunk(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end);
  template <class T>
  [[nodiscard]] Prepared tiles_of(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end,
                                  double* tiles, float* spreads) const;
  template <class T>
  [[nodiscard]] Prepared rows_of(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end);
  template <class T>
  [[nodiscard]] Moments evaluate_rows_of(const At& at, std::size_t begin, std::size_t rows) const;
  // Adds rows [begin, end) at each place to its sum.
  void evaluate_chunk(std::span<const At> places, std::size_t begin, std::size_t end,
                      std::span<Moments> sums) const;
  void evaluate_weighted(std::span<const At> places, std::size_t begin, std::size_t end,
                         std::span<Moments> sums) const;
  [[nodiscard]] At at(double beta, Detail detail) const;
  [[noreturn]] void refuse(std::size_t begin, std::size_t end) const;

  std::size_t n_ = 0, k_ = 0;
  Rows clean_, shifted_;
  Names names_;
  Layout layout_;
  AlignedBlock<double> tiles_, maxima_;  // maxima_: rows layout, n of max F', then n of max F''
  AlignedBlock<float> float_tiles_, float_maxima_, spreads_;
  Facts facts_;
  std::vector<double> log_weights_;
  double most_ = 0;
};

}  // namespace leeway::agreement
