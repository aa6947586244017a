// A file of unknown kind, named .csv, given to every reader that takes a path: an Error, or what the reader promises.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "leeway/core/result.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/zip_repair.h"

namespace {

// The one file of this process, in memory: a link with the right ending to /proc/self/fd/N.
class FileInMemory {
 public:
  FileInMemory() : descriptor_(::memfd_create("fuzz", 0)) {
    std::string name = (std::filesystem::temp_directory_path() / "leeway-fuzz-XXXXXX").string();
    if (descriptor_ < 0 || ::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary file");
    folder_ = name;
    link_ = folder_ / "input.csv";
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor_), link_);
  }
  ~FileInMemory() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    ::close(descriptor_);
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  const std::filesystem::path& set(const std::uint8_t* data, std::size_t size) {
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, data, size, 0) != static_cast<ssize_t>(size))
      throw std::runtime_error("cannot write the temporary file");
    return link_;
  }

 private:
  int descriptor_;
  std::filesystem::path folder_, link_;
};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using leeway::fuzz::guarded, leeway::fuzz::touch;
  static FileInMemory file;
  const std::filesystem::path& path = file.set(data, size);
  guarded([&] {
    for (const auto& [name, array] : leeway::read_arrays(path)) touch(array);
  });
  for (const auto binary : {leeway::Binary::refuse, leeway::Binary::logit, leeway::Binary::prob})
    guarded([&] {
      const leeway::Outputs outputs = leeway::read_outputs(path, {.binary = binary});
      require(outputs.n() >= 1 && outputs.k() >= 2 && !leeway::first_not_finite(outputs.logits));
      require(!outputs.labels || outputs.labels->size() == outputs.n());
      require(outputs.class_names.empty() || outputs.class_names.size() == outputs.k());
      touch(outputs.logits);
    });
  guarded([&] { require(leeway::read_labels(path, 4, 3).size() == 4); });
  guarded([&] {
    const leeway::Images images = leeway::read_images(path.string());
    require(images.n() >= 1 && (!images.labels || images.labels->size() == images.n()));
    touch(images.pixels);
  });
  guarded([&] { require(leeway::read_record(path.string()).contains("schema")); });
  return 0;
}
