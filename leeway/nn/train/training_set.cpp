#include "leeway/nn/train/training_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/plan.h"
#include "leeway/nn/train/selection.h"

namespace leeway::nn {
namespace {

std::string name_of(const Images& images) {
  return images.path.empty() ? "images" : display_name(images.path);
}

// Labels as a column.
GroupColumn classes_of(const std::vector<std::int64_t>& labels) {
  GroupColumn classes{"class", {}, {labels.begin(), labels.end()}};
  for (std::int64_t label = 0; label <= *std::ranges::max_element(labels); ++label)
    classes.levels.push_back(std::to_string(label));
  return classes;
}

// Of images (n,c,h,w), float32 on the CPU, side x side pixels at uniform places, keyed by seed, purpose and
// position + the image's number.
torch::Tensor random_windows(const torch::Tensor& images, std::size_t side, std::uint64_t seed,
                             std::uint32_t purpose, std::size_t position) {
  const torch::Tensor from = images.contiguous();
  const auto size = [&](std::int64_t axis) { return static_cast<std::size_t>(from.size(axis)); };
  const std::size_t channels = size(1), height = size(2), width = size(3);
  const auto length = static_cast<std::int64_t>(side);
  torch::Tensor windows = torch::empty({from.size(0), from.size(1), length, length});
  const float* const pixels = from.data_ptr<float>();
  float* const out = windows.data_ptr<float>();
  parallel_for(size(0), [&](std::size_t i) {
    Random random(seed, purpose, position + i);
    const std::size_t top = random.below(height - side + 1), left = random.below(width - side + 1);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t y = 0; y < side; ++y)
        std::copy_n(pixels + ((i * channels + c) * height + top + y) * width + left, side,
                    out + ((i * channels + c) * side + y) * side);
  });
  return windows;
}

}  // namespace

TrainingSet::TrainingSet(const data::TrainingData& data, const TrainOptions& options,
                         const Requirements& needs, const std::string& algorithm)
    : data_(data),
      options_(options),
      chain_(augmentation_of(options, needs)),
      device_(device_from_name(options.device)),
      needs_(needs) {
  const std::size_t n = data.images.n();
  std::vector<std::uint8_t> is_held(n);
  for (const std::size_t row : options.validation_rows) is_held[row] = 1;
  if (options.validation_rows.empty()) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, options.seed, stream("validation"));
    const auto held =
        static_cast<std::size_t>(std::llround(validation_share(options) * static_cast<double>(n)));
    for (std::size_t i = 0; i < held; ++i) is_held[order[i]] = 1;
  }
  for (std::size_t row = 0; row < n; ++row)
    (is_held[row] ? validation_ : train_).push_back(static_cast<std::int64_t>(row));
  if (train_.empty() || (validation_share(options) > 0 && validation_.empty()))
    refuse(name_of(data.images), "enough rows to train on and to validate",
           fmt::format("{} to train on and {} to validate", train_.size(), validation_.size()));
  if (!data.groups.empty()) groups_ = data::label_groups(data);
  group_sizes_.resize(groups_.levels.size());
  for (const std::int64_t row : train_)
    if (!groups_.codes.empty())
      ++group_sizes_[static_cast<std::size_t>(groups_.codes[static_cast<std::size_t>(row)])];
  check(needs, algorithm);

  // Batch statistics need two rows, and each environment its own.
  const std::size_t least =
      std::max<std::size_t>(options.batch > 1 ? 2 : 1,
                            balance_ && balance_ == environments_ ? needs.least_rows * present_.size() : 0);
  const std::size_t rows = train_.size();
  least_last_ = std::max(least, needs.least_batch);
  count_steps();
  if (std::min(rows, options.batch) < needs.least_batch)
    refuse("train: batch", fmt::format("at least {} rows, for algorithm {}", needs.least_batch, algorithm),
           std::to_string(std::min(rows, options.batch)));
  if (balance_ && balance_ == environments_ && std::min(rows, options.batch) < least)
    refuse("train: batch",
           fmt::format("at least {} rows, {} of each environment, for algorithm {}", least, needs.least_rows,
                       algorithm),
           std::to_string(std::min(rows, options.batch)));
}

void TrainingSet::count_steps() {
  const std::size_t rows = train_.size(), tail = rows % options_.batch;
  const bool drops = tail > 0 && rows > options_.batch && options_.last_batch == "drop";
  steps_ = (rows + options_.batch - 1) / options_.batch -
           (drops || (tail > 0 && tail < least_last_ && rows > options_.batch) ? 1 : 0);
}

void TrainingSet::append(const torch::Tensor& images, std::span<const std::int64_t> parents) {
  const torch::Tensor made = images.detach().to(torch::kCPU).contiguous();
  appended_ = appended_.defined() ? torch::cat({appended_, made}) : made.clone();
  for (const std::int64_t parent : parents) {
    if (parent < 0 || static_cast<std::size_t>(parent) >= data_.images.n() + parents_.size())
      refuse("images appended", "earlier images as parents", fmt::format("{}", parent));
    train_.push_back(static_cast<std::int64_t>(data_.images.n() + parents_.size()));
    parents_.push_back(static_cast<std::int64_t>(source(parent)));
  }
}

void TrainingSet::clear_appended() {
  train_.resize(train_.size() - parents_.size());
  parents_.clear();
  appended_ = torch::Tensor();
}

std::size_t TrainingSet::source(std::int64_t row) const {
  const std::size_t number = static_cast<std::size_t>(row), n = data_.images.n();
  return number < n ? number : static_cast<std::size_t>(parents_[number - n]);
}

InputShape TrainingSet::input_of(const Images& images) const {
  InputShape shape = shape_of(images);
  if (options_.crop > 0) shape.height = shape.width = options_.crop;
  return shape;
}

TrainingSet::Cut TrainingSet::middle() const {
  return [side = options_.crop](const torch::Tensor& images) {
    if (side == 0) return images;
    const auto part = [side](const torch::Tensor& of, std::int64_t axis) {
      const std::size_t begin = place_of_middle(static_cast<std::size_t>(of.size(axis)), side);
      return of.narrow(axis, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(side));
    };
    return part(part(images, 2), 3).contiguous();
  };
}

TrainingSet::Cut TrainingSet::at_random(std::string_view purpose, std::size_t position) const {
  return [side = options_.crop, seed = options_.seed, key = stream(purpose),
          position](const torch::Tensor& images) {
    return side > 0 ? random_windows(images, side, seed, key, position) : images;
  };
}

torch::Tensor TrainingSet::images_of(std::span<const std::int64_t> rows, const Cut& cut) const {
  if (parents_.empty()) return cut(pixels_of(data_.images, rows));
  std::vector<std::int64_t> sources;
  for (const std::int64_t row : rows) sources.push_back(static_cast<std::int64_t>(source(row)));
  torch::Tensor images = cut(pixels_of(data_.images, sources));
  const auto n = static_cast<std::int64_t>(data_.images.n());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= n) images[static_cast<std::int64_t>(i)].copy_(appended_[rows[i] - n]);
  return images;
}

void TrainingSet::check(const Requirements& needs, const std::string& algorithm) {
  const std::string name = name_of(data_.images);
  if (needs.groups && data_.groups.empty())
    refuse(
        name,
        fmt::format("groups (an array named groups, or --group-column), required by algorithm {}", algorithm),
        "none");
  if (options_.select == worst_group && data_.groups.empty())
    refuse(name, "groups (an array named groups, or --group-column) to select the epoch by the worst group",
           "none");
  if (needs.environments > 0 && !data_.environment)
    refuse(name,
           fmt::format("an environment for each image (an array named environment, or --environment-column), "
                       "required by algorithm {}",
                       algorithm),
           "none");
  const auto refuse_mixing = [&](const char* why) {
    refuse("train: augment",
           fmt::format("augmentations that do not mix images, because algorithm {} {}", algorithm, why),
           in_quotes(chain_.text()));
  };
  if (chain_.mixes() && !needs.views.empty()) refuse_mixing("compares views of each image");
  if (chain_.mixes() && needs.environments > 0) refuse_mixing("distinguishes environments");
  if (chain_.mixes() && needs.own_labels) refuse_mixing("uses the label of each image");
  if (needs.unlabelled) {
    if (!data_.unlabelled)
      refuse(fmt::format("algorithm {}", algorithm), "unlabeled images of the target (--unlabelled)", "none");
    if (input_of(*data_.unlabelled) != shape())
      refuse(name_of(*data_.unlabelled),
             options_.crop > 0
                 ? fmt::format("images with as many channels as {}", name)
                 : fmt::format("images of shape {}, as {}", text_of(shape_of(data_.images)), name),
             text_of(shape_of(*data_.unlabelled)));
  }
  const GroupColumn* by = nullptr;
  if (needs.environments > 0)
    by = &*data_.environment;
  else if (needs.groups)
    by = &groups_;
  else if (needs.balanced)
    by = &(classes_ = classes_of(*data_.images.labels));
  const GroupColumn* const own = needs.environments > 0 || needs.balanced ? by : nullptr;
  const GroupColumn* const balance = balance_column(own, needs, algorithm);
  if (balance) balance_ = &balance->codes, present_ = present_of(*balance);
  if (needs.environments > 0) environments_ = &data_.environment->codes;
  if (!by) return;
  const std::vector<std::int32_t> present = present_of(*by);
  const std::string only = in_quotes(by->levels[static_cast<std::size_t>(present.front())]);
  if (needs.environments > present.size())
    refuse(name,
           fmt::format("at least {} environments among the training images, for algorithm {}",
                       needs.environments, algorithm),
           fmt::format("{}: {}", present.size(), only));
  if (present.size() == 1)
    notes_.push_back(fmt::format(
        "{}: all training images belong to the same {}, {}; algorithm {} is meant for at least two", name,
        needs.environments > 0 ? "environment"
        : needs.groups         ? "group"
                               : "class",
        only, algorithm));
}

const GroupColumn* TrainingSet::balance_column(const GroupColumn* own, const Requirements& needs,
                                               const std::string& algorithm) const {
  const std::string& what = options_.balance;
  if (what == "auto") return own;
  if (what == "environment" && !data_.environment)
    refuse("train: balance", "an environment for each image (--environment-column)", "none");
  if (what == "groups" && data_.groups.empty())
    refuse("train: balance", "groups for each image (--group-column)", "none");
  const GroupColumn* const column = what == "environment" ? &*data_.environment
                                    : what == "groups"    ? &groups_
                                                          : nullptr;
  if (own && !needs.unbalanced && column != own)
    refuse("train: balance", fmt::format("auto, because algorithm {} defines the batches", algorithm), what);
  return column;
}

std::vector<std::int32_t> TrainingSet::present_of(const GroupColumn& column) const {
  std::vector<std::size_t> sizes(column.levels.size());
  for (const std::int64_t row : train_)
    ++sizes[static_cast<std::size_t>(column.codes[static_cast<std::size_t>(row)])];
  std::vector<std::int32_t> present;
  for (std::size_t cell = 0; cell < sizes.size(); ++cell)
    if (sizes[cell] > 0) present.push_back(static_cast<std::int32_t>(cell));
  return present;
}

std::vector<std::int64_t> TrainingSet::balanced(const std::vector<std::int64_t>& shuffled) const {
  std::vector<std::vector<std::int64_t>> rows(present_.size());
  std::vector<std::size_t> place_of(static_cast<std::size_t>(present_.back()) + 1);
  for (std::size_t i = 0; i < present_.size(); ++i) place_of[static_cast<std::size_t>(present_[i])] = i;
  for (const std::int64_t row : shuffled)
    rows[place_of[static_cast<std::size_t>(code_of(*balance_, row))]].push_back(row);
  std::vector<std::size_t> round(present_.size());
  std::iota(round.begin(), round.end(), std::size_t{0});
  Random random(options_.seed, stream("balanced rounds"), epoch_);
  std::vector<std::size_t> taken(present_.size());
  std::vector<std::int64_t> order;
  while (order.size() < shuffled.size()) {
    shuffle(round, random);
    for (const std::size_t cell : round) {
      const std::size_t size = rows[cell].size();
      order.push_back(rows[cell][taken[cell]++ % size]);
      if (order.size() == shuffled.size() || order.size() % options_.batch == 0)
        break;  // a batch begins with a round
    }
  }
  return order;
}

void TrainingSet::begin_epoch(std::size_t number) {
  epoch_ = number;
  count_steps();
  order_ = train_;
  Random random(options_.seed, stream("epoch order"), epoch_);
  shuffle(order_, random);
  if (balance_) order_ = balanced(order_);
}

Minibatches TrainingSet::minibatches(std::size_t step) {
  const std::size_t begin = step * options_.batch;
  const bool takes_rest =
      step + 1 == steps_ && (options_.last_batch != "drop" || order_.size() < options_.batch);
  const std::size_t end = takes_rest ? order_.size() : begin + options_.batch;
  batch_rows_.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                     order_.begin() + static_cast<std::ptrdiff_t>(end));
  if (needs_.environments > 0)
    std::ranges::stable_sort(batch_rows_, {}, [&](std::int64_t row) { return code_of(*environments_, row); });
  const std::size_t position = position_ = (epoch_ - 1) * order_.size() + begin;
  Minibatches batches{batch(batch_rows_, at_random("windows", position))};
  batches.labelled.x = changed(batches.labelled.x, chain_, stream("augmented"), position);
  batches.labelled.views =
      views([&](std::size_t) { return batches.labelled.x; }, needs_.views, "labelled views", position);
  if (chain_.mixes()) mix(batches.labelled, position);
  if (needs_.environments > 0)
    for (std::size_t from = 0, to = 0; from < batch_rows_.size(); from = to) {
      while (to < batch_rows_.size() &&
             code_of(*environments_, batch_rows_[to]) == code_of(*environments_, batch_rows_[from]))
        ++to;
      batches.environments.push_back(
          batches.labelled.slice(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)));
    }
  if (needs_.unlabelled)
    batches.unlabelled =
        unlabelled_batch(position * needs_.unlabelled_ratio, batch_rows_.size() * needs_.unlabelled_ratio);
  batches.epoch = epoch_;
  batches.step = (epoch_ - 1) * steps_ + step + 1;
  batches.steps = options_.epochs * steps_;
  return batches;
}

Batch TrainingSet::batch(std::span<const std::int64_t> rows) const { return batch(rows, middle()); }

Batch TrainingSet::batch(std::span<const std::int64_t> rows, const Cut& cut) const {
  Batch batch;
  batch.x = images_of(rows, cut).to(device_);
  const auto numbers = [&](const auto& values) {
    torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(rows.size())}, torch::kInt64);
    auto* out = tensor.data_ptr<std::int64_t>();
    for (const std::int64_t row : rows) *out++ = values[source(row)];
    return tensor.to(device_);
  };
  batch.y = numbers(*data_.images.labels);
  if (!groups_.codes.empty()) batch.group = numbers(groups_.codes);
  batch.rows = rows;
  return batch;
}

Batch TrainingSet::augmented(std::span<const std::int64_t> rows) const {
  Batch beside = batch(rows, at_random("augmented beside windows", position_));
  beside.x = changed(beside.x, chain_, stream("augmented beside"), position_);
  return beside;
}

Batch TrainingSet::unlabelled_batch(std::size_t position, std::size_t count) {
  const std::size_t n = data_.unlabelled->n();
  unlabelled_rows_.clear();
  for (std::size_t i = position; i < position + count; ++i) {
    const std::size_t pass = i / n + 1;  // 0: none yet
    if (pass != unlabelled_pass_) {
      unlabelled_pass_ = pass;
      unlabelled_order_.resize(n);
      std::iota(unlabelled_order_.begin(), unlabelled_order_.end(), std::int64_t{0});
      Random random(options_.seed, stream("unlabelled order"), pass);
      shuffle(unlabelled_order_, random);
    }
    unlabelled_rows_.push_back(unlabelled_order_[i % n]);
  }
  Batch batch;
  batch.rows = unlabelled_rows_;
  const torch::Tensor whole = pixels_of(*data_.unlabelled, unlabelled_rows_);
  const auto window = [&](const std::string& purpose) {
    return at_random(purpose, position)(whole).to(device_);
  };
  batch.views =
      views([&](std::size_t number) { return window(fmt::format("unlabelled windows {}", number)); },
            needs_.unlabelled_views, "unlabelled views", position);
  batch.x = needs_.unlabelled_views.empty()
                ? changed(window("unlabelled windows"), chain_, stream("augmented unlabelled"), position)
                : middle()(whole).to(device_);
  return batch;
}

std::vector<torch::Tensor> TrainingSet::views(const std::function<torch::Tensor(std::size_t number)>& images,
                                              const std::vector<std::string>& names, std::string_view purpose,
                                              std::size_t position) const {
  std::vector<torch::Tensor> all;
  for (std::size_t number = 0; number < names.size(); ++number)
    all.push_back(changed(images(number), augment::Chain(names[number]),
                          stream(purpose) + static_cast<std::uint32_t>(number), position));
  return all;
}

torch::Tensor TrainingSet::changed(const torch::Tensor& images, const augment::Chain& chain,
                                   std::uint32_t purpose, std::size_t position) const {
  if (!chain.changes_pixels()) return images;
  const auto side = [&](std::int64_t axis) { return static_cast<std::size_t>(images.size(axis)); };
  const std::size_t size = side(1) * side(2) * side(3);
  torch::Tensor result = images.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
  auto* const data = result.data_ptr<float>();
  parallel_for(static_cast<std::size_t>(result.size(0)), [&](std::size_t i) {
    Random random(options_.seed, purpose, position + i);
    chain.change({data + i * size, size}, side(1), side(2), side(3), random);
  });
  return result.to(device_);
}

void TrainingSet::mix(Batch& batch, std::size_t position) const {
  const InputShape images = shape();
  Random random(options_.seed, stream("mixture"), position);
  const augment::Mix plan = chain_.plan(batch.rows.size(), images.height, images.width, random);
  if (plan.share == 1) return;
  torch::Tensor mixed = batch.x.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
  augment::apply(plan, {mixed.data_ptr<float>(), static_cast<std::size_t>(mixed.numel())},
                 {images.channels, images.height, images.width});
  batch.x = mixed.to(device_);
  const std::vector<std::int64_t> numbers(plan.partner.begin(), plan.partner.end());
  const torch::Tensor partner = to_tensor(numbers, 0, numbers.size()).to(device_);
  batch.other = batch.y.index_select(0, partner);
  if (plan.share < .5) {
    std::swap(batch.y, batch.other);
    if (batch.group.defined()) batch.group = batch.group.index_select(0, partner);
  }
  batch.share = torch::full(batch.y.sizes(), std::max(plan.share, 1 - plan.share)).to(device_);
}

std::vector<std::int32_t> TrainingSet::validation_groups() const {
  std::vector<std::int32_t> groups;
  if (!groups_.codes.empty())
    for (const std::int64_t row : validation_) groups.push_back(groups_.codes[static_cast<std::size_t>(row)]);
  return groups;
}

}  // namespace leeway::nn
