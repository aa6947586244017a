// A model that answers nothing: tests override what their task asks.
#pragma once

#include <cmath>
#include <stdexcept>

#include "leeway/nn/model.h"

namespace leeway::tasks {

class StubModel : public nn::Model {
 public:
  [[nodiscard]] const nn::ModelInfo& info() const override { not_asked(); }
  [[nodiscard]] Outputs outputs(const Images&, Progress*) const override { not_asked(); }
  [[nodiscard]] Array input_gradients(const Images&, const std::vector<std::int64_t>&,
                                      Progress*) const override {
    not_asked();
  }
  [[nodiscard]] Classifier classifier(const nn::InputShape&) const override { not_asked(); }
  [[nodiscard]] std::unique_ptr<Model> with_normalization(const nn::Normalization&) const override {
    not_asked();
  }
  [[nodiscard]] std::optional<nn::OtherNormalization> other_normalization(const Images&) const override {
    return {};
  }
  [[nodiscard]] std::optional<nn::Variation> variation(const Images&) const override { return {}; }
  [[nodiscard]] nn::Adapted adapt(const Images&, Progress*) const override { not_asked(); }
  void save(const std::filesystem::path&) const override {}

 private:
  [[noreturn]] static void not_asked() { throw std::logic_error("not asked"); }
};

}  // namespace leeway::tasks
