#include "leeway/error_bound/critic_rows.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::error_bound {
namespace {

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t block_rows = 256;
constexpr double farthest = 1e18;  // squares of gradients stay numbers in float32

std::size_t chunk_rows(std::size_t n) {
  const std::size_t rows = std::max(block_rows, (n + 7) / 8);  // few: components hold a (d,d) matrix each
  return (rows + block_rows - 1) / block_rows * block_rows;
}

// The representation of some rows.
class Reader {
 public:
  Reader(const Array& values, const Eigen::MatrixXd* basis) : values_(values), basis_(basis) {}

  [[nodiscard]] std::size_t columns() const {
    return basis_ ? static_cast<std::size_t>(basis_->cols()) : values_.shape[1];
  }

  [[nodiscard]] Block read(std::span<const std::size_t> rows) const {
    const std::size_t d = values_.shape[1];
    Block block(rows.size(), d);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double* out = block.data() + i * d;
      if (values_.type == ElementType::f32)
        std::copy_n(values_.view<float>().data() + rows[i] * d, d, out);
      else
        std::copy_n(values_.view<double>().data() + rows[i] * d, d, out);
    }
    if (basis_) return block * *basis_;
    return block;
  }

 private:
  const Array& values_;
  const Eigen::MatrixXd* basis_;
};

// Rows, mean and sum of squared deviations of columns; joined as Chan, Golub and LeVeque (1983) do.
struct Moments {
  double n = 0;
  Eigen::VectorXd mean, squares;
};

Moments joined(Moments a, const Moments& b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  const double n = a.n + b.n;
  const Eigen::VectorXd apart = b.mean - a.mean;
  a.squares += b.squares + apart.cwiseProduct(apart) * (a.n * b.n / n);
  a.mean += apart * (b.n / n);
  a.n = n;
  return a;
}

Moments moments_of(const Reader& reader, std::span<const std::size_t> rows) {
  return reduce_chunks<Moments>(
      rows.size(), block_rows,
      [&](std::size_t begin, std::size_t end) {
        const Block block = reader.read(rows.subspan(begin, end - begin));
        Moments m{static_cast<double>(end - begin), block.colwise().mean(), {}};
        m.squares = (block.rowwise() - m.mean.transpose()).colwise().squaredNorm();
        return m;
      },
      joined);
}

Eigen::MatrixXd components_of(const Reader& reader, std::span<const std::size_t> rows, std::size_t count) {
  const auto d = static_cast<Eigen::Index>(reader.columns());
  const Eigen::MatrixXd gram = reduce_chunks<Eigen::MatrixXd>(
      rows.size(), chunk_rows(rows.size()),
      [&](std::size_t begin, std::size_t end) {
        Eigen::MatrixXd part = Eigen::MatrixXd::Zero(d, d);
        for (; begin < end; begin += block_rows) {
          const Block block = reader.read(rows.subspan(begin, std::min(block_rows, end - begin)));
          part.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
        }
        return part;
      },
      [](Eigen::MatrixXd a, const Eigen::MatrixXd& b) { return a += b; });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  return solver.eigenvectors().rightCols(static_cast<Eigen::Index>(count));
}

struct Part {
  const Reader& reader;
  std::span<const std::size_t> rows;
  const std::vector<std::int32_t>& predictions;
};

CriticRows rows_of(const Part& source, const Part& target, const CriticData& data, std::size_t k) {
  CriticRows rows;
  rows.n_source = source.rows.size(), rows.n_target = target.rows.size();
  rows.d = source.reader.columns(), rows.width = (rows.d + 8) / 8 * 8, rows.k = k;
  rows.x.resize(rows.n() * rows.width);
  rows.y.resize(rows.n());
  std::size_t first = 0;
  for (const Part* part : {&source, &target}) {
    parallel_for((part->rows.size() + block_rows - 1) / block_rows, [&](std::size_t b) {
      const std::size_t begin = b * block_rows, end = std::min(part->rows.size(), begin + block_rows);
      const Block block = part->reader.read(part->rows.subspan(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        float* x = rows.x.data() + (first + i) * rows.width;
        for (std::size_t j = 0; j < rows.d; ++j)
          x[j] = static_cast<float>(
              std::clamp((block.data()[(i - begin) * rows.d + j] - data.centre[j]) / data.scale[j], -farthest,
                         farthest));
        x[rows.d] = 1;
        rows.y[first + i] = part->predictions[part->rows[i]];
      }
    });
    first += part->rows.size();
  }
  return rows;
}

const Array& values_of(const Sample& sample, const Representation& representation) {
  if (representation.kind == Representation::Kind::logits) return sample.logits;
  if (!sample.features) refuse(sample.name, "features, which the critics were asked to use", "none");
  if (sample.features->shape[1] == 0) refuse(sample.name, "at least 1 column of features", "none");
  return *sample.features;
}

// Of what critics see, d columns before.
std::size_t column_count(const Sample& source, const Representation& representation, std::size_t d) {
  if (representation.kind != Representation::Kind::pca) return d;
  const std::size_t count = representation.components == 0 && representation.fraction > 0
                                ? d / representation.fraction
                                : representation.components;
  if (count < 1 || count > d)
    refuse(source.name, fmt::format("1 to {} principal components", d), fmt::format("{}", count));
  return count;
}

}  // namespace

Split split_rows(const Sample& sample, double holdout, std::span<const std::int64_t> classes,
                 std::uint64_t seed, std::string_view purpose) {
  const std::size_t n = sample.n();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (holdout == 0) return {order, order};
  if (n < 2) refuse(sample.name, "at least 2 rows, to hold some out", fmt::format("{}", n));
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

std::vector<std::int32_t> predictions(const Sample& sample) {
  const std::size_t k = sample.k();
  std::vector<std::int32_t> classes(sample.n());
  const auto fill = [&](const auto* values) {
    parallel_for((sample.n() + block_rows - 1) / block_rows, [&](std::size_t b) {
      for (std::size_t i = b * block_rows; i < std::min(sample.n(), (b + 1) * block_rows); ++i)
        classes[i] = static_cast<std::int32_t>(std::max_element(values + i * k, values + (i + 1) * k) -
                                               (values + i * k));
    });
  };
  if (sample.logits.type == ElementType::f32)
    fill(sample.logits.view<float>().data());
  else
    fill(sample.logits.view<double>().data());
  return classes;
}

namespace {

constexpr std::size_t least_cap = 65536, rows_a_parameter = 64;

// At most `most` of the rows, evenly spread.
void thin(std::vector<std::size_t>& rows, std::size_t most) {
  const std::size_t n = rows.size();
  if (n <= most) return;
  for (std::size_t i = 0; i < most; ++i) rows[i] = rows[i * n / most];
  rows.resize(most);
}

}  // namespace

CriticData critic_data(const Sample& source, const Sample& target, const Dis2Options& options,
                       Scaling scaling) {
  const Array &source_values = values_of(source, options.representation),
              &target_values = values_of(target, options.representation);
  const std::size_t columns = column_count(source, options.representation, source_values.shape[1]);
  CriticData data;
  data.source = split_rows(source, options.holdout,
                           options.stratified ? std::span(source.labels) : std::span<const std::int64_t>(),
                           options.seed, "source split");
  data.target = split_rows(target, options.holdout, {}, options.seed, "target split");

  if (options.holdout > 0) {
    const std::size_t parameters = (columns + 1) * source.k();
    const std::size_t most = options.most_training > 0 ? options.most_training
                                                       : std::max(least_cap, rows_a_parameter * parameters);
    thin(data.source.training, most);
    thin(data.target.training, most);
  }

  Eigen::MatrixXd basis;
  const bool components = options.representation.kind == Representation::Kind::pca;
  if (components) basis = components_of(Reader(source_values, nullptr), data.source.training, columns);
  const Reader source_reader(source_values, components ? &basis : nullptr),
      target_reader(target_values, components ? &basis : nullptr);
  data.centre.assign(source_reader.columns(), 0);
  data.scale.assign(source_reader.columns(), 1);
  if (scaling == Scaling::standard) {
    const Moments all = joined(moments_of(source_reader, data.source.training),
                               moments_of(target_reader, data.target.training));
    for (std::size_t j = 0; j < data.centre.size(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const double deviation = std::sqrt(all.squares[column] / all.n);
      data.centre[j] = all.mean[column];
      // What rounding leaves of a constant is no deviation.
      if (deviation > 1e-14 * std::abs(all.mean[column])) data.scale[j] = deviation;
    }
  }
  const std::vector<std::int32_t> of_source = predictions(source), of_target = predictions(target);
  data.training = rows_of({source_reader, data.source.training, of_source},
                          {target_reader, data.target.training, of_target}, data, source.k());
  data.holdout = rows_of({source_reader, data.source.holdout, of_source},
                         {target_reader, data.target.holdout, of_target}, data, source.k());
  return data;
}

}  // namespace leeway::error_bound
