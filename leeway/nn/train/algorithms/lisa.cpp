#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/augment/draw.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/partners.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Every row is mixed with a partner from all training rows, augmented likewise. With probability p the whole batch gets partners of the same label
// and another environment, else of another label and the same environment. Both directions are trained on: a pair (x, x') with
// l gives l x + (1-l) x' and (1-l) x + l x', with soft labels likewise, so that a step passes twice the batch. l from
// Beta(alpha, alpha): one number a row, and since both directions are there, its larger part may be the row's own. With cutmix one box a batch
// (leeway/nn/augment/mix.h), l by its area. A row that has no partner of the kind stays as it is.
//
// With batch-pairs partners are of the batch, a row in one pair at most (partners.h), and a step trains on l x + (1-l) x' alone; rows
// without a pair take no part, unless none has any. With 2 the places of x and those of x' are each sorted before they are put together.
// With hard-labels an image has the label of its larger part.
//
// With parts, each has that share of every environment's rows, in order, its own kind of pairs, its own pairs and boxes, and the loss is the
// mean over parts that have pairs.
//
// With cutmix 2 a row of a pair of the batch is mixed with any that is in one, and the label is the number l y + (1-l) y', cut to a whole one:
// often a third class. An odd side of the box loses a pixel. Rows count as right by their own labels.
class Lisa : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;

  void attach(TrainingSet& set) override {
    set_ = &set;
    partners_.emplace(set.training(), set.labels(), set.environment()->codes);
    if (parameter("cutmix") == 2 && (parameter("batch-pairs") != 0 || parameter("hard-labels") != 0))
      refuse("algorithm lisa", "batch-pairs 0 and hard-labels 0, as cutmix is 2", "others");
    if (parameter("any-environment") != 0 && (parameter("cutmix") == 2 || parameter("batch-pairs") != 0))
      refuse("algorithm lisa", "batch-pairs 0 and cutmix 0 or 1, as any-environment is 1", "others");
    if (parameter("even") != 0 && parameter("cutmix") != 1)
      refuse("algorithm lisa", "cutmix 1, as even is 1", fmt::format("{}", parameter("cutmix")));
    if (parameter("parts") > 1 && parameter("cutmix") != 2 && parameter("batch-pairs") == 0)
      refuse("algorithm lisa", "parts 1, as pairs are not of the batch (batch-pairs 0)",
             fmt::format("{}", parameter("parts")));
    const double p = parameter("same-label-probability");
    if (p > 0 && parameter("any-environment") == 0 && !partners_->any(true))
      refuse("algorithm lisa", "a label that occurs in two environments of the images to train on", "none");
    if (p < 1 && !partners_->any(false))
      refuse("algorithm lisa", "an environment with two labels among the images to train on", "none");
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& own = batches.labelled;
    Random random(setting().seed, stream("lisa"), batches.step);
    if (parameter("cutmix") == 2) return class_numbers(batches, random);
    if (parameter("batch-pairs") != 0) return pairs_within(batches, random);
    return pairs_of_all(own, draw_kind(random), random);
  }

 private:
  [[nodiscard]] double draw_share(Random& random) const {
    return augment::draw_beta(parameter("alpha"), parameter("alpha"), random);
  }
  [[nodiscard]] torch::Tensor shares_of(const std::vector<float>& shares) const {
    return torch::tensor(shares).to(setting().device);
  }
  // The share of a label whose image has that share.
  [[nodiscard]] torch::Tensor of_label(const torch::Tensor& share) const {
    return parameter("hard-labels") == 0 ? share : (share >= .5).to(share.scalar_type());
  }

  [[nodiscard]] bool draw_kind(Random& random) const {
    return random.uniform() < parameter("same-label-probability");
  }

  // The places in the batch of one part: its share of each environment's rows.
  [[nodiscard]] std::vector<std::int64_t> places_of(const Minibatches& batches, std::size_t part) const {
    const auto parts = static_cast<std::size_t>(parameter("parts"));
    std::vector<std::int64_t> places;
    if (parts == 1) {
      places.resize(batches.labelled.rows.size());
      std::iota(places.begin(), places.end(), std::int64_t{0});
      return places;
    }
    std::size_t begin = 0;
    for (const Batch& environment : batches.environments) {
      const std::size_t rows = environment.rows.size();
      for (std::size_t i = part * rows / parts; i < (part + 1) * rows / parts; ++i)
        places.push_back(static_cast<std::int64_t>(begin + i));
      begin += rows;
    }
    return places;
  }

  // Among the rows at these places, and as places in the batch.
  [[nodiscard]] BatchPairs pairs_of(const Batch& batch, const std::vector<std::int64_t>& places,
                                    bool same_label, Random& random) const {
    std::vector<std::int64_t> labels;
    std::vector<std::int32_t> environments;
    for (const std::int64_t place : places) {
      const auto row = static_cast<std::size_t>(batch.rows[static_cast<std::size_t>(place)]);
      labels.push_back(set_->labels()[row]);
      environments.push_back(set_->environment()->codes[row]);
    }
    BatchPairs pairs = pairs_of_batch(labels, environments, same_label, random);
    for (auto* const side : {&pairs.first, &pairs.second})
      for (std::int64_t& place : *side) place = places[static_cast<std::size_t>(place)];
    return pairs;
  }

  // What the parts of a batch give: mixed images one part after the other.
  struct Mixtures {
    std::vector<torch::Tensor> images, at, other, label_share;
    std::vector<Batch> batches;
    double same_label = 0;

    // The mean over parts of the mean over a part's images.
    template <class Loss>
    [[nodiscard]] torch::Tensor mean(const Loss& loss) const {
      torch::Tensor sum;
      std::int64_t begin = 0;
      for (std::size_t part = 0; part < images.size(); ++part) {
        const std::int64_t end = begin + images[part].size(0);
        const torch::Tensor one = loss(part, begin, end);
        sum = sum.defined() ? sum + one : one;
        begin = end;
      }
      return images.size() == 1 ? sum : sum / static_cast<double>(images.size());
    }
  };

  // Every part draws its kind of pairs and its pairs; mix() puts what it makes of them behind the others'.
  template <class Mix>
  [[nodiscard]] Mixtures mixtures(const Minibatches& batches, Random& random, const Mix& mix) const {
    Mixtures all;
    for (std::size_t part = 0; part < static_cast<std::size_t>(parameter("parts")); ++part) {
      const bool same_label = draw_kind(random);
      BatchPairs pairs = pairs_of(batches.labelled, places_of(batches, part), same_label, random);
      if (pairs.first.empty()) continue;
      mix(std::move(pairs), all);
      all.same_label += same_label ? 1 : 0;
    }
    return all;
  }

  [[nodiscard]] Objective class_numbers(const Minibatches& batches, Random& random) const {
    const Batch& batch = batches.labelled;
    const Mixtures all = mixtures(batches, random, [&](BatchPairs pairs, Mixtures& of_parts) {
      std::vector<std::int64_t>& paired = pairs.first;
      paired.insert(paired.end(), pairs.second.begin(), pairs.second.end());
      std::ranges::sort(paired);
      const torch::Tensor at = torch::tensor(paired).to(setting().device),
                          order = torch::tensor(permutation<std::int64_t>(paired.size(), random))
                                      .to(setting().device);
      Batch mixed = batch.select(at);
      const Batch other = mixed.select(order);
      const torch::Tensor keep = outside(mixed.x, draw_share(random), random, /*even=*/true);
      const double share = keep.sum().item<double>() / static_cast<double>(keep.numel());
      mixed.y = (mixed.y * share + other.y * (1 - share)).to(torch::kInt64);  // in float32, as there
      of_parts.images.push_back(keep * mixed.x + (1 - keep) * other.x);
      of_parts.at.push_back(at);
      of_parts.batches.push_back(mixed);
    });
    if (all.images.empty()) return plain(batch);
    const torch::Tensor logits = forward(torch::cat(all.images)).logits;
    torch::Tensor told = 1 - targets(batch, logits.size(1));  // rows without a pair are not right
    told.index_copy_(0, torch::cat(all.at), logits.detach());
    return {all.mean([&](std::size_t part, std::int64_t begin, std::int64_t end) {
              return mean_loss(logits.slice(0, begin, end), all.batches[part]);
            }),
            told,
            {},
            parts_of(all, logits.size(0), batch)};
  }

  [[nodiscard]] Objective pairs_within(const Minibatches& batches, Random& random) const {
    const Batch& batch = batches.labelled;
    const Mixtures all = mixtures(batches, random, [&](BatchPairs pairs, Mixtures& of_parts) {
      if (parameter("batch-pairs") == 2) std::ranges::sort(pairs.first), std::ranges::sort(pairs.second);
      const torch::Tensor at = torch::tensor(pairs.first).to(setting().device),
                          other_at = torch::tensor(pairs.second).to(setting().device);
      const Batch own = batch.select(at), other = batch.select(other_at);
      torch::Tensor keep, share;
      if (parameter("cutmix") == 1) {
        keep = outside(own.x, draw_share(random), random, parameter("even") != 0);
        share = keep.mean().expand({at.size(0)});
      } else {
        std::vector<float> shares;
        for (std::size_t i = 0; i < pairs.first.size(); ++i)
          shares.push_back(static_cast<float>(draw_share(random)));
        share = shares_of(shares), keep = share.view({-1, 1, 1, 1});
      }
      of_parts.images.push_back(keep * own.x + (1 - keep) * other.x);
      of_parts.at.push_back(at), of_parts.other.push_back(other_at);
      of_parts.label_share.push_back(of_label(share));
    });
    if (all.images.empty()) return plain(batch);
    const torch::Tensor logits = forward(torch::cat(all.images)).logits;
    // what is told of all rows: of those without a pair that they are not right
    torch::Tensor told = 1 - targets(batch, logits.size(1));
    told.index_copy_(0, torch::cat(all.other), logits.detach())
        .index_copy_(0, torch::cat(all.at), logits.detach());
    return {all.mean([&](std::size_t part, std::int64_t begin, std::int64_t end) {
              const torch::Tensor some = logits.slice(0, begin, end), &share = all.label_share[part];
              return (share * losses(some, batch.select(all.at[part])) +
                      (1 - share) * losses(some, batch.select(all.other[part])))
                  .mean();
            }),
            told,
            {},
            parts_of(all, 2 * logits.size(0), batch)};
  }

  [[nodiscard]] static std::map<std::string, double> parts_of(const Mixtures& all, std::int64_t mixed,
                                                              const Batch& batch) {
    return {{"mixed", static_cast<double>(mixed) / static_cast<double>(batch.rows.size())},
            {"same_label", all.same_label / static_cast<double>(all.images.size())}};
  }

  [[nodiscard]] Objective pairs_of_all(const Batch& own, bool same_label, Random& random) const {
    const bool by_box = parameter("cutmix") == 1;
    torch::Tensor box;
    if (by_box) box = outside(own.x, draw_share(random), random, parameter("even") != 0);
    std::vector<std::int64_t> rows(own.rows.begin(), own.rows.end());
    std::vector<float> shares(rows.size(), 1);
    std::size_t mixed = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      const auto partner =
          same_label && parameter("any-environment") != 0
              ? partners_->draw_of_label(set_->labels()[row], random)
              : partners_->draw(set_->labels()[row], set_->environment()->codes[row], same_label, random);
      if (!partner) continue;
      rows[i] = *partner;
      const double l = by_box ? 0 : draw_share(random);
      shares[i] = by_box ? box.mean().item<float>() : static_cast<float>(std::max(l, 1 - l));
      ++mixed;
    }
    Batch other = set_->augmented(rows);
    const torch::Tensor paired =
        torch::tensor(rows) != torch::tensor(std::vector<std::int64_t>(own.rows.begin(), own.rows.end()));
    other.x = torch::where(paired.view({-1, 1, 1, 1}).to(setting().device), other.x, own.x);
    const torch::Tensor share = shares_of(shares);
    const torch::Tensor keep = by_box ? box : share.view({-1, 1, 1, 1});  // of every pixel the own part
    const torch::Tensor images =
        torch::cat({keep * own.x + (1 - keep) * other.x, (1 - keep) * own.x + keep * other.x});
    const torch::Tensor logits = forward(images).logits;
    const std::int64_t n = own.x.size(0);
    const torch::Tensor first = logits.slice(0, 0, n), second = logits.slice(0, n);
    const torch::Tensor part = of_label(share);
    const torch::Tensor loss = part * losses(first, own) + (1 - part) * losses(first, other) +
                               (1 - part) * losses(second, own) + part * losses(second, other);
    return {loss.mean() / 2,
            first,
            {},
            {{"mixed", static_cast<double>(mixed) / static_cast<double>(rows.size())},
             {"same_label", same_label ? 1 : 0}}};
  }

  // (1,1,h,w): 0 inside a box, 1 outside.
  [[nodiscard]] static torch::Tensor outside(const torch::Tensor& x, double share, Random& random,
                                             bool even = false) {
    const std::int64_t h = x.size(2), w = x.size(3);
    const augment::Box box =
        augment::draw_box(share, static_cast<std::size_t>(h), static_cast<std::size_t>(w), random, even);
    torch::Tensor keep = torch::ones({1, 1, h, w}, x.options());
    using torch::indexing::Slice;
    const auto at = [](std::size_t place) { return static_cast<std::int64_t>(place); };
    keep.index_put_({0, 0, Slice(at(box.top), at(box.bottom)), Slice(at(box.left), at(box.right))}, 0);
    return keep;
  }

  TrainingSet* set_ = nullptr;
  std::optional<Partners> partners_;
};

}  // namespace

AlgorithmMember lisa() {
  return {
      {"lisa",
       "pairs of one label in two environments, or of two labels in one environment, mixed",
       "Yao et al., ICML 2022, section 3",
       {{"same-label-probability", .5, 0, 1,
         "that a batch pairs rows of one label and different environments; else one environment, "
         "different labels"},
        {"alpha", 2, .01, 100, "weights are drawn from Beta(alpha, alpha)"},
        {"cutmix", 0, 0, 2,
         "0: pairs are mixed by weighted sums; 1: by boxes; 2: by boxes, any rows that are in pairs of the "
         "batch, and so are the numbers of their classes, cut to whole ones, as in the program of DiagViB-6",
         true},
        {"even", 0, 0, 1,
         "1: with cutmix 1 of an odd side of the box a pixel is lost, as in the method's program", true},
        {"any-environment", 0, 0, 1,
         "1: with the same label a partner is any row, of the same environment and itself included, as in "
         "the "
         "method's program for domain shifts",
         true},
        {"batch-pairs", 0, 0, 2,
         "1: pairs are of the batch, each mixed once; 2: and their sides are sorted apart, so that few "
         "keep their rule, as in the program of DiagViB-6; 0: each row has a partner of all rows",
         true},
        {"parts", 1, 1, 1024,
         "of every batch, each with pairs of its own: 4 devices in the program of DiagViB-6", true},
        {"hard-labels", 0, 0, 1,
         "1: a mixed image has the label of its larger part, as in the program of DiagViB-6", true}}},
      [](const std::map<std::string, double>& parameters) {
        Requirements needs;
        needs.own_labels = true;
        const bool any = parameters.at("any-environment") != 0;
        needs.environments = parameters.at("same-label-probability") > 0 && !any ? 2 : 1;
        needs.unbalanced = true;
        return needs;
      },
      make_algorithm<Lisa>};
}

}  // namespace leeway::nn
