#include "leeway/core/message.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/model/heads.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t first_width = 500, second_width = 256;
constexpr double left_out = .2;

// linear 500 - batch normalization - dropout - linear 256 - linear k on the backbone's last hidden layer, nothing else between them. The
// features are the 256. What is left out follows from the seed and from how many passes in training mode there were; both are kept with the
// weights.
class DiagvibHead : public HeadedNetwork {
 public:
  explicit DiagvibHead(const Backbone& on) : HeadedNetwork(on, 0) {
    const std::int64_t units = hidden_units(backbone(), on.input);
    if (units == 0)
      refuse("architecture " + on.name, "a backbone with a last hidden layer",
             std::string(on.architecture.name));
    first_ = register_module("first", torch::nn::Linear(units, first_width));
    normalization_ = register_module("normalization", torch::nn::BatchNorm1d(first_width));
    second_ = register_module("second", torch::nn::Linear(first_width, second_width));
    classifier_ = register_module("classifier", torch::nn::Linear(second_width, on.classes));
    dropout_ = register_buffer("dropout", torch::zeros({2}, torch::kInt64));  // the seed, and passes
  }

  Forward forward(const torch::Tensor& x) override {
    torch::Tensor inner = normalization_(first_(backbone().forward(x).features));
    if (is_training()) inner = inner * kept(inner.sizes()).to(inner.device());
    const torch::Tensor features = second_(inner);
    return {classifier_(features), features};
  }

  void initialize_own(std::uint64_t seed) override { begin_draws(seed); }
  void begin_draws(std::uint64_t seed) override {
    const torch::NoGradGuard no_grad;
    dropout_.copy_(torch::tensor({static_cast<std::int64_t>(seed), std::int64_t{0}}));
  }

 private:
  [[nodiscard]] torch::Tensor kept(torch::IntArrayRef shape) {
    const torch::Tensor numbers = dropout_.to(torch::kCPU);
    const auto seed = static_cast<std::uint64_t>(numbers[0].item<std::int64_t>()),
               pass = static_cast<std::uint64_t>(numbers[1].item<std::int64_t>());
    dropout_[1] += 1;
    return dropout_rows(shape, left_out, seed, stream("diagvib dropout"), pass);
  }

  torch::nn::Linear first_{nullptr}, second_{nullptr}, classifier_{nullptr};
  torch::nn::BatchNorm1d normalization_{nullptr};
  torch::Tensor dropout_;
};

}  // namespace

HeadMember diagvib_head() {
  return {{"diagvib", "linear 500, batch normalization, dropout of a fifth, linear 256 before the last layer",
           "Carvalho et al., 2025 (DiagViB-6), their program"},
          "classifier.bias",
          make_head<DiagvibHead>};
}

}  // namespace leeway::nn
