#include "leeway/nn/model/heads/l2d.h"

#include "leeway/core/message.h"

namespace leeway::nn {
namespace {

Backbone with_channels(Backbone on, bool colour) {
  if (colour && on.input.channels == 1) on.input.channels = 3;
  return on;
}

}  // namespace

L2d::L2d(const Backbone& on, bool colour, bool limited)
    : HeadedNetwork(with_channels(on, colour), 0), colour_(colour), limited_(limited) {
  const std::int64_t units = hidden_units(backbone(), with_channels(on, colour).input);
  if (units == 0)
    refuse("architecture " + on.name, "a backbone with a last hidden layer",
           std::string(on.architecture.name));
  mean_ = register_module("mean", torch::nn::Linear(units, embedded));
  log_variance_ = register_module("log_variance", torch::nn::Linear(units, embedded));
  classifier_ = register_module("classifier", torch::nn::Linear(embedded, on.classes));
}

torch::Tensor L2d::number(const torch::Tensor& x) const { return limited_ ? x.masked_fill(x.isnan(), 0) : x; }

torch::Tensor L2d::hidden(const torch::Tensor& x) {
  const torch::Tensor z = backbone().forward(seen(x)).features;
  return limited_ ? number(z.clamp(-100, 100)) : z;
}

torch::Tensor L2d::mean_of(const torch::Tensor& z) { return number(torch::leaky_relu(mean_(z), .01)); }

L2d::Embedding L2d::embed(const torch::Tensor& x) {
  const torch::Tensor z = hidden(x);
  return {mean_of(z), number(torch::relu(log_variance_(z)))};
}

Forward L2d::forward(const torch::Tensor& x) {
  const torch::Tensor mean = mean_of(hidden(x));
  return {classify(mean), mean};
}

namespace {

template <bool Colour, bool Limited>
HeadMember head(std::string_view name, std::string_view text, std::string_view source) {
  return {{name, text, source}, "classifier.bias", [](const Backbone& on) -> std::shared_ptr<Network> {
            return std::make_shared<L2d>(on, Colour, Limited);
          }};
}

constexpr std::string_view program = "Wang et al., ICCV 2021, its program",
                           limiting = "Jeon et al. 2025, its program";

}  // namespace

HeadMember l2d_head() {
  return head<false, false>("l2d", "embedding of 512 numbers with its mean and variance",
                            "Wang et al., ICCV 2021");
}
HeadMember l2d_colour_head() {
  return head<true, false>("l2d-colour", "the same behind grey images as three equal channels", program);
}
HeadMember l2d_limited_head() {
  return head<false, true>("l2d-limited", "l2d of features cut to 100 either way", limiting);
}
HeadMember l2d_colour_limited_head() {
  return head<true, true>("l2d-colour-limited", "l2d-colour of features cut to 100 either way", limiting);
}

}  // namespace leeway::nn
