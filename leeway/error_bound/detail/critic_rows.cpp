#include "leeway/error_bound/detail/critic_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t critic_rows_block_rows = 256, made_rows = 1024;
constexpr double critic_rows_farthest = 1e18;  // squares of gradients stay numbers in float32

// Few chunks: components hold a (d,d) matrix each, all of them at most half a gigabyte.
std::size_t critic_rows_chunk_rows(std::size_t n, std::size_t d) {
  const std::size_t chunks = std::clamp<std::size_t>((std::size_t{1} << 26) / (d * d), 1, 8);
  const std::size_t rows = std::max(critic_rows_block_rows, (n + chunks - 1) / chunks);
  return (rows + critic_rows_block_rows - 1) / critic_rows_block_rows * critic_rows_block_rows;
}

// The representation of some rows.
class Reader {
 public:
  Reader(const Rows& values, const Dense<double>* basis) : values_(values), basis_(basis) {}

  [[nodiscard]] std::size_t columns() const { return basis_ ? basis_->columns : values_.shape()[1]; }

  // Row after row.
  [[nodiscard]] std::vector<double> read(std::span<const std::size_t> rows) const {
    std::vector<double> block = to_f64(values_.take(rows), "features");
    return basis_ ? times({block.data(), rows.size(), values_.shape()[1]}, *basis_) : block;
  }

 private:
  Rows values_;
  const Dense<double>* basis_;
};

// Rows, mean and sum of squared deviations of columns; joined as Chan, Golub and LeVeque (1983) do.
struct Moments {
  double n = 0;
  ColumnMoments columns;
};

Moments joined(Moments a, const Moments& b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  const double n = a.n + b.n;
  for (std::size_t j = 0; j < a.columns.mean.size(); ++j) {
    const double apart = b.columns.mean[j] - a.columns.mean[j];
    a.columns.squares[j] += b.columns.squares[j] + apart * apart * (a.n * b.n / n);
    a.columns.mean[j] += apart * (b.n / n);
  }
  a.n = n;
  return a;
}

Moments moments_of(const Reader& reader, std::span<const std::size_t> rows) {
  return reduce_chunks<Moments>(
      rows.size(), critic_rows_block_rows,
      [&](std::size_t begin, std::size_t end) {
        const std::vector<double> block = reader.read(rows.subspan(begin, end - begin));
        return Moments{static_cast<double>(end - begin),
                       column_moments({block.data(), end - begin, reader.columns()})};
      },
      joined);
}

Dense<double> components_of(const Reader& reader, std::span<const std::size_t> rows, std::size_t count) {
  const std::size_t d = reader.columns();
  const Dense<double> gram = reduce_chunks<Dense<double>>(
      rows.size(), critic_rows_chunk_rows(rows.size(), d),
      [&](std::size_t begin, std::size_t end) {
        Dense<double> part(d, d);
        for (; begin < end; begin += critic_rows_block_rows) {
          const std::size_t n = std::min(critic_rows_block_rows, end - begin);
          const std::vector<double> block = reader.read(rows.subspan(begin, n));
          add_gram(part, {block.data(), n, d});
        }
        return part;
      },
      [](Dense<double> a, const Dense<double>& b) {
        std::ranges::transform(a.values, b.values, a.values.begin(), std::plus<>{});
        return a;
      });
  return symmetric_eigen(gram, count).vectors;
}

// What rows are made of, by whoever holds it.
struct Making {
  Reader reader;
  std::vector<std::int32_t> predictions;
  std::vector<std::size_t> holdout;
};

// sqrt(2) cos(W x + b) of standardized rows x.
class FourierColumns {
 public:
  FourierColumns() = default;
  FourierColumns(std::size_t d, std::uint64_t seed) : weights_(d, kernel_columns), phases_(kernel_columns) {
    Random random(seed, stream("kernel critics"));
    for (std::size_t f = 0; f < kernel_columns; ++f) {
      const double deviation = std::ldexp(.5, static_cast<int>(f % 4)) / std::sqrt(static_cast<double>(d));
      for (std::size_t j = 0; j < d; ++j) weights_(j, f) = deviation * random.normal();
      phases_[f] = 2 * std::numbers::pi * random.uniform();
    }
  }

  [[nodiscard]] std::size_t count() const { return phases_.size(); }

  // Row after row.
  [[nodiscard]] std::vector<double> of(const RowMajor<double>& x) const {
    std::vector<double> values = times(x, weights_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::numbers::sqrt2 * std::cos(values[i] + phases_[i % phases_.size()]);
    return values;
  }

 private:
  Dense<double> weights_;
  std::vector<double> phases_;
};

struct Made {
  Dense<double> basis;
  FourierColumns fourier;
  std::optional<Making> source, target;
  std::vector<double> centre, scale;
  std::size_t k = 0;

  // Of the rows that `from_source` and `from_target` name.
  [[nodiscard]] CriticRows rows(std::span<const std::size_t> from_source,
                                std::span<const std::size_t> from_target) const;

  // Rows [begin, end) of those held out.
  [[nodiscard]] CriticRows held_out(std::size_t begin, std::size_t end) const {
    const std::size_t n = source->holdout.size();
    const std::span<const std::size_t> first = source->holdout, second = target->holdout;
    const std::size_t from = std::max(begin, n) - n;
    return rows(first.subspan(std::min(begin, n), std::min(end, n) - std::min(begin, n)),
                second.subspan(from, std::max(end, n) - n - from));
  }
};

CriticRows Made::rows(std::span<const std::size_t> from_source,
                      std::span<const std::size_t> from_target) const {
  const std::size_t d = centre.size() - fourier.count();
  CriticRows rows(from_source.size(), from_target.size(), centre.size(), k);
  std::size_t first = 0;
  const auto add = [&](const Making& part, std::span<const std::size_t> wanted) {
    parallel_chunks(wanted.size(), critic_rows_block_rows, [&](std::size_t begin, std::size_t end) {
      std::vector<double> block = part.reader.read(wanted.subspan(begin, end - begin)), more;
      for (std::size_t i = 0; i < block.size(); ++i)
        block[i] = std::clamp((block[i] - centre[i % d]) / scale[i % d], -critic_rows_farthest,
                              critic_rows_farthest);
      if (fourier.count() > 0) more = fourier.of({block.data(), end - begin, d});
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < d; ++j)
          rows.at_row(first + i, j) = static_cast<float>(block[(i - begin) * d + j]);
        for (std::size_t f = 0; f < fourier.count(); ++f)
          rows.at_row(first + i, d + f) = static_cast<float>(more[(i - begin) * fourier.count() + f]);
        rows.y[first + i] = part.predictions[wanted[i]];
      }
    });
    first += wanted.size();
  };
  add(*source, from_source);
  add(*target, from_target);
  return rows;
}

Rows values_of(const Sample& sample, const Representation& representation) {
  if (representation.kind == Representation::Kind::logits) return sample.logits;
  if (!sample.features) refuse(sample.name, "features, which the critics are set to use", "none");
  if (sample.features->shape[1] == 0) refuse(sample.name, "at least 1 column of features", "none");
  return *sample.features;
}

// Of the representation, of d columns; those of kernel critics are not counted.
std::size_t linear_columns(const Sample& source, const Representation& representation, std::size_t d) {
  if (representation.kind != Representation::Kind::pca) return d;
  const std::size_t count = representation.components == 0 && representation.fraction > 0
                                ? d / representation.fraction
                                : representation.components;
  if (count < 1 || count > d) refuse(source.name, fmt::format("1 to {} principal components", d), count);
  return count;
}

constexpr std::size_t least_cap = 65536, rows_a_parameter = 64, most_training_floats = std::size_t{1} << 27;

// At most `most` of the rows, evenly spread.
void thin(std::vector<std::size_t>& rows, std::size_t most) {
  const std::size_t n = rows.size();
  if (n <= most) return;
  for (std::size_t i = 0; i < most; ++i) rows[i] = rows[i * n / most];
  rows.resize(most);
}

std::size_t most_training_rows(const Dis2Options& options, std::size_t columns, std::size_t k) {
  if (options.most_training > 0) return options.most_training;
  return std::max(least_cap,
                  std::min(rows_a_parameter * (columns + 1) * k, most_training_floats / (columns + 1)));
}

std::size_t training_rows(const Sample& sample, const Dis2Options& options, std::size_t columns) {
  if (options.holdout == 0) return sample.n();
  return std::min(
      static_cast<std::size_t>(std::ceil((1 - options.holdout) * static_cast<double>(sample.n()))),
      most_training_rows(options, columns, sample.k()));
}

// Centre and scale of columns, by the training rows of both sets.
void standardise(Made& made, const CriticData& data) {
  const Moments all = joined(moments_of(made.source->reader, data.source.training),
                             moments_of(made.target->reader, data.target.training));
  for (std::size_t j = 0; j < all.columns.mean.size(); ++j) {
    const double deviation = std::sqrt(all.columns.squares[j] / all.n);
    made.centre[j] = all.columns.mean[j];
    // What rounding leaves of a constant is no deviation.
    if (deviation > 1e-14 * std::abs(all.columns.mean[j])) made.scale[j] = deviation;
  }
}

}  // namespace

Split split_rows(const Sample& sample, double holdout, std::span<const std::int64_t> classes,
                 std::uint64_t seed, std::string_view purpose) {
  const std::size_t n = sample.n();
  std::vector<std::size_t> order = all_rows(n);
  if (holdout == 0) return {order, order};
  if (n < 2) refuse(sample.name, "at least 2 rows, to hold some out", n);
  shuffle(order, seed, stream(purpose));
  if (!classes.empty()) std::ranges::stable_sort(order, {}, [&](std::size_t row) { return classes[row]; });
  const auto wanted = static_cast<std::size_t>(std::llround(holdout * static_cast<double>(n)));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, n - 1);
  Split split;
  for (std::size_t i = 0; i < n; ++i)  // evenly spread over the order, hence over the classes
    ((i + 1) * count / n > i * count / n ? split.holdout : split.training).push_back(order[i]);
  std::ranges::sort(split.holdout);
  std::ranges::sort(split.training);
  return split;
}

std::vector<std::uint8_t> agreeing_rows(const HeldOutRows& rows, std::span<const float> theta,
                                        std::size_t end) {
  if (rows.kept) {
    std::vector<std::uint8_t> agreed = agreeing_rows(*rows.kept, theta);
    agreed.resize(end);
    return agreed;
  }
  std::vector<std::uint8_t> agreed(end);
  parallel_chunks(end, made_rows, [&](std::size_t from, std::size_t to) {
    std::ranges::copy(agreeing_rows(rows.make(from, to), theta),
                      agreed.begin() + static_cast<std::ptrdiff_t>(from));
  });
  return agreed;
}

std::string out_of_reach(const Sample& source, const Sample& target, const Dis2Options& options) {
  const std::size_t d = values_of(source, options.representation).shape()[1], k = source.k(),
                    columns = linear_columns(source, options.representation, d) +
                              (options.representation.kernel ? kernel_columns : 0);
  const bool components = options.representation.kind == Representation::Kind::pca;
  if (components && d > most_component_features)
    return fmt::format("{}: principal components of {} features; at most {} are searched for", source.name, d,
                       most_component_features);
  const double parameters = static_cast<double>(k) * static_cast<double>(columns + 1);
  if (parameters > static_cast<double>(most_critic_parameters))
    return fmt::format(
        "{}: a critic of {} classes on {} columns has {:.0f} parameters; at most {} fit in memory",
        source.name, k, columns, parameters, most_critic_parameters);
  const auto rows =
      static_cast<double>(training_rows(source, options, columns) + training_rows(target, options, columns));
  const double products = passes_a_restart * 2 * rows * parameters * static_cast<double>(options.restarts);
  if (products <= most_critic_products) return "";
  return fmt::format(
      "{}: {} critics of {:.0f} parameters on {:.0f} rows take {:.0e} multiplications, more than {:.0e}; "
      "train them on fewer rows, or use fewer restarts",
      source.name, options.restarts, parameters, rows, products, most_critic_products);
}

CriticData critic_data(const Sample& source, const Sample& target, const Dis2Options& options,
                       Scaling scaling, std::size_t most_kept) {
  const Rows source_values = values_of(source, options.representation),
             target_values = values_of(target, options.representation);
  const bool components = options.representation.kind == Representation::Kind::pca;
  const std::size_t d = linear_columns(source, options.representation, source_values.shape()[1]),
                    columns = d + (options.representation.kernel ? kernel_columns : 0);
  if (const std::string reason = out_of_reach(source, target, options); !reason.empty()) throw Error(reason);
  CriticData data;
  data.source = split_rows(source, options.holdout,
                           options.stratified ? std::span(source.labels) : std::span<const std::int64_t>(),
                           options.seed, "source split");
  data.target = split_rows(target, options.holdout, {}, options.seed, "target split");
  if (options.holdout > 0) {
    const std::size_t most = most_training_rows(options, columns, source.k());
    thin(data.source.training, most);
    thin(data.target.training, most);
  }

  const auto made = std::make_shared<Made>();
  if (components) made->basis = components_of(Reader(source_values, nullptr), data.source.training, d);
  const Dense<double>* const basis = components ? &made->basis : nullptr;
  made->source =
      Making{Reader(source_values, basis), predicted_classes(source.logits, source.n()), data.source.holdout};
  made->target =
      Making{Reader(target_values, basis), predicted_classes(target.logits, target.n()), data.target.holdout};
  made->k = source.k();
  made->centre.assign(columns, 0);
  made->scale.assign(columns, 1);
  if (scaling == Scaling::standard) standardise(*made, data);
  if (options.representation.kernel) made->fourier = FourierColumns(d, options.seed);

  data.centre = made->centre, data.scale = made->scale;
  data.training = made->rows(data.source.training, data.target.training);
  data.holdout.n_source = data.source.holdout.size(), data.holdout.n_target = data.target.holdout.size();
  for (const Making* part : {&*made->source, &*made->target})
    for (const std::size_t row : part->holdout) data.holdout.y.push_back(part->predictions[row]);
  if (components || options.representation.kernel || data.holdout.n() * (columns + 1) <= most_kept)
    data.holdout.kept = made->held_out(0, data.holdout.n());
  else
    data.holdout.make = [made](std::size_t begin, std::size_t end) { return made->held_out(begin, end); };
  return data;
}

}  // namespace leeway::error_bound
