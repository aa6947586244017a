// RNN, GRU and LSTM, one or both directions, step by step for gradients. Gates of a step: W x + R h + Wb +
// Rb, one block of `hidden` rows each, in ONNX's order (LSTM: i o f c; GRU: z r h). After its end, a row
// keeps its state and gives 0.
#include "leeway/core/message.h"
#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;
using Activation = Tensor (*)(const Tensor&);

Tensor hard_sigmoid(const Tensor& x) { return (x * .2 + .5).clamp(0, 1); }
Tensor softsign(const Tensor& x) { return x / (x.abs() + 1); }
Tensor softplus(const Tensor& x) { return at::softplus(x); }
Tensor leaky_relu(const Tensor& x) { return at::leaky_relu(x, .01); }
Tensor elu(const Tensor& x) { return at::elu(x); }

struct NamedActivation {
  std::string_view name;
  Activation function;
};
constexpr NamedActivation activations[] = {{"Sigmoid", at::sigmoid},  {"Tanh", at::tanh},
                                           {"Relu", at::relu},        {"HardSigmoid", hard_sigmoid},
                                           {"Softsign", softsign},    {"Softplus", softplus},
                                           {"LeakyRelu", leaky_relu}, {"Elu", elu}};

constexpr std::string_view recurrent_directions[] = {"forward", "reverse", "bidirectional"};

// One layer's options, which its two directions share.
struct Layer {
  std::size_t direction = 0;
  std::int64_t hidden = 0;
  std::vector<Activation> functions;  // of a direction after the other
  bool rows_first = false;            // (rows, steps, ...) rather than (steps, rows, ...)
  double clip = 0;                    // 0: none

  [[nodiscard]] std::int64_t ways() const { return direction == 2 ? 2 : 1; }
  [[nodiscard]] bool backward(std::int64_t way) const { return direction == 1 || way == 1; }
  [[nodiscard]] Activation function(std::int64_t way, std::size_t which) const {
    const std::size_t each = functions.size() / static_cast<std::size_t>(ways());
    return functions[static_cast<std::size_t>(way) * each + which];
  }
  [[nodiscard]] Tensor clipped(const Tensor& gates) const {
    return clip > 0 ? gates.clamp(-clip, clip) : gates;
  }
};

Layer layer_of(Call& call, std::initializer_list<Activation> defaults) {
  Layer layer;
  layer.direction = call.choice("direction", recurrent_directions);
  layer.hidden = call.integer("hidden_size", 0);
  layer.rows_first = call.flag("layout", false);
  layer.clip = call.real("clip", 0);
  const std::size_t count = defaults.size() * static_cast<std::size_t>(layer.ways());
  const auto names = call.texts("activations");
  for (std::int64_t way = 0; !names && way < layer.ways(); ++way)
    layer.functions.insert(layer.functions.end(), defaults);
  if (names && names->size() != count)
    call.fail(std::to_string(count) + " activations", std::to_string(names->size()));
  for (const std::string& name : names.value_or(std::vector<std::string>{})) {
    const auto* const found = std::ranges::find(activations, std::string_view(name), &NamedActivation::name);
    if (found == std::end(activations)) call.fail("activations that leeway supports", in_quotes(name));
    layer.functions.push_back(found->function);
  }
  return layer;
}

// The inputs that all have: X, W, R, B, sequence lengths, the first state (and of an LSTM the first cell and peepholes).
struct Weights {
  Tensor w, r, wb, rb;
};
Weights weights_of(const Tensors& in, std::int64_t way, std::int64_t gates, std::int64_t hidden) {
  Weights weights{in[1][way], in[2][way], {}, {}};
  TORCH_CHECK(weights.w.dim() == 2 && weights.w.size(0) == gates * hidden, "weights of ", gates, " times ",
              hidden, " rows, not ", weights.w.sizes());
  const Tensor both =
      in.size() > 3 && in[3].defined() ? in[3][way] : at::zeros({2 * gates * hidden}, weights.w.options());
  TORCH_CHECK(both.numel() == 2 * gates * hidden, "two biases for each of ", gates * hidden, " rows");
  weights.wb = both.slice(0, 0, gates * hidden), weights.rb = both.slice(0, gates * hidden);
  return weights;
}

// (steps, rows, numbers).
Tensor steps_first(const Layer& layer, const Tensor& x) {
  TORCH_CHECK(x.dim() == 3, "an input of three dimensions, not ", x.dim());
  return layer.rows_first ? x.transpose(0, 1) : x;
}

// Of one direction, (rows, hidden).
Tensor first_state(const Layer& layer, const Tensors& in, std::size_t index, std::int64_t way,
                   const Tensor& x) {
  if (index >= in.size() || !in[index].defined()) return at::zeros({x.size(1), layer.hidden}, x.options());
  const Tensor all = layer.rows_first ? in[index].transpose(0, 1) : in[index];
  TORCH_CHECK(all.dim() == 3 && all.size(1) == x.size(1), "a first state of ", x.size(1), " rows, not ",
              all.sizes());
  return all[way];
}

struct Run {
  Tensor outputs;              // (steps, rows, hidden)
  std::vector<Tensor> states;  // the last ones
};

// states <- step(input, states), of which the first is the output.
template <class Step>
Run run_steps(const Layer& layer, std::int64_t way, const Tensor& x, const Tensor& lengths,
              std::vector<Tensor> states, const Step& step) {
  const std::int64_t steps = x.size(0);
  std::vector<Tensor> outputs(static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t t = layer.backward(way) ? steps - 1 - i : i;
    std::vector<Tensor> next = step(x[t], states);
    Tensor output = next[0];
    if (lengths.defined()) {
      const Tensor goes_on = (lengths > t).unsqueeze(1);
      for (std::size_t s = 0; s < next.size(); ++s) next[s] = at::where(goes_on, next[s], states[s]);
      output = at::where(goes_on, output, at::zeros_like(output));
    }
    outputs[static_cast<std::size_t>(t)] = output;
    states = std::move(next);
  }
  TORCH_CHECK(steps > 0, "a sequence of at least one step");
  return {at::stack(outputs), std::move(states)};
}

// Y (steps, ways, rows, hidden), then the last states (ways, rows, hidden); or with the rows first.
Tensors joined(const Layer& layer, const std::vector<Run>& runs) {
  std::vector<Tensor> outputs;
  for (const Run& run : runs) outputs.push_back(run.outputs);
  const Tensor all = at::stack(outputs, 1);
  Tensors result{layer.rows_first ? all.permute({2, 0, 1, 3}) : all};
  for (std::size_t s = 0; s < runs[0].states.size(); ++s) {
    std::vector<Tensor> last;
    for (const Run& run : runs) last.push_back(run.states[s]);
    const Tensor states = at::stack(last);
    result.push_back(layer.rows_first ? states.transpose(0, 1) : states);
  }
  return result;
}

template <class MakeStep>
Kernel recurrent(Layer layer, std::int64_t gates, std::size_t states, MakeStep make_step) {
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor x = steps_first(layer, in[0]);
    const Tensor lengths = in.size() > 4 ? in[4] : Tensor();
    Layer own = layer;
    if (own.hidden == 0) own.hidden = in[2].size(-1);
    TORCH_CHECK(in[1].dim() == 3 && in[2].dim() == 3 && in[1].size(0) == own.ways(), "weights of ",
                own.ways(), " directions");
    std::vector<Run> runs;
    for (std::int64_t way = 0; way < own.ways(); ++way) {
      std::vector<Tensor> first;
      for (std::size_t s = 0; s < states; ++s) first.push_back(first_state(own, in, 5 + s, way, x));
      runs.push_back(run_steps(own, way, x, lengths, std::move(first),
                               make_step(own, way, weights_of(in, way, gates, own.hidden), in)));
    }
    return joined(own, runs);
  };
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return at::matmul(x, weight.t()) + bias;
}

}  // namespace

// h' = f(W x + R h + Wb + Rb)
static Kernel prepare_rnn(Call& call) {
  return recurrent(layer_of(call, {at::tanh}), 1, 1,
                   [](const Layer& layer, std::int64_t way, const Weights& w, const Tensors&) {
                     return [=](const Tensor& x, const std::vector<Tensor>& states) -> std::vector<Tensor> {
                       const Tensor gates = linear(x, w.w, w.wb) + linear(states[0], w.r, w.rb);
                       return {layer.function(way, 0)(layer.clipped(gates))};
                     };
                   });
}

// z, r = f(W x + R h + Wb + Rb);  h' = (1 - z) c + z h;  c = g(Wc x + Wbc + Rc (r h) + Rbc), or with r (Rc h
// + Rbc) if linear_before_reset.
static Kernel prepare_gru(Call& call) {
  const bool linear_first = call.flag("linear_before_reset", false);
  return recurrent(layer_of(call, {at::sigmoid, at::tanh}), 3, 1,
                   [=](const Layer& layer, std::int64_t way, const Weights& w, const Tensors&) {
                     const std::int64_t two = 2 * layer.hidden;
                     const Activation f = layer.function(way, 0), g = layer.function(way, 1);
                     return [=](const Tensor& x, const std::vector<Tensor>& states) -> std::vector<Tensor> {
                       const Tensor& h = states[0];
                       const Tensor input = linear(x, w.w, w.wb);
                       const Tensor state = linear(h, w.r.slice(0, 0, two), w.rb.slice(0, 0, two));
                       const Tensor gates = f(layer.clipped(input.slice(1, 0, two) + state));
                       const Tensor z = gates.slice(1, 0, layer.hidden), r = gates.slice(1, layer.hidden);
                       const Tensor rc = w.r.slice(0, two), rbc = w.rb.slice(0, two);
                       const Tensor reset = linear_first ? r * linear(h, rc, rbc) : linear(r * h, rc, rbc);
                       const Tensor candidate = g(layer.clipped(input.slice(1, two) + reset));
                       return {(1 - z) * candidate + z * h};
                     };
                   });
}

// i, f = s(. + P c), g of the candidate; c' = f c + i g; o = s(. + Po c'); h' = o t(c')
static Kernel prepare_lstm(Call& call) {
  const bool input_forget = call.flag("input_forget", false);
  return recurrent(
      layer_of(call, {at::sigmoid, at::tanh, at::tanh}), 4, 2,
      [=](const Layer& layer, std::int64_t way, const Weights& w, const Tensors& in) {
        const std::int64_t size = layer.hidden;
        const Activation s = layer.function(way, 0), g = layer.function(way, 1), t = layer.function(way, 2);
        const Tensor peepholes = in.size() > 7 && in[7].defined() ? in[7][way] : Tensor();
        const auto peep = [=](std::int64_t which, const Tensor& cell) {
          return peepholes.defined() ? peepholes.slice(0, which * size, (which + 1) * size) * cell
                                     : at::zeros({1}, cell.options());
        };
        return [=](const Tensor& x, const std::vector<Tensor>& states) -> std::vector<Tensor> {
          const Tensor& cell = states[1];
          const Tensor gates = linear(x, w.w, w.wb) + linear(states[0], w.r, w.rb);
          const auto gate = [&](std::int64_t which) {
            return gates.slice(1, which * size, (which + 1) * size);
          };
          const Tensor i = s(layer.clipped(gate(0) + peep(0, cell)));
          const Tensor f = input_forget ? 1 - i : s(layer.clipped(gate(2) + peep(2, cell)));
          const Tensor next = f * cell + i * g(layer.clipped(gate(3)));
          const Tensor o = s(layer.clipped(gate(1) + peep(1, next)));
          return {o * t(next), next};
        };
      });
}

static constexpr Operator recurrent_table[] = {
    {"GRU", prepare_gru, 3, 6, 2}, {"LSTM", prepare_lstm, 3, 8, 3}, {"RNN", prepare_rnn, 3, 6, 2}};

std::span<const Operator> recurrent_operators() { return recurrent_table; }

}  // namespace leeway::nn::onnx
