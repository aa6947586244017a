#include "leeway/nn/detail/torch_model.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/adapt/batchnorm.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/weights.h"

namespace leeway::nn {
namespace {

// Images to what a network takes, channel by channel, and gradients back.
class Normalizer {
 public:
  explicit Normalizer(const Normalization& normalization)
      : scale_(normalization.scale),
        mean_(per_channel(normalization.mean)),
        std_(per_channel(normalization.std)) {}

  torch::Tensor operator()(const torch::Tensor& images) const {
    torch::Tensor z = scale_ == 1 ? images : images * scale_;
    if (mean_.defined()) z = z - mean_.to(z.device());
    if (std_.defined()) z = z / std_.to(z.device());
    return z;
  }
  // Of gradients (n,...,c,h,w) by what the network takes, in place.
  void back(torch::Tensor& gradients) const {
    if (scale_ != 1) gradients.mul_(scale_);
    if (std_.defined()) gradients.div_(std_.to(gradients.device()));
  }

 private:
  static torch::Tensor per_channel(const std::vector<double>& values) {
    return values.empty() ? torch::Tensor() : torch::tensor(values, torch::kFloat32).view({1, -1, 1, 1});
  }

  double scale_;
  torch::Tensor mean_, std_;
};

// How two passes over the same rows differ.
struct Difference {
  Variation variation;
  double largest = 0;     // share of the largest logit
  std::int64_t rows = 0;  // that differ by more than the share asked for
};
constexpr double rounding_of_a_pass = 1e-5, rounding_of_a_batch = .02;

Difference difference(const torch::Tensor& a, const torch::Tensor& b, double most = rounding_of_a_pass) {
  const double scale = a.abs().max().item<double>();
  const torch::Tensor rows = (a - b).abs().amax(1);
  Difference found;
  found.variation.n = static_cast<std::size_t>(a.size(0));
  found.variation.largest = rows.max().item<double>();
  found.variation.predictions =
      static_cast<std::size_t>((a.argmax(1) != b.argmax(1)).sum().item<std::int64_t>());
  found.largest = scale > 0 ? found.variation.largest / scale : 0;
  found.rows = (rows > most * scale).sum().item<std::int64_t>();
  return found;
}

class TorchModel : public Model {
 public:
  TorchModel(ModelInfo info, ForwardFunction forward, std::shared_ptr<Network> network, torch::Device device)
      : info_(std::move(info)),
        classes_(info_.classes),
        bare_(forward),
        forward_(network ? forward_of(network, info_.normalization)
                         : normalized(info_.normalization, std::move(forward))),
        network_(std::move(network)),
        device_(device) {}

  [[nodiscard]] const ModelInfo& info() const override { return info_; }

  [[nodiscard]] Outputs outputs(const Images& images, Progress* progress) const override {
    return translated(name(), [&] { return run(images, "outputs", progress); });
  }

  [[nodiscard]] Array input_gradients(const Images& images, const std::vector<std::int64_t>& labels,
                                      Progress* progress) const override {
    return translated(name(), [&] {
      check_images(images);
      check_labels(labels, "", images.n(), classes_for(images), 0);
      RowBuffer gradients(images.n());
      for_shards(images.n(), "input gradients", progress, [&](std::size_t begin, std::size_t end) {
        const torch::Tensor x = rows(images, begin, end).requires_grad_();
        const torch::Tensor loss = torch::nn::functional::cross_entropy(
            forward(x).logits, to_tensor(labels, begin, end).to(device_),
            torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
        gradients.put(begin, gradient_of(loss, x));
      });
      return shared_array(gradients.all());
    });
  }

  [[nodiscard]] Classifier classifier(const InputShape& input) const override {
    check_input(input, "");
    Images one;
    one.rank = input.rank;
    one.pixels =
        make_array<float>({1, input.channels, input.height, input.width}, std::vector<float>(input.pixels()));
    const std::size_t k = translated(name(), [&] { return classes_for(one); });
    LinearizeFunction linearize;
    if (network_ && info_.binary == Binary::refuse && network_->linearize(rows(one, 0, 1)).vjp)
      linearize = [this, normalizer = Normalizer(info_.normalization)](const torch::Tensor& images) {
        Network::Linearized found = network_->linearize(normalizer(network_->prepare(images)));
        found.vjp = [normalizer, back = std::move(found.vjp)](const torch::Tensor& cotangents) {
          torch::Tensor gradients = back(cotangents);
          normalizer.back(gradients);
          return gradients;
        };
        return found;
      };
    Classifier result = make_classifier([this](const torch::Tensor& x) { return forward(x); },
                                        std::move(linearize), input, k, device_);
    result.logits = [this, run = std::move(result.logits)](std::span<const float> x) {
      return translated(name(), [&] { return run(x); });
    };
    result.linearize = [this, run = std::move(result.linearize)](std::span<const float> x) {
      Linearized found = translated(name(), [&] { return run(x); });
      found.vjp = [this, back = std::move(found.vjp)](std::span<const float> cotangents) {
        return translated(name(), [&] { return back(cotangents); });
      };
      return found;
    };
    return result;
  }

  [[nodiscard]] std::unique_ptr<Model> with_normalization(const Normalization& normalization) const override {
    check_normalization(normalization, name(), info_.input.channels);
    ModelInfo info = info_;
    info.normalization = normalization;
    return std::make_unique<TorchModel>(std::move(info), bare_, network_, device_);
  }

  [[nodiscard]] std::optional<OtherNormalization> other_normalization(const Images& images) const override {
    return nn::other_normalization(*this, images);
  }

  [[nodiscard]] std::optional<Variation> variation(const Images& images) const override {
    constexpr std::size_t most = 16;
    return translated(name(), [&]() -> std::optional<Variation> {
      check_images(images);
      const torch::NoGradGuard no_grad;
      const TorchThreads one(1);
      const std::size_t n = std::min(most, images.n());
      const torch::Tensor x = rows(images, 0, n), first = forward(x.clone()).logits;
      const auto again = difference(first, forward(x.clone()).logits);
      if (again.largest > rounding_of_a_pass) return again.variation;
      const auto half = static_cast<std::int64_t>(n / 2);
      if (half == 0) return {};
      const auto apart = difference(first.slice(0, 0, half), forward(x.slice(0, 0, half).clone()).logits,
                                    rounding_of_a_batch);
      if (2 * apart.rows <= half) return {};
      Variation found = apart.variation;
      found.neighbours = true;
      return found;
    });
  }

  [[nodiscard]] Adapted adapt(const Images& images, Progress* progress) const override {
    return translated(name(), [&] {
      if (!network_)
        refuse(name(), "a model of a known architecture, to adapt its batch normalization",
               words_for_format(info_.format));
      check_images(images);
      const bool single = info_.binary != Binary::refuse;
      auto network = make_network(architecture(info_.architecture), info_.input, single ? 1 : info_.classes,
                                  single ? 1 : 2);
      copy_weights(weights_of(*network_), *network, name());
      auto layers = adapt_batchnorm(network, info_.normalization, images, name(), device_, progress);
      ModelInfo info = info_;
      info.training.clear();  // it is not of these statistics
      return Adapted{make_model(std::move(info), std::move(network), device_), std::move(layers)};
    });
  }

  void save(const std::filesystem::path& path) const override {
    if (!network_)
      refuse(name(), "a model of a known architecture, to save its weights", words_for_format(info_.format));
    save_weights(path, info_, *network_);
  }

 private:
  [[nodiscard]] std::string name() const { return info_.path.empty() ? "model" : display_name(info_.path); }

  void check_images(const Images& images) const { check_input(shape_of(images), images.path); }

  void check_labels(const std::vector<std::int64_t>& labels, const std::string& source, std::size_t n,
                    std::size_t k, std::int64_t least) const {
    const std::string origin = source.empty() ? "labels" : display_name(source);
    const bool from_one = std::ranges::find(labels, 0) == labels.end() &&
                          std::ranges::find(labels, static_cast<std::int64_t>(k)) != labels.end();
    if (labels.size() != n) refuse(origin, fmt::format("{} labels", n), std::to_string(labels.size()));
    for (std::size_t i = 0; i < n; ++i)
      if (labels[i] < least || labels[i] >= static_cast<std::int64_t>(k))
        refuse(origin,
               fmt::format("labels from 0 to {}, the classes of {}{}", k - 1, name(),
                           from_one ? " (subtract 1 from labels that count from 1)" : ""),
               fmt::format("{} at row {}", labels[i], i));
  }

  // Rows [begin, end) where the model runs.
  [[nodiscard]] torch::Tensor rows(const Images& images, std::size_t begin, std::size_t end) const {
    return pixels(images, begin, end).to(device_);
  }

  [[nodiscard]] std::size_t classes_for(const Images& images) const {
    if (classes_ == 0) {
      const torch::NoGradGuard no_grad;
      const TorchThreads one(1);
      (void)forward(rows(images, 0, 1));
    }
    return classes_;
  }

  void check_input(const InputShape& input, const std::string& source) const {
    const bool flat = info_.input.known() && info_.input.rank == 2;  // takes as many numbers in any form
    const bool fits = flat                  ? info_.input.pixels() == input.pixels()
                      : info_.input.known() ? info_.input == input
                                            : info_.input.rank == input.rank;
    if (!fits)
      refuse(
          source.empty() ? "images" : display_name(source),
          info_.input.known()
              ? fmt::format("images of shape {}, which {} takes", text_of(info_.input), name())
              : fmt::format("rows of {} dimensions, for which {} was loaded", info_.input.rank - 1, name()),
          text_of(input));
    const std::size_t given = info_.normalization.mean.size();
    if (given > 0) check_normalization(info_.normalization, name(), input.channels);
  }

  // A forward pass whose output is checked: strangers' models come this way.
  [[nodiscard]] Forward forward(const torch::Tensor& x) const {
    Forward result;
    try {
      result = forward_(x);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& failure) {
      const std::string reason = first_line(failure);
      if (network_ || reason.find("allocate") != std::string::npos)
        throw std::runtime_error(name() + ": " + reason);
      refuse(name(), fmt::format("a model for images of shape {}", text_of(x.sizes().slice(1))),
             "\"" + printable(reason, 200) + "\"");
    }
    torch::Tensor& logits = result.logits;
    if (is_single_output(logits, x.size(0))) logits = two_classes(logits, info_.binary, name());
    if (logits.dim() != 2 || logits.size(0) != x.size(0) || logits.size(1) < 2)
      refuse(name(), fmt::format("logits of shape ({}, k), k >= 2", x.size(0)), text_of(logits.sizes()));
    const auto k = static_cast<std::size_t>(logits.size(1));
    std::size_t known = 0;
    if (!classes_.compare_exchange_strong(known, k) && known != k)
      refuse(name(), fmt::format("{} classes for every image", known), std::to_string(k));
    if (result.features.defined() && (result.features.dim() == 0 || result.features.size(0) != x.size(0)))
      refuse(name(), fmt::format("features of {} images", x.size(0)),
             "shape " + text_of(result.features.sizes()));
    return result;
  }

  [[nodiscard]] Outputs run(const Images& images, const std::string& task, Progress* progress) const {
    check_images(images);
    const std::size_t n = images.n();
    RowBuffer logits(n), features(n);
    std::atomic<bool> has_features{true};
    constexpr auto unknown = static_cast<std::size_t>(-1);
    std::atomic<std::size_t> width{unknown};  // of features
    for_shards(n, task, progress, [&](std::size_t begin, std::size_t end) {
      const torch::NoGradGuard no_grad;
      const Forward result = forward(rows(images, begin, end));
      logits.put(begin, result.logits);
      if (result.features.defined()) {
        const auto numbers = static_cast<std::size_t>(result.features.numel()) / (end - begin);
        std::size_t known = unknown;
        if (!width.compare_exchange_strong(known, numbers) && known != numbers)
          refuse(name(), fmt::format("{} features for every image", known), std::to_string(numbers));
        features.put(begin, result.features.flatten(1));
      } else {
        has_features = false;
      }
    });
    Outputs outputs;
    outputs.path = images.path;
    outputs.logits = shared_array(logits.all());
    if (has_features) outputs.features = shared_array(features.all());
    const auto check_finite = [&](const Array& rows, const char* what, const char* column) {
      const auto index = first_not_finite(rows);
      if (!index) return;
      const std::size_t numbers = rows.size() / n;
      refuse(name(), fmt::format("finite {}", what),
             fmt::format("{} at row {}, {} {}", rows.view<float>()[*index], *index / numbers, column,
                         *index % numbers));
    };
    check_finite(outputs.logits, "logits", "class");
    if (outputs.features) check_finite(*outputs.features, "features", "column");
    if (images.labels) check_labels(*images.labels, images.path, n, outputs.k(), no_label);
    outputs.labels = images.labels;
    return outputs;
  }

  ModelInfo info_;
  mutable std::atomic<std::size_t> classes_;  // 0 until the first pass of a model that does not say
  ForwardFunction bare_, forward_;            // of normalized images, of images
  std::shared_ptr<Network> network_;
  torch::Device device_;
};

}  // namespace

ForwardFunction normalized(const Normalization& normalization, ForwardFunction network) {
  if (normalization == Normalization{}) return network;
  return [normalizer = Normalizer(normalization), network = std::move(network)](const torch::Tensor& images) {
    return network(normalizer(images));
  };
}

void check_normalization(const Normalization& normalization, const std::string& name, std::size_t channels) {
  if (!(normalization.scale > 0 && std::isfinite(normalization.scale)))
    refuse(name, "a positive scale", fmt::format("{}", normalization.scale));
  const auto check = [&](const std::vector<double>& values, const char* what, bool positive) {
    if (!values.empty() && channels > 0 && values.size() != channels)
      refuse(name, fmt::format("{} {} numbers, one per channel", channels, what),
             std::to_string(values.size()));
    for (const double value : values)
      if (!std::isfinite(value) || (positive && value <= 0))
        refuse(name, fmt::format("{} of {} numbers", what, positive ? "positive" : "finite"),
               fmt::format("{}", value));
  };
  check(normalization.mean, "mean", false);
  check(normalization.std, "std", true);
}

std::unique_ptr<Model> make_model(ModelInfo info, ForwardFunction forward, std::shared_ptr<Network> network,
                                  torch::Device device) {
  return std::make_unique<TorchModel>(std::move(info), std::move(forward), std::move(network), device);
}

ForwardFunction forward_of(std::shared_ptr<Network> network, const Normalization& normalization) {
  ForwardFunction rest =
      normalized(normalization, [network](const torch::Tensor& x) { return network->forward(x); });
  return [network = std::move(network), rest = std::move(rest)](const torch::Tensor& images) {
    return rest(network->prepare(images));
  };
}

torch::Tensor normalize(const Normalization& normalization, const torch::Tensor& images) {
  return Normalizer(normalization)(images);
}

std::unique_ptr<Model> make_model(ModelInfo info, std::shared_ptr<Network> network, torch::Device device) {
  network->eval();
  network->to(device);
  for (torch::Tensor& parameter : network->parameters()) parameter.requires_grad_(false);
  info.layers = layers_of(*network);
  ForwardFunction forward = [network](const torch::Tensor& x) { return network->forward(x); };
  return make_model(std::move(info), std::move(forward), std::move(network), device);
}

}  // namespace leeway::nn
