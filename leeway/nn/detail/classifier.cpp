#include <algorithm>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {
namespace {

// All classes at once: so many rows that their gradients stay in the cache from layer to layer.
std::size_t jacobian_shard(std::size_t n, std::size_t m) {
  constexpr std::size_t gradients = 256;
  return even_shard(n, std::max<std::size_t>(1, gradients / m));
}

// Rows [begin, end) of (n,d) numbers as images; nothing is copied, the numbers must outlive the tensor.
torch::Tensor as_images(std::span<const float> x, const InputShape& shape, std::size_t begin,
                        std::size_t end) {
  // LibTorch has no read-only tensors; this one is only read.
  auto* const first = const_cast<float*>(x.data() + begin * shape.pixels());  // NOLINT
  return torch::from_blob(first, sizes_of(end - begin, shape), torch::kFloat32);
}

void copy_out(const torch::Tensor& values, float* out) {
  const torch::Tensor plain = values.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  std::copy_n(plain.data_ptr<float>(), plain.numel(), out);
}

// Classes that are asked for, (n,m).
torch::Tensor rows_of(const std::vector<std::int64_t>& wanted, std::size_t m, std::size_t begin,
                      std::size_t end, std::size_t k) {
  if (wanted.empty())
    return torch::arange(static_cast<std::int64_t>(k)).expand({static_cast<std::int64_t>(end - begin), -1});
  return to_tensor(wanted, begin * m, end * m).view({-1, static_cast<std::int64_t>(m)});
}

// By automatic differentiation, one class after the other. `out`: (n,m,d).
torch::Tensor differentiate(const ForwardFunction& forward, torch::Tensor images,
                            const torch::Tensor& classes, float* out) {
  images.requires_grad_();
  const torch::Tensor logits = forward(images).logits, chosen = logits.gather(1, classes);
  const torch::Tensor one = torch::zeros_like(chosen);  // of the class at hand
  const std::int64_t m = classes.size(1), d = images[0].numel();
  for (std::int64_t j = 0; j < m; ++j) {
    const torch::Tensor column = one.select(1, j);
    column.fill_(1);
    const torch::Tensor gradient = gradient_of(chosen, images, one, j + 1 < m);
    column.zero_();
    const torch::Tensor plain = gradient.to(torch::kCPU, torch::kFloat32).contiguous();
    for (std::int64_t i = 0; i < images.size(0); ++i)
      std::copy_n(plain.data_ptr<float>() + i * d, d, out + (i * m + j) * d);
  }
  return logits;
}

ClassGradients gradients_of(const ForwardFunction& forward, const JacobianFunction& jacobian,
                            const InputShape& input, std::size_t k, std::span<const float> x,
                            std::span<const std::int32_t> classes, torch::Device device) {
  const std::size_t d = input.pixels(), n = x.size() / d, m = classes.empty() ? k : classes.size() / n;
  ClassGradients result{std::vector<float>(n * k), std::vector<float>(n * m * d)};
  const std::vector<std::int64_t> wanted(classes.begin(), classes.end());
  const std::size_t shard = jacobian ? jacobian_shard(n, m) : shard_of(n);
  for_shards(n, shard, "class gradients", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::Tensor images = as_images(x, input, begin, end).to(device),
                        chosen = rows_of(wanted, m, begin, end, k).to(device);
    float* const logits = result.logits.data() + begin * k;
    float* const gradients = result.gradients.data() + begin * m * d;
    if (jacobian) {
      const Network::Jacobian found = jacobian(images, chosen);
      copy_out(found.logits, logits);
      copy_out(found.gradients, gradients);
    } else {
      copy_out(differentiate(forward, images, chosen, gradients), logits);
    }
  });
  return result;
}

// A shard is not split again: attacks ask for one at a time, from several threads.
std::size_t shard_of_call(std::size_t n) { return n <= shard_rows ? n : shard_of(n); }

// A forward pass of some rows that waits for its backward passes.
struct Graph {
  torch::Tensor images, logits;
};

Graph graph_of(const ForwardFunction& forward, const torch::Tensor& images, float* logits) {
  Graph graph{images.clone().requires_grad_(), {}};
  graph.logits = forward(graph.images).logits;
  copy_out(graph.logits, logits);
  return graph;
}

// `cotangents` and `out`: of the graph's rows.
void backward(const Graph& graph, const float* cotangents, float* out) {
  const torch::Tensor weights = torch::from_blob(const_cast<float*>(cotangents), graph.logits.sizes(),
                                                 torch::kFloat32);  // NOLINT: read only
  copy_out(gradient_of(graph.logits, graph.images, weights.to(graph.logits.device()), /*keep_graph=*/true),
           out);
}

}  // namespace

attack::Points points_of(const torch::Tensor& images) {
  const auto n = static_cast<std::size_t>(images.size(0));
  attack::Points points = attack::Points::zeros(n, static_cast<std::size_t>(images.numel()) / n);
  copy_out(images, points.values.data());
  return points;
}

torch::Tensor images_of(const attack::Points& points, const torch::Tensor& like) {
  return torch::tensor(points.values, torch::kFloat32).view(like.sizes()).to(like.device());
}

std::vector<std::int64_t> values_of(const torch::Tensor& classes) {
  const torch::Tensor plain = classes.to(torch::kCPU, torch::kInt64).contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

Classifier batch_classifier(const ForwardFunction& forward, const torch::Tensor& batch, std::size_t classes) {
  const std::vector<std::int64_t> shape(batch.sizes().begin() + 1, batch.sizes().end());
  const torch::Device device = batch.device();
  const auto d = static_cast<std::size_t>(batch.numel() / batch.size(0));
  const auto images = [shape, device, d](std::span<const float> x) {
    std::vector<std::int64_t> sizes = shape;
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(x.size() / d));
    return torch::from_blob(const_cast<float*>(x.data()), sizes, torch::kFloat32)
        .to(device);  // NOLINT: read only
  };
  Classifier classifier{d, classes};
  classifier.logits = [&forward, images, classes, d](std::span<const float> x) {
    const torch::NoGradGuard no_grad;
    std::vector<float> logits(x.size() / d * classes);
    copy_out(forward(images(x)).logits, logits.data());
    return logits;
  };
  classifier.linearize = [&forward, images, classes, d](std::span<const float> x) {
    Linearized found{std::vector<float>(x.size() / d * classes)};
    found.vjp = [graph = graph_of(forward, images(x), found.logits.data()),
                 size = x.size()](std::span<const float> cotangents) {
      std::vector<float> gradient(size);
      backward(graph, cotangents.data(), gradient.data());
      return gradient;
    };
    return found;
  };
  return classifier;
}

Classifier make_classifier(ForwardFunction forward, JacobianFunction jacobian, const InputShape& input,
                           std::size_t classes, torch::Device device) {
  Classifier classifier{input.pixels(), classes};
  classifier.rows_at_once = shard_rows, classifier.reentrant = true;
  if (jacobian) {
    const std::size_t rows = 4 * jacobian_shard(shard_rows * classes, classes);  // of all but small sets
    (void)gradients_of(forward, jacobian, input, classes, std::vector<float>(rows * input.pixels()), {},
                       device);
  }
  classifier.logits = [forward, input, classes, device](std::span<const float> x) {
    const std::size_t n = x.size() / input.pixels();
    std::vector<float> logits(n * classes);
    for_shards(n, shard_of_call(n), "outputs", nullptr, [&](std::size_t begin, std::size_t end) {
      const torch::NoGradGuard no_grad;
      copy_out(forward(as_images(x, input, begin, end).to(device)).logits, logits.data() + begin * classes);
    });
    return logits;
  };
  classifier.linearize = [forward, input, classes, device](std::span<const float> x) {
    const std::size_t n = x.size() / input.pixels(), shard = shard_of_call(n);
    Linearized found{std::vector<float>(n * classes)};
    std::vector<Graph> graphs((n + shard - 1) / shard);
    for_shards(n, shard, "outputs", nullptr, [&](std::size_t begin, std::size_t end) {
      const torch::Tensor images = as_images(x, input, begin, end).to(device);
      graphs[begin / shard] = graph_of(forward, images, found.logits.data() + begin * classes);
    });
    found.vjp = [graphs = std::move(graphs), n, shard, classes,
                 d = input.pixels()](std::span<const float> cotangents) {
      std::vector<float> gradients(n * d);
      for_shards(n, shard, "gradients", nullptr, [&](std::size_t begin, std::size_t) {
        backward(graphs[begin / shard], cotangents.data() + begin * classes, gradients.data() + begin * d);
      });
      return gradients;
    };
    return found;
  };
  classifier.gradients = [forward, jacobian = std::move(jacobian), input, classes, device](
                             std::span<const float> x, std::span<const std::int32_t> chosen) {
    return gradients_of(forward, jacobian, input, classes, x, chosen, device);
  };
  return classifier;
}

}  // namespace leeway::nn
