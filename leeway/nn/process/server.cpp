#include <malloc.h>
#include <sys/sysinfo.h>
#include <torch/torch.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/child_process.h"
#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/process/client.h"
#include "leeway/nn/process/confinement.h"
#include "leeway/nn/process/protocol.h"

namespace leeway::nn {
namespace {

// Outputs of a run and what they depend on.
struct TrackedOutputs {
  torch::Tensor images;
  Forward outputs;
};

struct Result {
  torch::Tensor first, second;
  bool tracked = false, features_tracked = false;
};

struct Failure {
  Answer answer = Answer::done;
  std::string reason;
};

// What went wrong inside a catch clause.
Failure current_failure() {
  const auto of = [](Answer answer, const std::string& reason) {
    const bool memory = reason.find("allocate memory") != std::string::npos ||
                        reason.find("std::bad_alloc") != std::string::npos;  // as TorchScript words it
    return Failure{memory ? Answer::no_memory : answer, reason};
  };
  try {
    throw;
  } catch (const Error& failure) {
    return of(Answer::bad_input, failure.what());
  } catch (const std::bad_alloc&) {
    return {Answer::no_memory, ""};
  } catch (const std::exception& failure) {
    return of(Answer::failed, first_line(failure));
  } catch (...) {
    return {Answer::failed, "unknown reason"};
  }
}

void set_answer(Reply& reply, const Failure& failure) {
  reply.answer = failure.answer;
  reply.bytes = failure.reason.size();
  const std::string_view act = refused_act();
  reply.act = static_cast<std::uint32_t>(std::min(act.size(), reply.refused.size()));
  std::copy_n(act.begin(), reply.act, reply.refused.begin());
}

class Server {
 public:
  explicit Server(ForwardFunction forward) : forward_(std::move(forward)) {}

  void serve(int socket, int memory_file) {
    at::set_num_threads(1);  // a setting of the thread
    SharedMemory memory(memory_file);
    Request request;
    while (receive_all(socket, &request, sizeof request)) {
      memory.map(request.memory);
      {
        const std::lock_guard lock(mutex_);
        for (std::uint32_t i = 0; i < request.released; ++i) graphs_.erase(request.graphs[i]);
      }
      Result result;
      Failure failure;
      try {
        result = request.call == Call::run ? run(request, memory) : differentiate(request, memory);
      } catch (...) {
        failure = current_failure();
      }
      Reply reply;
      set_answer(reply, failure);
      if (failure.answer == Answer::done) {
        reply.tracked = result.tracked, reply.features_tracked = result.features_tracked;
        reply.first = sizes_of(result.first), reply.second = sizes_of(result.second);
        const std::size_t needed = bytes_of(reply.first).value_or(0) + bytes_of(reply.second).value_or(0);
        if (needed > memory.size()) {
          Reply more;
          more.answer = Answer::more_memory, more.bytes = needed;
          if (!send_all(socket, &more, sizeof more) || !receive_all(socket, &request, sizeof request)) return;
          memory.map(request.memory);
        }
        put(result.second, memory.data(), put(result.first, memory.data(), 0));
      } else {
        reply.bytes = std::min<std::uint64_t>(reply.bytes, memory.size());
        std::copy_n(failure.reason.data(), reply.bytes, reinterpret_cast<char*>(memory.data()));
      }
      if (!send_all(socket, &reply, sizeof reply)) return;
    }
  }

 private:
  [[nodiscard]] Result run(const Request& request, const SharedMemory& memory) {
    std::size_t place = 0;
    const torch::Tensor images = take(request.first, memory.data(), place);
    const torch::AutoGradMode mode(request.track != 0);
    images.requires_grad_(request.track != 0);
    Forward outputs = forward_(images);
    if (outputs.logits.dim() > static_cast<std::int64_t>(most_dimensions))
      throw std::runtime_error("logits of shape " + text_of(outputs.logits.sizes()));
    outputs.logits = outputs.logits.to(torch::kFloat32);
    if (outputs.features.defined()) {
      if (outputs.features.dim() > 2) outputs.features = outputs.features.flatten(1);
      outputs.features = outputs.features.to(torch::kFloat32);
    }
    const Result result{outputs.logits, outputs.features, outputs.logits.requires_grad(),
                        outputs.features.defined() && outputs.features.requires_grad()};
    if (!result.tracked) return result;
    const std::lock_guard lock(mutex_);
    graphs_[request.graph] =
        std::make_shared<const TrackedOutputs>(TrackedOutputs{images, std::move(outputs)});
    return result;
  }

  [[nodiscard]] Result differentiate(const Request& request, const SharedMemory& memory) {
    std::shared_ptr<const TrackedOutputs> graph;
    {
      const std::lock_guard lock(mutex_);
      graph = graphs_.at(request.graph);
    }
    std::size_t place = 0;
    torch::autograd::variable_list of{graph->outputs.logits},
        factors{take(request.first, memory.data(), place)};
    const torch::Tensor features = take(request.second, memory.data(), place);
    if (features.defined() && graph->outputs.features.requires_grad()) {
      of.push_back(graph->outputs.features);
      factors.push_back(features);
    }
    return {torch::autograd::grad(of, {graph->images}, factors, /*retain_graph=*/true, /*create_graph=*/false,
                                  /*allow_unused=*/true)[0],
            {}};
  }

  ForwardFunction forward_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const TrackedOutputs>> graphs_;
};

std::size_t memory_limit(const std::string& path, const InputShape& images, std::size_t channels) {
  constexpr std::size_t base = std::size_t{1} << 30, per_file = 64, per_image = 1024, per_channel = 16 << 20;
  constexpr std::size_t unknown = 3 * 224 * 224;
  std::error_code none;
  const std::uintmax_t file = std::filesystem::file_size(path, none);
  const std::size_t pixels = images.known() ? images.pixels() : unknown;
  const std::size_t wanted = base + (none ? 0 : per_file * file) +
                             channels * (per_channel + per_image * sizeof(float) * shard_rows * pixels);
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0) return wanted;
  return std::min(wanted, machine.totalram / 10 * 9 * machine.mem_unit);
}

// Ends the process with its caller, also while a model is loaded. The thread shares memory with the model, so
// it is confined first.
void end_with_caller() {
  std::promise<void> promise;
  std::future<void> confined = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable {
    try {
      confine(Confine::compute);
    } catch (...) {
      return promise.set_exception(std::current_exception());
    }
    promise.set_value();
    (void)receive_text(child_socket, 0);  // until the caller is gone
    std::raise(SIGKILL);
  }).detach();
  confined.get();
}

}  // namespace

int serve_model() {
  constexpr std::size_t longest = std::size_t{64} << 20;
  at::set_num_threads(1);
  // Arenas of threads return large blocks to the system, which costs an attack a tenth of its time.
  mallopt(M_ARENA_MAX, 1);
  torch::manual_seed(0);  // makes the generator, which reads /dev/urandom
  (void)torch::ones({8})
      .exp();  // the first operator finds out the processor's instructions, which reads files
  const std::vector<int> channels = receive_descriptors(child_socket);
  const auto path = receive_text(child_socket, longest), wish = receive_text(child_socket, longest),
             shape = receive_text(child_socket, longest);
  if (channels.empty() || !path || !wish || !shape) return 1;
  ModelInfo info = info_from(*wish);
  info.path = *path;
  const InputShape images = info_from(*shape).input;
  limit_memory(memory_limit(*path, info.input.known() ? info.input : images, channels.size() / 2));
  LoadedProgram program;
  Failure failure;
  try {
    end_with_caller();
    confine(Confine::read);
    program = load_program(std::move(info), images, torch::kCPU,
                           /*before_running=*/[] { confine(Confine::compute); });
  } catch (...) {
    failure = current_failure();
  }
  Reply reply;
  set_answer(reply, failure);
  const std::string text = failure.answer == Answer::done ? text_of(program.info) : failure.reason;
  if (!send_all(child_socket, &reply, sizeof reply) || !send_text(child_socket, text) ||
      failure.answer != Answer::done)
    return 1;
  static Server server(std::move(program.forward));  // its threads live until the process ends
  for (std::size_t i = 0; i + 1 < channels.size(); i += 2)
    std::thread([socket = channels[i], memory = channels[i + 1]] { server.serve(socket, memory); }).detach();
  (void)receive_text(child_socket, 0);  // until the caller is gone
  return 0;
}

}  // namespace leeway::nn
