#include "leeway/error_bound/detail/imitation.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t least_chunk = 512, most_chunks = 8, least_rows = 4096, rows_a_column = 4;
constexpr double ridge = 1e-6, farthest = 1e18;

std::vector<float> identity(const CriticData& data) {
  std::vector<float> theta(data.training.parameters());
  for (std::size_t c = 0; c < data.training.k; ++c) {
    theta[data.training.at(c, c)] = static_cast<float>(data.scale[c]);
    theta[data.training.at(data.training.d, c)] = static_cast<float>(data.centre[c]);
  }
  return theta;
}

// Row `row` of the logits, less its mean.
void centred(const Rows& logits, std::size_t row, double* to) {
  const std::size_t k = logits.shape()[1];
  double total = 0;
  const auto copy = [&]<class T>(std::vector<T> scratch) {
    const T* from = logits.rows(row, row + 1, scratch);
    for (std::size_t c = 0; c < k; ++c)
      total += to[c] = std::clamp(static_cast<double>(from[c]), -farthest, farthest);
  };
  if (logits.type() == ElementType::f32)
    copy(std::vector<float>());
  else
    copy(std::vector<double>());
  for (std::size_t c = 0; c < k; ++c) to[c] -= total / static_cast<double>(k);
}

// The normal equations: sums over rows of (x, 1) (x, 1)^T and of (x, 1) logits^T.
struct Normal {
  Eigen::MatrixXd squares, products;
};

class Regression {
 public:
  Regression(const CriticData& data, const Sample& source, const Sample& target)
      : rows_(data.training), most_(std::max(least_rows, rows_a_column * (rows_.d + 1))) {
    add(source.logits, data.source.training, 0);
    add(target.logits, data.target.training, rows_.n_source);
  }

  [[nodiscard]] std::vector<float> solve() const {
    const auto columns = static_cast<Eigen::Index>(rows_.d + 1);
    Normal all = reduce_chunks<Normal>(
        used_.size(), std::max(least_chunk, used_.size() / most_chunks + 1),
        [&](std::size_t begin, std::size_t end) { return part(begin, end); },
        [](Normal a, const Normal& b) {
          return Normal{a.squares += b.squares, a.products += b.products};
        });
    all.squares.diagonal().array() += ridge * all.squares.trace() / static_cast<double>(columns);
    const Eigen::MatrixXd solution = all.squares.selfadjointView<Eigen::Lower>().ldlt().solve(all.products);
    std::vector<float> theta(rows_.parameters());
    for (std::size_t c = 0; c < rows_.k; ++c)
      for (std::size_t j = 0; j <= rows_.d; ++j)
        theta[rows_.at(j, c)] =
            static_cast<float>(solution(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(c)));
    return theta;
  }

 private:
  struct Used {
    const Rows* logits;
    std::size_t row, training;  // of the logits, of the training rows
  };

  void add(const Rows& logits, const std::vector<std::size_t>& training, std::size_t first) {
    const std::size_t n = training.size(), count = std::min(n, most_);  // evenly spread
    for (std::size_t i = 0; i < count; ++i)
      used_.push_back({&logits, training[i * n / count], first + i * n / count});
  }

  [[nodiscard]] Normal part(std::size_t begin, std::size_t end) const {
    const auto n = static_cast<Eigen::Index>(end - begin), columns = static_cast<Eigen::Index>(rows_.d + 1),
               k = static_cast<Eigen::Index>(rows_.k);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> x(n, columns), logits(n, k);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Used& used = used_[begin + static_cast<std::size_t>(i)];
      std::copy_n(rows_.x.data() + used.training * rows_.width, columns, &x(i, 0));
      centred(*used.logits, used.row, &logits(i, 0));
    }
    Normal part{Eigen::MatrixXd::Zero(columns, columns), x.transpose() * logits};
    part.squares.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
    return part;
  }

  const CriticRows& rows_;
  std::size_t most_;
  std::vector<Used> used_;
};

}  // namespace

std::vector<float> imitation(const CriticData& data, const Sample& source, const Sample& target,
                             Representation::Kind representation) {
  return representation == Representation::Kind::logits ? identity(data)
                                                        : Regression(data, source, target).solve();
}

std::vector<float> neighbour(const CriticRows& rows, std::span<const float> theta, double c, Random& random) {
  const auto k = static_cast<Eigen::Index>(rows.k), columns = static_cast<Eigen::Index>(rows.d + 1);
  Eigen::MatrixXf classes(k, columns), mixing(k, k);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < k; ++i)
      classes(i, j) = theta[rows.at(static_cast<std::size_t>(j), static_cast<std::size_t>(i))];
  const double size = c / std::sqrt(static_cast<double>(rows.k));
  for (float& value : mixing.reshaped()) value = static_cast<float>(size * random.normal());
  classes += mixing * classes.eval();
  std::vector<float> found(theta.size());
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < k; ++i)
      found[rows.at(static_cast<std::size_t>(j), static_cast<std::size_t>(i))] = classes(i, j);
  return found;
}

}  // namespace leeway::error_bound
