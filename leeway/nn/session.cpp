#include "leeway/nn/session.h"

#include <malloc.h>
#include <torch/torch.h>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/process/client.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/plan.h"

namespace leeway::nn {
namespace {

template <class Entry, class Members>
std::vector<Entry> entries(const Members& members) {
  return {members.begin(), members.end()};
}

class TorchSession : public Session {
 public:
  // By default glibc returns each batch's memory to the system: a quarter of a small network's training time.
  TorchSession() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
  }
  void set_threads(int count) override { leeway::set_threads(count); }
  void adopt_process(ChildProcess process) override { adopt_model_process(process); }
  void set_commit_check(std::function<void()> check) override { leeway::set_commit_check(std::move(check)); }
  [[nodiscard]] std::string torch_version() const override { return TORCH_VERSION; }
  [[nodiscard]] std::vector<Member> architectures() const override {
    return entries<Member>(nn::architectures());
  }
  [[nodiscard]] std::vector<Member> algorithms() const override { return entries<Member>(nn::algorithms()); }
  [[nodiscard]] std::vector<Member> augmentations() const override {
    return entries<Member>(augment::augmentations());
  }
  [[nodiscard]] Requirements requirements_of(const std::string& name,
                                             const std::map<std::string, double>& given) const override {
    const AlgorithmMember& member = algorithm(name);
    return member.needs(complete_parameters(member, given));
  }
  [[nodiscard]] std::size_t weights_of(const std::string& name, const InputShape& input,
                                       std::size_t classes) const override {
    return count_weights(*make_network(architecture(name), input, classes));
  }
  [[nodiscard]] std::unique_ptr<Model> load(const ModelSource& source) const override {
    return translated(display_name(source.path), [&] { return load_model(source); });
  }
  [[nodiscard]] std::optional<WeightsFile> weights_of_unknown(const ModelSource& source) const override {
    return translated(display_name(source.path), [&] { return unknown_weights(source); });
  }
  [[nodiscard]] TrainResult train(const data::TrainingData& data, const TrainOptions& options,
                                  const std::filesystem::path& out, Progress* progress) const override {
    return train_model(data, options, out, progress);
  }
};

}  // namespace

Session& session() {
  static TorchSession instance;
  return instance;
}

}  // namespace leeway::nn

leeway::nn::Session* leeway_nn_session(int abi) {
  return abi == leeway::nn::abi_version ? &leeway::nn::session() : nullptr;
}

int leeway_nn_serve() {
  (void)leeway::nn::session();  // its settings of memory
  return leeway::nn::serve_model();
}
