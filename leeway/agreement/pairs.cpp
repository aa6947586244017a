#include "leeway/agreement/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "leeway/agreement/kernel_rows.h"
#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t most_tiled_classes = 128;
constexpr std::size_t f64_tiles_bytes = std::size_t{8} << 20, tiles_bytes = std::size_t{256} << 20;

template <class T>
AlignedBlock<T> aligned_block(std::size_t count) {
  constexpr std::size_t alignment = 64;
  const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
  auto* block = static_cast<T*>(std::aligned_alloc(alignment, std::max(bytes, alignment)));
  if (block == nullptr) throw std::bad_alloc();
  return AlignedBlock<T>(block);
}

bool is_float(const Array& array) { return array.type == ElementType::f32; }

void check_shapes(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
                  const Pairs::Names& names) {
  for (const auto& [array, name] : {std::pair(&clean, &names.clean), std::pair(&shifted, &names.shifted)}) {
    if (array->shape.size() != 2 || array->shape[0] < 1 || array->shape[1] < 2)
      throw Error(fmt::format("{}: expected logits of shape (n,k) with n >= 1 and k >= 2, found {}", *name,
                              array->shape_text()));
    if (array->type != ElementType::f32 && array->type != ElementType::f64)
      throw Error(fmt::format("{}: expected float32 or float64 logits, found {}", *name, name_of(array->type)));
  }
  if (clean.shape != shifted.shape)
    throw Error(fmt::format("{}: expected logits of shape {} as in {}, found {}", names.shifted, clean.shape_text(),
                            names.clean, shifted.shape_text()));
  if (!labels.empty() && labels.size() != clean.shape[0])
    throw Error(fmt::format("labels: expected {} of them, found {}", clean.shape[0], labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= clean.shape[1])
      throw Error(fmt::format("labels: expected classes 0 to {}, found {} at row {}", clean.shape[1] - 1, labels[i], i));
}

}  // namespace

Facts& Facts::operator+=(const Facts& other) {
  disagreeing += other.disagreeing;
  same_prediction += other.same_prediction;
  right += other.right;
  gap_sum += other.gap_sum;
  x_sum += other.x_sum;
  spread_sum += other.spread_sum;
  spread_both = std::max(spread_both, other.spread_both);
  spread_single = std::max(spread_single, other.spread_single);
  return *this;
}

Pairs::Pairs(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels, const Names& names)
    : clean_(&clean), shifted_(&shifted), names_(names) {
  check_shapes(clean, shifted, labels, names);
  n_ = clean.shape[0], k_ = clean.shape[1];
  const bool floats = is_float(clean) && is_float(shifted);
  const std::size_t values = (n_ + tile_rows - 1) / tile_rows * tile_rows * 2 * k_;
  if (clean.type != shifted.type) {
    // One type for both keeps the kernel's table small; mixed files are rare.
    widened_ = make_array(clean.shape, to_f64(is_float(clean) ? clean : shifted, names.clean));
    (is_float(clean) ? clean_ : shifted_) = &widened_;
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
  const bool floats = is_float(*clean_);
  if (layout_ == Layout::rows)
    return floats ? prepare_rows<float>(labels, begin, end) : prepare_rows<double>(labels, begin, end);
  return floats ? prepare_tiles<float>(labels, begin, end) : prepare_tiles<double>(labels, begin, end);
}

// Rows [begin, end) as one tile; rows of padding repeat nothing: they are zeros, and never counted.
template <class T>
void Pairs::fill_tile(double* tile, std::size_t begin, std::size_t end) const {
  const T* sources[] = {static_cast<const T*>(clean_->storage.get()) + begin * k_,
                        static_cast<const T*>(shifted_->storage.get()) + begin * k_};
  const std::size_t rows = end - begin;
  if (rows < tile_rows) std::fill_n(tile, 2 * k_ * tile_rows, 0.);
  for (const T* source : sources) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < k_; ++j) tile[j * tile_rows + r] = static_cast<double>(source[r * k_ + j]);
    tile += k_ * tile_rows;
  }
}

namespace {

void count(Facts& facts, const RowFacts& row, std::span<const std::int64_t> labels, std::size_t i) {
  facts.disagreeing += row.gap > 0;
  facts.same_prediction += row.argmax_clean == row.argmax_shifted;
  if (!labels.empty()) facts.right += static_cast<std::int64_t>(row.argmax_shifted) == labels[i];
  facts.gap_sum += row.gap;
  facts.x_sum += row.x_sum;
  facts.spread_sum += row.spread_clean + row.spread_shifted;
  facts.spread_both = std::max(facts.spread_both, row.spread_both);
  facts.spread_single = std::max({facts.spread_single, row.spread_clean, row.spread_shifted});
}

// R_i of kernel.h. The factor covers rounding to float32; what exceeds its range is larger than every band's edge anyway.
float rounded_up(const RowFacts& row) {
  const double spread = std::max({row.spread_both, row.spread_clean, row.spread_shifted}) * (1 + 1e-6);
  return static_cast<float>(std::min(spread, 1e38));
}

}  // namespace

template <class T>
Facts Pairs::prepare_tiles(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end) {
  Facts facts;
  RowFacts rows[tile_rows];
  AlignedBlock<double> scratch;
  if (layout_ != Layout::tiles_f64) scratch = aligned_block<double>(2 * k_ * tile_rows);
  for (std::size_t first = begin; first < end; first += tile_rows) {
    const std::size_t last = std::min(end, first + tile_rows);
    double* tile = scratch ? scratch.get() : tiles_.get() + first * 2 * k_;
    fill_tile<T>(tile, first, last);
    if (layout_ == Layout::tiles_f32)
      std::transform(tile, tile + 2 * k_ * tile_rows, float_tiles_.get() + first * 2 * k_,
                     [](double value) { return static_cast<float>(value); });
    prepare_tile(tile, k_, rows);
    for (std::size_t i = first; i < last; ++i) {
      const RowFacts& row = rows[i - first];
      if (row.check != 0) refuse(i, i + 1);
      count(facts, row, labels, i);
      spreads_[i] = rounded_up(row);
    }
    if (layout_ == Layout::tiles_f32)
      for (std::size_t r = 0; r < tile_rows; ++r) {
        float_maxima_[first * 2 + r] = static_cast<float>(rows[r].max_clean);
        float_maxima_[first * 2 + tile_rows + r] = static_cast<float>(rows[r].max_shifted);
      }
  }
  return facts;
}

template <class T>
Facts Pairs::prepare_rows(std::span<const std::int64_t> labels, std::size_t begin, std::size_t end) {
  Facts facts;
  const T* clean = static_cast<const T*>(clean_->storage.get());
  const T* shifted = static_cast<const T*>(shifted_->storage.get());
  for (std::size_t i = begin; i < end; ++i) {
    const RowFacts row = prepare_row(clean + i * k_, shifted + i * k_, k_);
    if (row.check != 0) refuse(i, i + 1);
    maxima_[i] = row.max_clean;
    maxima_[n_ + i] = row.max_shifted;
    count(facts, row, labels, i);
    spreads_[i] = rounded_up(row);
  }
  return facts;
}

void Pairs::refuse(std::size_t begin, std::size_t end) const {
  for (const auto& [array, name] : {std::pair(clean_, &names_.clean), std::pair(shifted_, &names_.shifted)})
    for (std::size_t i = begin * k_; i < end * k_; ++i) {
      const double value = is_float(*array) ? static_cast<double>(array->view<float>()[i]) : array->view<double>()[i];
      if (!(std::abs(value) < logit_limit))
        throw Error(fmt::format("{}: expected finite logits below 1e140, found {} at row {}, class {}", *name, value,
                                i / k_, i % k_));
    }
  throw std::logic_error("Pairs::refuse: no logit to refuse");
}

Moments Pairs::evaluate_chunk(const At& all, std::size_t begin, std::size_t end) const {
  const At at = all.from(begin);
  const std::size_t rows = end - begin;
  const bool floats = is_float(*clean_);
  switch (layout_) {
    case Layout::tiles_f64:
      return evaluate_tiles(tiles_.get() + begin * 2 * k_, rows, k_, at);
    case Layout::tiles_f32:
      return evaluate_tiles(float_tiles_.get() + begin * 2 * k_, float_maxima_.get() + begin * 2, rows, k_, at);
    case Layout::rows:
      return floats ? evaluate_rows(clean_->view<float>().data() + begin * k_,
                                    shifted_->view<float>().data() + begin * k_, maxima_.get() + begin,
                                    maxima_.get() + n_ + begin, rows, k_, at)
                    : evaluate_rows(clean_->view<double>().data() + begin * k_,
                                    shifted_->view<double>().data() + begin * k_, maxima_.get() + begin,
                                    maxima_.get() + n_ + begin, rows, k_, at);
    case Layout::stream_tiles:
      break;
  }
  const AlignedBlock<double> tiles = aligned_block<double>(chunk_rows * 2 * k_);
  RowFacts facts[tile_rows];
  for (std::size_t first = begin; first < end; first += tile_rows) {
    double* tile = tiles.get() + (first - begin) * 2 * k_;
    const std::size_t last = std::min(end, first + tile_rows);
    floats ? fill_tile<float>(tile, first, last) : fill_tile<double>(tile, first, last);
    prepare_tile(tile, k_, facts);
  }
  return evaluate_tiles(tiles.get(), rows, k_, at);
}

At Pairs::at(double beta, bool curvature) const {
  return {beta, curvature ? spreads_.get() : nullptr, -beta * facts_.spread_single * log2_e < lowest_exponent, nullptr};
}

Moments Pairs::evaluate(double beta, bool curvature) const {
  const At where = at(beta, curvature);
  Moments sum = reduce_chunks<Moments>(
      n_, chunk_rows, [&](std::size_t begin, std::size_t end) { return evaluate_chunk(where, begin, end); },
      [](Moments a, const Moments& b) { return a += b; });
  const double n = static_cast<double>(n_);
  sum.f1 /= n, sum.d1 /= n, sum.f2 /= n, sum.d2 /= n;
  for (std::size_t b = 0; b < bands; ++b) sum.c1[b] = std::max(0., sum.c1[b] / n), sum.c2[b] = std::max(0., sum.c2[b] / n);
  return sum;
}

void Pairs::copy_row(std::size_t row, std::span<double> x) const {
  const Array* sets[] = {clean_, shifted_};
  for (std::size_t set = 0; set < 2; ++set) {
    const auto out = x.subspan(set * k_, k_);
    for (std::size_t j = 0; j < k_; ++j)
      out[j] = is_float(*sets[set]) ? static_cast<double>(sets[set]->view<float>()[row * k_ + j])
                                    : sets[set]->view<double>()[row * k_ + j];
    const double top = *std::max_element(out.begin(), out.end());
    for (double& value : out) value -= top;
  }
}

std::vector<double> Pairs::per_row(double beta) const {
  std::vector<double> a(n_);
  parallel_for((n_ + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
    const std::size_t begin = chunk * chunk_rows, end = std::min(n_, begin + chunk_rows);
    if (std::isfinite(beta)) {
      At where = at(beta, false);
      where.agreement = a.data();
      (void)evaluate_chunk(where, begin, end);
      return;
    }
    std::vector<double> x(2 * k_);
    for (std::size_t i = begin; i < end; ++i) {
      copy_row(i, x);
      a[i] = agreement_at_infinity(x.data(), x.data() + k_, k_);
    }
  });
  return a;
}

}  // namespace leeway::agreement
