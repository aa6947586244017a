// The rows of a training: which are held out, in which order the others come, and floats made of them a batch at a time.
//
// Everything is a function of the seed, the epoch and the place in it, so that a resumed training gets the same batches:
// an epoch's order is a shuffle of the training rows. Where an algorithm asks for environments (or for balanced groups), the
// shuffled rows of each are dealt out in rounds, one row each a round in a random order, and begin again where they run out:
// every batch has all of them equally often, but for one row; TrainingOptions::balance asks for the same of any algorithm. An epoch has as
// many rows as there are to train on. A last batch of one row joins the batch before it, or an incomplete one is left out
// (TrainingOptions::last_batch). Unlabelled images are shuffled anew for each pass over them; passes follow each other without
// end, whatever the epochs of the labelled ones.
//
// Labelled and unlabelled images pass through TrainingOptions::augment, keyed by seed, place and epoch; views of labelled images
// are made of what it leaves, those of unlabelled ones of the images themselves. A mixed image has the label and the group of the
// one that has the larger share.
//
// With TrainingOptions::crop images to train on and unlabelled ones are windows at a random place, keyed likewise, before they are
// changed, every view of an unlabelled one at a place of its own; all others are the middle.
//
// An algorithm may append images that it made: they are rows beyond those of the data, and take part from the next epoch on.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
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
  // The data must outlive it. Error for data that lack what is needed; `algorithm` is named then.
  TrainingSet(const data::TrainingData& data, const TrainOptions& options, const Requirements& needs,
              const std::string& algorithm);

  [[nodiscard]] const std::vector<std::int64_t>& training() const { return train_; }  // rows, ascending
  [[nodiscard]] const std::vector<std::int64_t>& validation() const { return validation_; }
  // Groups (data::label_groups) by number, and how many training rows each has; none: the data have no groups.
  [[nodiscard]] const std::vector<std::string>& group_names() const { return groups_.levels; }
  [[nodiscard]] const std::vector<std::size_t>& group_sizes() const { return group_sizes_; }
  // One line each: what of the data makes the algorithm another one.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }  // of the epoch begun, or of the first one

  void begin_epoch(std::size_t number);                     // from 1
  [[nodiscard]] Minibatches minibatches(std::size_t step);  // of the epoch begun, from 0

  [[nodiscard]] InputShape shape() const { return input_of(data_.images); }  // of images in batches

  // Images, labels and groups of any rows of the data, and of those that were appended.
  [[nodiscard]] Batch batch(std::span<const std::int64_t> rows) const;
  // The same as batch() of rows beside those of the latest minibatches(), augmented as they are, but not mixed.
  [[nodiscard]] Batch augmented(std::span<const std::int64_t> rows) const;
  // Of each row of the data, whether it is trained on or not; of an environment where the data name one.
  [[nodiscard]] const std::vector<std::int64_t>& labels() const { return *data_.images.labels; }
  [[nodiscard]] const std::optional<GroupColumn>& environment() const { return data_.environment; }
  [[nodiscard]] std::size_t epoch() const { return epoch_; }

  // Images (m,c,h,w), in [0,1] but for what was never cut, each with the label, groups and environment of its parent, a row of the data. They are numbered
  // from data rows + images appended before.
  void append(const torch::Tensor& images, std::span<const std::int64_t> parents);
  void clear_appended();  // as if none had been
  // The group of each validation row, or nothing.
  [[nodiscard]] std::vector<std::int32_t> validation_groups() const;

 private:
  using Cut = std::function<torch::Tensor(const torch::Tensor& images)>;  // to the side that crop says

  [[nodiscard]] InputShape input_of(const Images& images) const;
  [[nodiscard]] Cut middle() const;
  [[nodiscard]] Cut at_random(std::string_view purpose, std::size_t position) const;
  [[nodiscard]] Batch batch(std::span<const std::int64_t> rows, const Cut& cut) const;
  void check(const Requirements& needs, const std::string& algorithm);
  void count_steps();
  // The row of the data whose label, groups and environment a row has.
  [[nodiscard]] std::size_t source(std::int64_t row) const;
  [[nodiscard]] std::int32_t code_of(const std::vector<std::int32_t>& codes, std::int64_t row) const {
    return codes[source(row)];
  }
  // What batches hold equally, null: nothing. `own`: what the algorithm asks for.
  [[nodiscard]] const GroupColumn* balance_column(const GroupColumn* own, const Requirements& needs,
                                                  const std::string& algorithm) const;
  // The levels that rows to train on have, ascending.
  [[nodiscard]] std::vector<std::int32_t> present_of(const GroupColumn& column) const;
  [[nodiscard]] torch::Tensor images_of(std::span<const std::int64_t> rows, const Cut& cut) const;
  [[nodiscard]] std::vector<std::int64_t> balanced(const std::vector<std::int64_t>& shuffled) const;
  [[nodiscard]] Batch unlabelled_batch(std::size_t position, std::size_t count);
  // `images(number)`: what view `number` is made of.
  [[nodiscard]] std::vector<torch::Tensor> views(
      const std::function<torch::Tensor(std::size_t number)>& images, const std::vector<std::string>& names,
      std::string_view purpose, std::size_t position) const;
  // The images after the chain's members that change pixels, those at `position` and after.
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
  // Of all rows: what batches hold equally, and environments where they are told apart; null: nothing
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
