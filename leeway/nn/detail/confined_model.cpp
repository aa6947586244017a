#include "leeway/nn/detail/confined_model.h"

#include <utility>

#include "leeway/core/message.h"
#include "leeway/nn/io/confinement.h"

namespace leeway::nn {
namespace {

// What `work` returns, from a confined thread.
template <class Work>
auto confined(const std::string& name, const Work& work) {
  std::optional<decltype(work())> result;
  run_confined(name, [&] { result.emplace(work()); });
  return std::move(*result);
}

class ConfinedModel : public Model {
 public:
  explicit ConfinedModel(std::unique_ptr<Model> model)
      : model_(std::move(model)), name_(display_name(model_->info().path)) {}

  [[nodiscard]] const ModelInfo& info() const override { return model_->info(); }
  [[nodiscard]] Outputs outputs(const Images& images, Progress* progress) const override {
    return confined(name_, [&] { return model_->outputs(images, progress); });
  }
  [[nodiscard]] Array input_gradients(const Images& images, const std::vector<std::int64_t>& labels,
                                      Progress* progress) const override {
    return confined(name_, [&] { return model_->input_gradients(images, labels, progress); });
  }
  [[nodiscard]] Array class_gradients(const Images& images, Progress* progress) const override {
    return confined(name_, [&] { return model_->class_gradients(images, progress); });
  }
  [[nodiscard]] Classifier classifier(const InputShape& input) const override {
    Classifier result = confined(name_, [&] { return model_->classifier(input); });
    result.logits = [name = name_, run = std::move(result.logits)](std::span<const float> x) {
      return confined(name, [&] { return run(x); });
    };
    result.gradients = [name = name_, run = std::move(result.gradients)](
                           std::span<const float> x, std::span<const std::int32_t> classes) {
      return confined(name, [&] { return run(x, classes); });
    };
    return result;
  }
  [[nodiscard]] AttackResult attack(const Images& images, const AttackOptions& options,
                                    Progress* progress) const override {
    return confined(name_, [&] { return model_->attack(images, options, progress); });
  }
  [[nodiscard]] std::unique_ptr<Model> with_normalization(const Normalization& normalization) const override {
    return confined_model(model_->with_normalization(normalization));
  }
  [[nodiscard]] std::optional<OtherNormalization> other_normalization(const Images& images) const override {
    return confined(name_, [&] { return model_->other_normalization(images); });
  }
  [[nodiscard]] std::optional<Variation> variation(const Images& images) const override {
    return confined(name_, [&] { return model_->variation(images); });
  }
  [[nodiscard]] Adapted adapt(const Images& images, Progress* progress) const override {
    return model_->adapt(images, progress);
  }
  void save(const std::filesystem::path& path) const override { model_->save(path); }

 private:
  std::unique_ptr<Model> model_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Model> confined_model(std::unique_ptr<Model> model) {
  return std::make_unique<ConfinedModel>(std::move(model));
}

}  // namespace leeway::nn
