#include "leeway/nn/attack/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn {
namespace {

double share_of(std::size_t count, std::size_t n) {
  return static_cast<double>(count) / static_cast<double>(n);
}

Box box_of(const Images& images) { return images.are_rows() ? anywhere : Box{}; }

void check_values(const Images& images) {
  if (!images.are_rows()) return;
  const auto values = images.pixels.view<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i]) > farthest_value)
      refuse(images.path.empty() ? "rows" : display_name(images.path),
             fmt::format("numbers of at most {:g} to attack", farthest_value),
             fmt::format("{:g} at row {}", values[i], i / images.pixels_per_image()));
}

// What is attacked, and towards or away from which classes.
struct Aim {
  const AttackedModel& model;
  const Images& images;
  const std::vector<std::int64_t>& classes;
  const AttackOptions& options;

  [[nodiscard]] bool targeted() const { return !options.targets.empty(); }
};

// One attack on all rows, judged by a fresh pass over what it made.
struct Pass {
  Images images;
  Outputs outputs;
  std::vector<std::uint8_t> success;
  std::vector<double> norms;
  std::size_t right = 0, zero_gradients = 0;

  [[nodiscard]] double withstood() const {
    return share_of(static_cast<std::size_t>(std::ranges::count(success, std::uint8_t{0})), success.size());
  }
};

void judge(Pass& pass, const Aim& aim, Progress* progress) {
  const std::size_t n = aim.images.n();
  pass.outputs = aim.model.outputs(pass.images, "check", progress);
  const std::vector<std::int64_t> predicted = predictions(pass.outputs.logits);
  pass.success.resize(n);
  pass.right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    pass.right += predicted[i] == aim.classes[i];
    pass.success[i] =
        aim.targeted() ? predicted[i] == aim.options.targets[i] : predicted[i] != aim.classes[i];
  }
  pass.norms.assign(n, std::numeric_limits<double>::infinity());
  for_shards(n, "norms", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::Tensor moved =
        distances(pixels(pass.images, begin, end), pixels(aim.images, begin, end), aim.options.norm);
    for (std::size_t i = begin; i < end; ++i)
      if (pass.success[i]) pass.norms[i] = moved.data_ptr<double>()[i - begin];
  });
}

// The problem of every shard, and its first row.
void for_problems(const Aim& aim, const std::string& name, Progress* progress,
                  const std::function<void(std::size_t, const Problem&)>& work) {
  for_shards(aim.images.n(), name, progress, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> keys;
    for (std::size_t row = begin; row < end; ++row) keys.push_back(row);
    const auto& targets = aim.targeted() ? aim.options.targets : aim.classes;
    work(begin, {aim.model.forward, pixels(aim.images, begin, end).to(aim.model.device),
                 to_tensor(targets, begin, end).to(aim.model.device), keys, aim.options.loss.value(),
                 aim.targeted(), box_of(aim.images)});
  });
}

Pass run_pass(const Aim& aim, const std::string& name, Progress* progress,
              const std::function<Attacked(const Problem&)>& run) {
  RowBuffer attacked(aim.images.n());
  std::atomic<std::size_t> zero_gradients{0};
  for_problems(aim, name, progress, [&](std::size_t begin, const Problem& problem) {
    const Attacked found = run(problem);
    attacked.put(begin, found.images);
    zero_gradients += found.zero_gradients();
  });
  Pass pass;
  pass.images = {aim.images.path, shared_array(attacked.all()), aim.images.labels, aim.images.rank};
  pass.images.class_names = aim.images.class_names;
  pass.zero_gradients = zero_gradients;
  judge(pass, aim, progress);
  return pass;
}

// Share of rows whose gradient does not predict how the loss changes over a short step along its signs: 1/8 of
// the radius per value, at most 1/255 of the box. Rows whose gradient is 0 are not among them.
std::optional<double> unreliable_gradients(const Aim& aim, Progress* progress) {
  constexpr double longest = 1. / 255, of_radius = 1. / 8, least_share = .1;
  const Box box = box_of(aim.images);
  double length = longest;
  if (aim.options.eps) {
    const auto values = static_cast<double>(aim.images.pixels_per_image());
    const double radius = *aim.options.eps / (aim.options.norm == Norm::l2 ? std::sqrt(values) : 1);
    length = box.unbounded() ? of_radius * radius : std::min(longest, of_radius * radius);
  }
  if (length == 0) return std::nullopt;
  std::atomic<std::size_t> unreliable{0};
  for_problems(aim, "gradient check", progress, [&](std::size_t, const Problem& problem) {
    const Margin here = margin_with_gradient(problem, problem.clean);
    const torch::Tensor moved =
        Ball(problem.clean, Norm::linf, length, box).step(problem.clean, here.gradient, length);
    const torch::Tensor predicted = (here.gradient * (moved - problem.clean)).flatten(1).sum(1),
                        rise = margin(problem, moved).value - here.value;
    unreliable += static_cast<std::size_t>(
        ((predicted > 0) & (rise < least_share * predicted)).sum().item<std::int64_t>());
  });
  return share_of(unreliable, aim.images.n());
}

// Runs the attack "noise" with the same radius, norm, steps and restarts. For minimum norm the radius doubles
// up to the whole box (any range: 1024); each row keeps the nearest. l_2 replaces norms that noise lacks.
Attacked run_noise_for(const Problem& problem, const AttackOptions& options) {
  const AttackMember& member = attack("noise");
  AttackOptions noise = options;
  noise.attack = member.name;
  std::erase_if(noise.parameters, [&](const auto& one) {
    return std::ranges::find(member.parameters, one.first, &Parameter::name) == member.parameters.end();
  });
  if (options.eps) return member.run(problem, complete_attack(noise));
  if (options.norm != Norm::linf) noise.norm = Norm::l2;
  noise.parameters.clear();
  const double pixels_of_image =
      static_cast<double>(problem.clean.numel()) / static_cast<double>(problem.clean.size(0));
  const bool unbounded = problem.box.unbounded();
  const double side = unbounded ? 1 << 10 : 1;
  const double box = side * (noise.norm == Norm::linf ? 1 : std::sqrt(pixels_of_image));
  Nearest nearest(problem);
  for (int halvings = unbounded ? 18 : 8; halvings >= 0; --halvings) {
    noise.eps = box * std::pow(2., -halvings);
    const torch::Tensor x = member.run(problem, complete_attack(noise)).images;
    nearest.offer(x, distances(x, problem.clean, options.norm), margin(problem, x).success);
  }
  return {nearest.images(), {}};
}

// Takes the noise image where it succeeds and the attack fails; with `nearer`, also where it is nearer.
void take_worse(Pass& pass, const Pass& noise, bool nearer) {
  const std::size_t width = pass.images.pixels_per_image(), n = pass.success.size();
  const auto own = pass.images.pixels.view<float>(), other = noise.images.pixels.view<float>();
  std::vector<float> pixels(own.begin(), own.end());
  for (std::size_t i = 0; i < n; ++i)
    if (noise.success[i] != 0 && (pass.success[i] == 0 || (nearer && noise.norms[i] < pass.norms[i])))
      std::ranges::copy(other.subspan(i * width, width),
                        pixels.begin() + static_cast<std::ptrdiff_t>(i * width));
  pass.images.pixels = make_array(pass.images.pixels.shape, std::move(pixels));
}

void check_targets(const std::vector<std::int64_t>& targets, std::size_t n, std::size_t k) {
  if (targets.empty()) return;
  if (targets.size() != n)
    refuse("attack: targets", fmt::format("{}, one per image", n), std::to_string(targets.size()));
  for (std::size_t i = 0; i < n; ++i)
    if (targets[i] < 0 || targets[i] >= static_cast<std::int64_t>(k))
      refuse("attack: targets", fmt::format("classes from 0 to {}", k - 1),
             fmt::format("{} at row {}", targets[i], i));
}

}  // namespace

AttackResult run_attack(const AttackedModel& model, const Images& images, const AttackOptions& options,
                        Progress* progress) {
  check_values(images);
  const std::size_t n = images.n();
  AttackResult result;
  result.options = options;
  const Outputs unmoved = model.outputs(images, "clean outputs", progress);
  check_targets(options.targets, n, unmoved.k());
  const std::vector<std::int64_t> clean = predictions(unmoved.logits);
  result.labelled = images.labels.has_value();
  if (result.labelled && count_labels(*images.labels) < n)
    refuse(display_name(images.path), "a label for every image, or for none, to attack",
           fmt::format("{} of {} images without a label (-1 or NaN)", n - count_labels(*images.labels), n));
  result.classes = result.labelled ? *images.labels : clean;
  const Aim aim{model, images, result.classes, options};
  const AttackMember& member = attack(options.attack);
  Pass pass = run_pass(aim, options.attack, progress,
                       [&](const Problem& problem) { return member.run(problem, options); });
  if (member.gradients) {
    result.zero_gradient = share_of(pass.zero_gradients, n);
    result.unreliable_gradient = unreliable_gradients(aim, progress);
  }
  if (result.zero_gradient.value_or(0) > most_zero_gradients) {
    const Pass noise = run_pass(aim, "noise", progress,
                                [&](const Problem& problem) { return run_noise_for(problem, options); });
    result.beside_noise = {pass.withstood(), noise.withstood()};
    take_worse(pass, noise, member.minimum_norm);
    judge(pass, aim, progress);
  }
  result.images = std::move(pass.images), result.outputs = std::move(pass.outputs);
  result.success = std::move(pass.success), result.norms = std::move(pass.norms);
  result.robust_accuracy = share_of(pass.right, n);
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += clean[i] == result.classes[i];
  result.clean_accuracy = share_of(right, n);
  return result;
}

}  // namespace leeway::nn
