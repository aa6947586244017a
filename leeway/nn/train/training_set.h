// The training data: held-out rows, order of the other rows, and batches of floats.
//
// Everything depends only on seed, epoch and position, so that a resumed training run gets the same batches.
// An epoch has as many rows as the training set, shuffled. If the algorithm (environments, balanced groups)
// or TrainingOptions::balance asks for it, each round takes one shuffled row of every environment or group,
// restarting exhausted ones: their counts in a batch differ by at most one. A last batch of one row joins the
// previous batch; TrainingOptions::last_batch may drop incomplete ones. Unlabelled images are reshuffled for
// each pass, independent of epochs.
//
// TrainingOptions::augment applies to labelled and unlabelled images, keyed by seed, position and epoch.
// Views of labelled images start from augmented images, those of unlabelled images from the originals. A
// mixed image has the label and group of the larger share. TrainingOptions::crop takes random windows of
// training and unlabelled images before augmentation (one per view of an unlabelled image), and central ones
// otherwise.
//
// Algorithms may append images, which have row numbers beyond the data and join from the next epoch on.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/nn/augment/chain.h"
#include "leeway/nn/train.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

class TrainingSet {
 public:
  // The data must outlive it. Error for data that lack a requirement of `algorithm`.
  TrainingSet(const data::TrainingData& data, const TrainOptions& options, const Requirements& needs,
              const std::string& algorithm);

  [[nodiscard]] const std::vector<std::int64_t>& training() const { return train_; }  // rows, ascending
  [[nodiscard]] const std::vector<std::int64_t>& validation() const { return validation_; }
  // Training rows per group (data::label_groups); empty without groups.
  [[nodiscard]] const std::vector<std::size_t>& group_sizes() const { return group_sizes_; }
  // One line each: properties of the data that change the algorithm.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }  // of the epoch begun, or of the first one

  void begin_epoch(std::size_t number);                     // from 1
  [[nodiscard]] Minibatches minibatches(std::size_t step);  // of the epoch begun, from 0

  [[nodiscard]] InputShape shape() const { return input_of(data_.images); }  // of images in batches

  [[nodiscard]] Batch batch(std::span<const std::int64_t> rows) const;
  // As batch(), augmented like the latest minibatches(), but not mixed.
  [[nodiscard]] Batch augmented(std::span<const std::int64_t> rows) const;
  // For every row of the data, held out or not.
  [[nodiscard]] const std::vector<std::int64_t>& labels() const { return *data_.images.labels; }
  [[nodiscard]] const std::optional<GroupColumn>& environment() const { return data_.environment; }

  // Adds images (m,c,h,w), in [0,1] except for unbounded inputs, with the label, groups and environment of
  // their parents, rows of the data. Row numbers continue those of data and appended images.
  void append(const torch::Tensor& images, std::span<const std::int64_t> parents);
  void clear_appended();  // as if none had been
  [[nodiscard]] std::vector<std::int32_t> validation_groups() const;

 private:
  using Cut = std::function<torch::Tensor(const torch::Tensor& images)>;  // to the side that crop says

  [[nodiscard]] InputShape input_of(const Images& images) const;
  [[nodiscard]] Cut middle() const;
  [[nodiscard]] Cut at_random(std::string_view purpose, std::size_t position) const;
  [[nodiscard]] Batch batch(std::span<const std::int64_t> rows, const Cut& cut) const;
  void check(const Requirements& needs, const std::string& algorithm);
  void count_steps();
  // The row of the data that gives a row its label, groups and environment.
  [[nodiscard]] std::size_t source(std::int64_t row) const;
  [[nodiscard]] std::int32_t code_of(const std::vector<std::int32_t>& codes, std::int64_t row) const {
    return codes[source(row)];
  }
  // The column that batches balance; null: none. `own`: the algorithm's.
  [[nodiscard]] const GroupColumn* balance_column(const GroupColumn* own, const Requirements& needs,
                                                  const std::string& algorithm) const;
  // The levels in the training rows, ascending.
  [[nodiscard]] std::vector<std::int32_t> present_of(const GroupColumn& column) const;
  [[nodiscard]] torch::Tensor images_of(std::span<const std::int64_t> rows, const Cut& cut) const;
  [[nodiscard]] std::vector<std::int64_t> balanced(const std::vector<std::int64_t>& shuffled) const;
  [[nodiscard]] Batch unlabelled_batch(std::size_t position, std::size_t count);
  // `images(number)`: input of view `number`.
  [[nodiscard]] std::vector<torch::Tensor> views(
      const std::function<torch::Tensor(std::size_t number)>& images, const std::vector<std::string>& names,
      std::string_view purpose, std::size_t position) const;
  // Applies the chain's pixel members to images at `position` and after.
  [[nodiscard]] torch::Tensor changed(const torch::Tensor& images, const augment::Chain& chain,
                                      std::uint32_t purpose, std::size_t position) const;
  void mix(Batch& batch, std::size_t position) const;  // by the chain's last member

  const data::TrainingData& data_;
  const TrainOptions& options_;
  augment::Chain chain_;
  torch::Device device_;  // of batches
  Requirements needs_;
  std::vector<std::int64_t> train_, validation_;
  std::size_t least_last_ = 1;  // rows of an epoch's last batch
  torch::Tensor appended_;      // (m,c,h,w), on the CPU; undefined: none
  std::vector<std::int64_t> parents_;
  GroupColumn groups_;   // of all rows; no codes: the data have none
  GroupColumn classes_;  // the same for labels, where batches are balanced by them
  // Codes of all rows: of the balanced column, and of environments in use; null: none
  const std::vector<std::int32_t>* balance_ = nullptr;
  const std::vector<std::int32_t>* environments_ = nullptr;
  std::vector<std::int32_t> present_;  // of what batches hold equally, the levels there are
  std::vector<std::size_t> group_sizes_;
  std::vector<std::string> notes_;
  std::size_t steps_ = 0, epoch_ = 0, position_ = 0;
  std::vector<std::int64_t> order_, batch_rows_;
  std::vector<std::int64_t> unlabelled_order_, unlabelled_rows_;
  std::size_t unlabelled_pass_ = 0;
};

}  // namespace leeway::nn
