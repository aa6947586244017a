#include "apps/leeway/nn_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

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

nn::Session* open_session(const std::filesystem::path& path) {
  // OpenMP threads (used by LibTorch) spin 30 times less than by default before they sleep: on a busy
  // machine, spinning takes time from the threads they wait for. Read when the library loads.
  setenv("GOMP_SPINCOUNT", "10000", 0);
  // never closed: LibTorch does not bear that
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const reason = dlerror();
    throw std::runtime_error(
        fmt::format("{}: could not be loaded ({})", path.string(), reason ? reason : "no reason"));
  }
  const auto entry = reinterpret_cast<nn::Session* (*)(int)>(dlsym(library, "leeway_nn_session"));
  nn::Session* const session = entry ? entry(nn::abi_version) : nullptr;
  if (!session)
    throw std::runtime_error(
        fmt::format("{}: is not the model part of leeway {}", path.string(), LEEWAY_VERSION));
  return session;
}

nn::Session& find_session() {
  const auto paths = candidates();
  for (const auto& path : paths)
    if (std::error_code failure; std::filesystem::exists(path, failure)) return *open_session(path);
  throw std::runtime_error(fmt::format(
      "this command needs the model part, and there is no {}: build leeway with -DLEEWAY_NN=ON (it needs "
      "LibTorch), or name the library in LEEWAY_NN_LIBRARY",
      paths.front().string()));
}

}  // namespace

nn::Session& model_session(int threads) {
  static nn::Session& session = find_session();
  session.set_threads(threads);
  return session;
}

}  // namespace leeway::app
