#include "leeway/core/random.h"
#include "leeway/nn/train/matching.h"

namespace leeway::nn {
namespace {

// mean_e CE_e + w P(A, B): of the n_e rows of environment e the first s_e go to A and the others to B, s_e uniform on
// {0, ..., n_e - 1} and drawn anew for every step. So A and B are two mixtures of the environments, under which features must have the
// same distribution. P is the distance of CORAL or of MMD; 0 where A or B has less than two rows.
template <Matching::Distance Chosen>
class CausIrl : public Matching {
 public:
  explicit CausIrl(const AlgorithmSetting& setting) : Matching(setting, Chosen) {}

 protected:
  [[nodiscard]] torch::Tensor penalty(const std::vector<torch::Tensor>& features,
                                      std::size_t step) const override {
    Random random(setting().seed, stream("two mixtures"), step);
    std::vector<torch::Tensor> first, second;
    for (const torch::Tensor& rows : features) {
      const auto cut = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows.size(0))));
      first.push_back(rows.slice(0, 0, cut));
      second.push_back(rows.slice(0, cut));
    }
    const torch::Tensor a = torch::cat(first), b = torch::cat(second);
    if (a.size(0) < 2 || b.size(0) < 2) return torch::zeros({}, a.options());
    return between(a, b);
  }
};

template <Matching::Distance Chosen>
AlgorithmMember causirl(std::string_view name, std::string_view summary) {
  return {{name,
           summary,
           "Chevalley et al., 2022; the distance as in Gulrajani and Lopez-Paz, ICLR 2021",
           {matching_weight(),
            {"single-environment", 0, 0, 1,
             "1: allow a single environment (a penalty on the spread of features)", true}}},
          [](const Parameters& parameters) {
            Requirements needs = matching_needs(parameters);
            if (parameters.at("single-environment") != 0)
              needs.environments = needs.least_rows = 1;  // the penalty of one row is 0
            return needs;
          },
          make_algorithm<CausIrl<Chosen>>};
}

}  // namespace

AlgorithmMember causirl_coral() {
  return causirl<coral_distance>(
      "causirl-coral", "features with the same mean and covariance in two random mixtures of environments");
}

AlgorithmMember causirl_mmd() {
  return causirl<mmd_distance>("causirl-mmd",
                               "features with the same distribution in two random mixtures of environments "
                               "(maximum mean discrepancy)");
}

}  // namespace leeway::nn
