#include "leeway/nn/process/client.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/process/protocol.h"

namespace leeway::nn {
namespace {

constexpr std::size_t longest_text = std::size_t{64} << 20;
constexpr std::size_t longest_reason = 2000;
// Bytes. The memory limit of the process does not apply to shared memory.
constexpr std::size_t most_answer = std::size_t{1} << 30;
constexpr const char* cannot_start = "the process that runs the model could not be started";

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::pair<Descriptor, Descriptor> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), cannot_start);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// The program of apps/leeway-model: in leeway/ beside the library, and in the build folder of tests.
std::filesystem::path server_path() {
  Dl_info here{};
  std::vector<std::filesystem::path> tried;
  if (dladdr(reinterpret_cast<const void*>(&server_path), &here) != 0) {
    const auto folder = std::filesystem::absolute(here.dli_fname).parent_path();
    tried = {folder / "leeway/leeway-model", folder.parent_path() / "lib/leeway/leeway-model"};
  }
  for (const auto& path : tried)
    if (is_there(path)) return path;
  throw std::runtime_error(fmt::format("{}: {} is missing: reinstall leeway", cannot_start,
                                       tried.empty() ? "leeway-model" : tried.front().string()));
}

// A process that was started before a model is loaded.
std::mutex waiting_process_mutex;
std::optional<ChildProcess> waiting_process;

ChildProcess waiting_or_new_process() {
  const std::lock_guard lock(waiting_process_mutex);
  if (const auto waiting = std::exchange(waiting_process, std::nullopt)) return *waiting;
  return start_child(server_path());
}

struct Channel {
  explicit Channel(Descriptor&& own_end, Descriptor&& memory_file)
      : socket(std::move(own_end)), file(std::move(memory_file)), memory(file.get()) {}

  Descriptor socket, file;
  SharedMemory memory;
};

class ModelProcess : public std::enable_shared_from_this<ModelProcess> {
 public:
  explicit ModelProcess(const ModelInfo& info);
  ~ModelProcess();
  ModelProcess(const ModelProcess&) = delete;
  ModelProcess& operator=(const ModelProcess&) = delete;

  [[nodiscard]] ModelInfo load(ModelInfo info, const InputShape& images);
  [[nodiscard]] Forward run(const torch::Tensor& images);
  // By the images of a tracked run; undefined where there is no derivative.
  [[nodiscard]] torch::Tensor differentiate(std::uint64_t graph, const torch::Tensor& logits,
                                            const torch::Tensor& features, torch::IntArrayRef shape);
  void release(std::uint64_t graph) {
    const std::lock_guard lock(mutex_);
    released_.push_back(graph);
  }

 private:
  struct Result {
    Reply reply;
    torch::Tensor first, second;
  };

  [[nodiscard]] Result call(Request request, const torch::Tensor& first, const torch::Tensor& second);
  [[nodiscard]] Reply exchange(Channel& channel, const Request& request);
  [[noreturn]] void refuse_answer(const Reply& reply, const Channel& channel) const;
  void allow_time() const;
  [[noreturn]] void refuse_end() const { refuse(name_, "a program that computes outputs", end_); }
  // Of a process that is gone, or is ended because its answer is invalid.
  [[noreturn]] void ended();

  std::string name_;
  pid_t pid_ = -1;
  rlim_t most_time_ = RLIM_INFINITY;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::optional<Descriptor> control_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Channel*> free_;
  std::vector<std::uint64_t> released_;
  std::string end_;  // how it ended; empty while it runs
  std::atomic<std::uint64_t> graphs_{0};
};

ModelProcess::ModelProcess(const ModelInfo& info) : name_(display_name(info.path)) {
  rlimit time{};
  if (getrlimit(RLIMIT_CPU, &time) == 0) most_time_ = time.rlim_max;
  const ChildProcess process = waiting_or_new_process();
  pid_ = process.id;
  control_.emplace(process.socket);
  std::vector<Descriptor> theirs;
  std::vector<int> sent;
  for (int i = std::clamp(threads(), 1, most_channels); i > 0; --i) {
    auto [own_end, their_end] = socket_pair();
    Descriptor memory(SharedMemory::create());
    sent.insert(sent.end(), {their_end.get(), memory.get()});
    theirs.push_back(std::move(their_end));
    channels_.push_back(std::make_unique<Channel>(std::move(own_end), std::move(memory)));
    free_.push_back(channels_.back().get());
  }
  if (!send_descriptors(control_->get(), sent)) ended();
}

ModelProcess::~ModelProcess() {
  if (!end_.empty()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

ModelInfo ModelProcess::load(ModelInfo info, const InputShape& images) {
  constexpr std::size_t least_rank = 2, most_rank = 4;
  allow_time();
  const int control = control_->get();
  ModelInfo wish = info;
  wish.path.clear();  // may not be UTF-8
  ModelInfo shape;
  shape.input = images;
  if (!send_text(control, info.path) || !send_text(control, text_of(wish)) ||
      !send_text(control, text_of(shape)))
    ended();
  Reply reply;
  if (!receive_all(control, &reply, sizeof reply)) ended();
  const std::optional<std::string> text = receive_text(control, longest_text);
  if (!text) ended();
  if (reply.answer != Answer::done || reply.act > 0) {
    Channel& any = *channels_.front();
    any.memory.grow(longest_reason);
    reply.bytes = std::min(text->size(), longest_reason);
    std::memcpy(any.memory.data(), text->data(), reply.bytes);
    refuse_answer(reply, any);
  }
  ModelInfo found;
  try {
    found = info_from(*text);
  } catch (const std::exception&) {
    ended();
  }
  if (found.input.rank < least_rank || found.input.rank > most_rank) ended();
  found.path = std::move(info.path), found.format = std::move(info.format);
  found.notes_file = std::move(info.notes_file);
  for (std::string& note : found.notes) note = printable(note, longest_reason);
  check_normalization(found.normalization, name_, found.input.channels);
  found.confinement = "seccomp";
  return found;
}

void ModelProcess::allow_time() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  const rlim_t allowed = static_cast<rlim_t>(used.tv_sec) + most_seconds * channels_.size();
  const rlimit limit{std::min(allowed, most_time_), most_time_};
  prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

void ModelProcess::ended() {
  constexpr int patience = 100;  // times 10 ms for one that closed its sockets and lives on
  const std::lock_guard lock(mutex_);
  if (end_.empty()) {
    int status = 0;
    pid_t gone = 0;
    for (int i = 0; i < patience && gone == 0; ++i) {
      gone = waitpid(pid_, &status, WNOHANG);
      if (gone == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (gone == 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    const int signal = gone > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_ = signal == SIGXCPU ? fmt::format("one that ran for more than {} s", most_seconds)
           : signal > 0      ? fmt::format("one that crashed (signal {}: {})", signal, strsignal(signal))
                             : "one that ended or sent an invalid answer";
  }
  refuse_end();
}

void ModelProcess::refuse_answer(const Reply& reply, const Channel& channel) const {
  if (reply.act > 0 && reply.act <= reply.refused.size())
    refuse(name_, "a program that only computes",
           printable(fmt::format("one that {} (--trust allows it)",
                                 std::string_view(reply.refused.data(), reply.act)),
                     longest_reason));
  if (reply.answer == Answer::no_memory)
    refuse(name_, "a program that runs within its memory limit",
           "one that needs more memory (--trust lifts the limit)");
  const std::size_t size =
      std::min({static_cast<std::size_t>(reply.bytes), longest_reason, channel.memory.size()});
  const std::string reason =
      printable({reinterpret_cast<const char*>(channel.memory.data()), size}, longest_reason);
  if (reply.answer == Answer::bad_input) throw Error(reason);
  TORCH_CHECK(false, reason);  // as LibTorch would, in this process
}

Reply ModelProcess::exchange(Channel& channel, const Request& request) {
  Reply reply;
  const int socket = channel.socket.get();
  if (!send_all(socket, &request, sizeof request) || !receive_all(socket, &reply, sizeof reply)) ended();
  return reply;
}

ModelProcess::Result ModelProcess::call(Request request, const torch::Tensor& first,
                                        const torch::Tensor& second) {
  Channel* channel = nullptr;
  {
    std::unique_lock lock(mutex_);
    if (!end_.empty()) refuse_end();
    freed_.wait(lock, [&] { return !free_.empty(); });
    channel = free_.back();
    free_.pop_back();
    request.released = static_cast<std::uint32_t>(std::min(released_.size(), request.graphs.size()));
    std::copy_n(released_.end() - request.released, request.released, request.graphs.begin());
    released_.resize(released_.size() - request.released);
  }
  struct Return {
    ModelProcess& process;
    Channel* channel;
    ~Return() {
      const std::lock_guard lock(process.mutex_);
      process.free_.push_back(channel);
      process.freed_.notify_one();
    }
  } const give_back{*this, channel};
  SharedMemory& memory = channel->memory;
  request.first = sizes_of(first), request.second = sizes_of(second);
  memory.grow(*bytes_of(request.first) + *bytes_of(request.second) + longest_reason);
  put(second, memory.data(), put(first, memory.data(), 0));
  request.memory = memory.size();
  allow_time();
  Result result;
  Reply& reply = result.reply;
  reply = exchange(*channel, request);
  if (reply.answer == Answer::more_memory) {
    if (reply.bytes > most_answer) ended();
    memory.grow(reply.bytes);
    request.memory = memory.size();
    reply = exchange(*channel, request);
  }
  if (reply.answer != Answer::done || reply.act > 0) refuse_answer(reply, *channel);
  const auto bytes = bytes_of(reply.first), more = bytes_of(reply.second);
  if (!bytes || !more || *bytes + *more > memory.size()) ended();
  std::size_t place = 0;
  result.first = take(reply.first, memory.data(), place);
  result.second = take(reply.second, memory.data(), place);
  return result;
}

// A run that waits for its gradients, as long as a graph of this process has it.
struct TrackedRun : torch::CustomClassHolder {
  TrackedRun(std::shared_ptr<ModelProcess> owner, std::uint64_t number)
      : process(std::move(owner)), graph(number) {}
  ~TrackedRun() override { process->release(graph); }

  std::shared_ptr<ModelProcess> process;
  std::uint64_t graph;
};

struct RunElsewhere : torch::autograd::Function<RunElsewhere> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const torch::Tensor& images, const Forward& result,
                                                bool features_tracked,
                                                const c10::intrusive_ptr<TrackedRun>& run) {
    context->saved_data["run"] = c10::IValue::make_capsule(run);
    context->saved_data["shape"] = images.sizes().vec();
    if (!result.features.defined()) return {result.logits};
    if (!features_tracked) context->mark_non_differentiable({result.features});
    return {result.logits, result.features};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list factors) {
    const auto capsule = context->saved_data["run"].toCapsule();
    const auto* const run = static_cast<const TrackedRun*>(capsule.get());
    const std::vector<std::int64_t> shape = context->saved_data["shape"].toIntVector();
    const torch::Tensor features = factors.size() > 1 ? factors[1] : torch::Tensor();
    torch::Tensor gradient = run->process->differentiate(run->graph, factors[0], features, shape);
    return {gradient, torch::Tensor(), torch::Tensor(), torch::Tensor()};
  }
};

Forward ModelProcess::run(const torch::Tensor& images) {
  Request request;
  const bool track = torch::GradMode::is_enabled() && images.requires_grad();
  request.track = track ? 1 : 0;
  request.graph = track ? ++graphs_ : 0;
  Result result = call(request, images.detach().to(torch::kFloat32), {});
  const Reply& reply = result.reply;
  Forward outputs{std::move(result.first), std::move(result.second)};
  if (!outputs.logits.defined()) ended();
  if (!track || reply.tracked == 0) return outputs;
  const auto tracked = c10::make_intrusive<TrackedRun>(shared_from_this(), request.graph);
  const auto variables = RunElsewhere::apply(images, outputs, reply.features_tracked != 0, tracked);
  return {variables[0], variables.size() > 1 ? variables[1] : torch::Tensor()};
}

torch::Tensor ModelProcess::differentiate(std::uint64_t graph, const torch::Tensor& logits,
                                          const torch::Tensor& features, torch::IntArrayRef shape) {
  Request request;
  request.call = Call::differentiate;
  request.graph = graph;
  torch::Tensor gradient = call(request, logits, features).first;
  if (gradient.defined() && gradient.sizes() != shape) ended();
  return gradient;
}

}  // namespace

void adopt_model_process(ChildProcess process) {
  const std::lock_guard lock(waiting_process_mutex);
  waiting_process = process;
}

LoadedProgram load_confined(ModelInfo info, const InputShape& images) {
  const auto process = std::make_shared<ModelProcess>(info);
  ModelInfo found = process->load(std::move(info), images);
  return {std::move(found), [process](const torch::Tensor& x) { return process->run(x); }};
}

}  // namespace leeway::nn
