#include "apps/leeway/nn_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "leeway/core/child_process.h"
#include "leeway/core/file.h"
#include "leeway/core/version.h"

namespace leeway::app {
namespace {

constexpr const char* library_name = "libleeway_nn.so";

std::vector<std::filesystem::path> candidates() {
  if (const char* const named = std::getenv("LEEWAY_NN_LIBRARY")) return {named};
  std::vector<std::filesystem::path> paths;
  std::error_code failure;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    const auto prefix = executable.parent_path().parent_path();
    paths.push_back(prefix / "lib" / library_name);
    paths.push_back(prefix / LEEWAY_RELATIVE_LIBRARY_DIR / library_name);
  }
  paths.push_back(std::filesystem::path(LEEWAY_LIBRARY_DIR) / library_name);
  return paths;
}

std::optional<std::filesystem::path> library() {
  for (const auto& path : candidates())
    if (is_there(path)) return path;
  return std::nullopt;
}

// Whether the file is probably a program (TorchScript, ONNX, .pt2); the library decides when it loads the model.
bool is_program(const std::string& option_value) {
  constexpr std::size_t directory_of_zip = 1 << 20;  // bytes at the end of the file
  const std::filesystem::path path(split_name(option_value).second);
  if (path == "-") return false;
  try {
    const MappedFile file = map_file(path);
    const std::string_view text = file.text(),
                           tail = text.substr(text.size() - std::min(text.size(), directory_of_zip));
    return path.extension() == ".onnx" || tail.find("constants.pkl") != tail.npos ||
           tail.find("models/model.json") != tail.npos;
  } catch (const std::exception&) {
    return false;
  }
}

std::optional<ChildProcess> model_process;
std::function<void()> check_of_files;

nn::Session* open_session(const std::filesystem::path& path) {
  // never closed: LibTorch does not bear that
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const reason = dlerror();
    throw std::runtime_error(
        fmt::format("{}: could not be loaded ({})", path.string(), reason ? reason : "unknown reason"));
  }
  const auto entry = reinterpret_cast<nn::Session* (*)(int)>(dlsym(library, "leeway_nn_session"));
  nn::Session* const session = entry ? entry(nn::abi_version) : nullptr;
  if (!session)
    throw std::runtime_error(fmt::format("{}: not the model library of leeway {}", path.string(), version));
  if (model_process) session->adopt_process(*model_process);
  session->set_commit_check(check_of_files);
  return session;
}

nn::Session& find_session() {
  if (const auto path = library()) return *open_session(*path);
  throw std::runtime_error(
      fmt::format("this command requires the model library, but {} does not exist: install leeway-models "
                  "(Debian), build leeway with -DLEEWAY_NN=ON, or set LEEWAY_NN_LIBRARY to its path",
                  candidates().front().string()));
}

}  // namespace

void prepare_models(const std::vector<Given>& given, std::function<void()> commit_check) {
  check_of_files = std::move(commit_check);
  const bool needed = std::ranges::any_of(given, [](const Given& one) {
    return (one.option == "--model" || one.option == "model") && std::ranges::any_of(one.values, is_program);
  });
  const auto path = library();
  if (!needed || !path) return;
  try {
    model_process = start_child(path->parent_path() / "leeway/leeway-model");
  } catch (const std::system_error&) {  // reported when the model is loaded
  }
}

nn::Session& model_session(int threads) {
  static nn::Session& session = find_session();
  session.set_threads(threads);
  return session;
}

}  // namespace leeway::app
