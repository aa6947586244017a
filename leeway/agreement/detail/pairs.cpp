#include "leeway/agreement/detail/pairs.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

#include "leeway/agreement/detail/kernel_rows.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t most_tiled_classes = 128;
constexpr std::size_t f64_tiles_bytes = std::size_t{8} << 20, tiles_bytes = std::size_t{256} << 20;

template <class T>
AlignedBlock<T> aligned_block(std::size_t count) {
  // Large blocks in large pages: faulting in small ones takes as long as filling them.
  constexpr std::size_t large = std::size_t{2} << 20;
  const std::size_t alignment = count * sizeof(T) >= 2 * large ? large : 64;
  const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
  auto* block = static_cast<T*>(std::aligned_alloc(alignment, std::max(bytes, alignment)));
  if (block == nullptr) throw std::bad_alloc();
  if (alignment == large) madvise(block, bytes, MADV_HUGEPAGE);
  return AlignedBlock<T>(block);
}

bool is_float(const Rows& rows) { return rows.type() == ElementType::f32; }

void check_shapes(const Rows& clean, const Rows& shifted, std::span<const std::int64_t> labels,
                  const Pairs::Names& names) {
  for (const auto& [rows, name] : {std::pair(&clean, &names.clean), std::pair(&shifted, &names.shifted)}) {
    if (rows->shape().size() != 2 || rows->shape()[0] < 1 || rows->shape()[1] < 2)
      refuse(*name, "logits of shape (n,k) with n >= 1 and k >= 2", rows->shape_text());
    if (rows->type() != ElementType::f32 && rows->type() != ElementType::f64)
      refuse(*name, "float32 or float64 logits", name_of(rows->type()));
  }
  if (clean.shape() != shifted.shape())
    refuse(names.shifted, fmt::format("logits of shape {} as in {}", clean.shape_text(), names.clean),
           shifted.shape_text());
  const std::size_t n = clean.shape()[0], k = clean.shape()[1];
  if (!labels.empty() && labels.size() != n)
    refuse("labels", fmt::format("{} labels", n), std::to_string(labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < -1 || labels[i] >= static_cast<std::int64_t>(k))
      refuse("labels", fmt::format("classes 0 to {}", k - 1), fmt::format("{} at row {}", labels[i], i));
}

void check_prior(std::span<const double> prior, std::size_t k) {
  if (prior.size() != k) refuse("prior", fmt::format("{} probabilities", k), prior.size());
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    if (!(prior[j] > 0))
      refuse("prior", "positive probabilities", fmt::format("{} of class {}", prior[j], j));
    sum += prior[j];
  }
  if (!(std::abs(sum - 1) <= 1e-6)) refuse("prior", "probabilities of sum 1", fmt::format("sum {}", sum));
}

}  // namespace

Pairs::Pairs(Rows clean, Rows shifted, std::span<const std::int64_t> labels, Names names,
             std::span<const double> prior)
    : clean_(std::move(clean)), shifted_(std::move(shifted)), names_(std::move(names)) {
  check_shapes(clean_, shifted_, labels, names_);
  n_ = clean_.shape()[0], k_ = clean_.shape()[1];
  most_ = std::log(static_cast<double>(k_));
  if (!prior.empty()) {
    check_prior(prior, k_);
    most_ = -std::log(*std::ranges::min_element(prior));
    for (const double p : prior) log_weights_.push_back(-most_ - std::log(p));
  }
  const bool floats = is_float(clean_) && is_float(shifted_);
  const std::size_t values = (n_ + tile_rows - 1) / tile_rows * tile_rows * 2 * k_;
  if (clean_.type() != shifted_.type()) {
    // One type for both keeps the kernel's table small; mixed files are rare.
    Rows& narrow = is_float(clean_) ? clean_ : shifted_;
    narrow = make_array(narrow.shape(), to_f64(narrow.joined(), names_.clean));
  }
  spreads_ = aligned_block<float>((n_ + tile_rows - 1) / tile_rows * tile_rows);
  if (k_ > most_tiled_classes) {
    layout_ = Layout::rows;
    maxima_ = aligned_block<double>(2 * n_);
  } else if (values * sizeof(double) <= (floats ? f64_tiles_bytes : tiles_bytes)) {
    layout_ = Layout::tiles_f64;
    tiles_ = aligned_block<double>(values);
  } else if (floats && values * sizeof(float) <= tiles_bytes) {
    layout_ = Layout::tiles_f32;
    float_tiles_ = aligned_block<float>(values);
    float_maxima_ = aligned_block<float>(values / k_);
  } else {
    layout_ = Layout::stream_tiles;
  }
  facts_ = reduce_chunks<Facts>(
      n_, chunk_rows, [&](std::size_t begin, std::size_t end) { return prepare_chunk(labels, begin, end); },
      [](Facts a, const Facts& b) { return a += b; });
}

Facts Pairs::prepare_chunk(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end) {
  const bool floats = is_float(clean_);
  Prepared prepared;
  if (layout_ == Layout::rows) {
    prepared = floats ? rows_of<float>(labels, begin, end) : rows_of<double>(labels, begin, end);
  } else {
    AlignedBlock<double> scratch;
    if (layout_ == Layout::tiles_f32) scratch = aligned_block<double>(tile_rows * 2 * k_);
    if (layout_ == Layout::stream_tiles) scratch = aligned_block<double>(chunk_rows * 2 * k_);
    double* const tiles = scratch ? scratch.get() : tiles_.get() + begin * 2 * k_;
    float* const spreads = spreads_.get() + begin;
    prepared = floats ? tiles_of<float>(labels, begin, end, tiles, spreads)
                      : tiles_of<double>(labels, begin, end, tiles, spreads);
  }
  if (prepared.refused) refuse(begin, end);
  return prepared.facts;
}

// Rows [begin, end) as tiles. An incomplete last tile repeats its last row: nothing beyond the file is read.
template <class T>
Prepared Pairs::tiles_of(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end,
                         double* tiles, float* spreads) const {
  std::vector<T> scratch[2];
  const T* clean = clean_.rows(begin, end, scratch[0]);
  const T* shifted = shifted_.rows(begin, end, scratch[1]);
  const std::size_t whole = (end - begin) / tile_rows * tile_rows, rest = end - begin - whole;
  const bool keep_raw = layout_ == Layout::tiles_f32;
  PrepareTiles<T> job{clean,   shifted, labels.empty() ? nullptr : labels.data() + begin,
                      whole,   k_,      tiles,
                      nullptr, nullptr, spreads};
  if (keep_raw) job.raw = float_tiles_.get() + begin * 2 * k_, job.maxima = float_maxima_.get() + begin * 2;
  Prepared prepared = prepare_tiles(job);
  if (rest == 0) return prepared;

  std::vector<T> copies[2];
  for (const auto& [copy, source] : {std::pair(&copies[0], clean), std::pair(&copies[1], shifted)})
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const T* row = source + (whole + std::min(r, rest - 1)) * k_;
      copy->insert(copy->end(), row, row + k_);
    }
  std::vector<std::int64_t> label_copies(tile_rows);
  if (!labels.empty()) std::copy_n(labels.data() + begin + whole, rest, label_copies.begin());
  PrepareTiles<T> last = job;
  last.clean = copies[0].data(), last.shifted = copies[1].data();
  if (!labels.empty()) last.labels = label_copies.data();
  last.rows = rest;
  last.spreads += whole;
  if (keep_raw)
    last.raw += whole * 2 * k_, last.maxima += whole * 2;
  else
    last.tiles += whole * 2 * k_;
  const Prepared tail = prepare_tiles(last);
  prepared.facts += tail.facts;
  prepared.refused |= tail.refused;
  return prepared;
}

template <class T>
Prepared Pairs::rows_of(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end) {
  Prepared all;
  std::vector<T> scratch[2];
  const T* clean = clean_.rows(begin, end, scratch[0]);
  const T* shifted = shifted_.rows(begin, end, scratch[1]);
  for (std::size_t i = begin; i < end; ++i, clean += k_, shifted += k_) {
    const PreparedRow one = prepare_row(clean, shifted, labels.empty() ? nullptr : labels.data() + i, k_);
    all.facts += one.row.facts;
    all.refused |= one.row.refused;
    maxima_[i] = one.max_clean;
    maxima_[n_ + i] = one.max_shifted;
    spreads_[i] = static_cast<float>(
        std::clamp(one.row.facts.spread * (1 + 1e-6), least_float_spread, most_float_spread));
  }
  return all;
}

void Pairs::refuse(std::size_t begin, std::size_t end) const {
  for (std::size_t row = begin; row < end; ++row)
    for (const auto& [rows, name] :
         {std::pair(&clean_, &names_.clean), std::pair(&shifted_, &names_.shifted)})
      for (std::size_t j = 0; j < k_; ++j) {
        const double value = rows->at(row, j);
        if (!(std::abs(value) < logit_limit))
          leeway::refuse(*name, "finite logits below 1e140",
                         fmt::format("{} at {}, class {}", value, rows->position_text(row), j));
      }
  throw std::logic_error("Pairs::refuse: no logit to refuse");
}

void Pairs::evaluate_chunk(std::span<const At> places, std::size_t begin, std::size_t end,
                           std::span<Moments> sums) const {
  if (!log_weights_.empty()) return evaluate_weighted(places, begin, end, sums);
  const std::size_t rows = end - begin;
  const bool floats = is_float(clean_);
  AlignedBlock<double> scratch;
  if (layout_ == Layout::stream_tiles) {
    alignas(64) float spreads[chunk_rows];
    scratch = aligned_block<double>(chunk_rows * 2 * k_);
    (void)(floats ? tiles_of<float>({}, begin, end, scratch.get(), spreads)
                  : tiles_of<double>({}, begin, end, scratch.get(), spreads));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const At at = places[i].from(begin);
    switch (layout_) {
      case Layout::tiles_f64:
        sums[i] += evaluate_tiles(tiles_.get() + begin * 2 * k_, rows, k_, at);
        break;
      case Layout::tiles_f32:
        sums[i] += evaluate_tiles(float_tiles_.get() + begin * 2 * k_, float_maxima_.get() + begin * 2, rows,
                                  k_, at);
        break;
      case Layout::rows:
        sums[i] +=
            floats ? evaluate_rows_of<float>(at, begin, rows) : evaluate_rows_of<double>(at, begin, rows);
        break;
      case Layout::stream_tiles:
        sums[i] += evaluate_tiles(scratch.get(), rows, k_, at);
    }
  }
}

void Pairs::evaluate_weighted(std::span<const At> places, std::size_t begin, std::size_t end,
                              std::span<Moments> sums) const {
  std::vector<double> x(2 * k_);
  for (std::size_t row = begin; row < end; ++row) {
    copy_row(row, x);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const At& at = places[i];
      const Moments m = moments_of(
          k_, at.beta, spreads_[row], [&](std::size_t j) { return x[j]; },
          [&](std::size_t j) { return x[k_ + j]; }, log_weights_);
      if (at.agreement != nullptr) at.agreement[row] = std::min(0., m.f1 - m.f2);
      sums[i] += m;
    }
  }
}

template <class T>
Moments Pairs::evaluate_rows_of(const At& at, std::size_t begin, std::size_t rows) const {
  std::vector<T> scratch[2];
  const T* clean = clean_.rows(begin, begin + rows, scratch[0]);
  const T* shifted = shifted_.rows(begin, begin + rows, scratch[1]);
  return evaluate_rows(clean, shifted, maxima_.get() + begin, maxima_.get() + n_ + begin, rows, k_, at);
}

At Pairs::at(double beta, Detail detail) const {
  At at;
  at.beta = beta;
  at.spreads = detail == Detail::slope ? nullptr : spreads_.get();
  at.squares = detail == Detail::squares;
  at.clamp = -beta * facts_.spread * log2_e < lowest_exponent;
  return at;
}

Moments Pairs::evaluate(double beta, Detail detail) const {
  const Request one{beta, detail};
  return evaluate(std::span(&one, 1)).front();
}

std::vector<Moments> Pairs::evaluate(std::span<const Request> requests) const {
  std::vector<Moments> all;
  constexpr std::size_t most = 12;  // places of a pass: what a chunk's sums have room for
  using Sums = std::array<Moments, most>;
  for (std::size_t first = 0; first < requests.size(); first += most) {
    const std::size_t count = std::min(most, requests.size() - first);
    std::array<At, most> places;
    for (std::size_t i = 0; i < count; ++i)
      places[i] = at(requests[first + i].beta, requests[first + i].detail);
    const Sums sums = reduce_chunks<Sums>(
        n_, chunk_rows,
        [&](std::size_t begin, std::size_t end) {
          Sums chunk;
          evaluate_chunk(std::span(places).first(count), begin, end, chunk);
          return chunk;
        },
        [count](Sums a, const Sums& b) {
          for (std::size_t i = 0; i < count; ++i) a[i] += b[i];
          return a;
        });
    all.insert(all.end(), sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const double n = static_cast<double>(n_);
  for (Moments& sum : all) {
    sum.f1 /= n, sum.d1 /= n, sum.f2 /= n, sum.d2 /= n, sum.squares /= n;
    for (std::size_t b = 0; b < bands; ++b)
      sum.c1[b] = std::max(0., sum.c1[b] / n), sum.c2[b] = std::max(0., sum.c2[b] / n);
  }
  return all;
}

void Pairs::copy_row(std::size_t row, std::span<double> x) const {
  const Rows* sets[] = {&clean_, &shifted_};
  for (std::size_t set = 0; set < 2; ++set) {
    const auto out = x.subspan(set * k_, k_);
    for (std::size_t j = 0; j < k_; ++j) out[j] = sets[set]->at(row, j);
    const double top = *std::max_element(out.begin(), out.end());
    for (double& value : out) value -= top;
  }
}

std::vector<double> Pairs::per_row(double beta) const {
  std::vector<double> a(n_);
  parallel_chunks(n_, chunk_rows, [&](std::size_t begin, std::size_t end) {
    if (std::isfinite(beta)) {
      At where = at(beta, Detail::slope);
      where.agreement = a.data();
      Moments ignored;
      evaluate_chunk(std::span(&where, 1), begin, end, std::span(&ignored, 1));
      return;
    }
    std::vector<double> x(2 * k_);
    for (std::size_t i = begin; i < end; ++i) {
      copy_row(i, x);
      a[i] = agreement_at_infinity(x.data(), x.data() + k_, k_, log_weights_);
    }
  });
  return a;
}

}  // namespace leeway::agreement
