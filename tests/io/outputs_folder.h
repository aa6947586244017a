// Tests that read outputs, or images, from files in a folder of their own. Messages come without its name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "tests/core/files.h"

namespace leeway::testing {

class OutputsFolder : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }
  Outputs read(const ArrayMap& arrays, const OutputsOptions& options = {}) const {
    write_npz(path("a.npz"), arrays);
    return read_outputs(path("a.npz"), options);
  }
  Outputs read_table(std::string_view text, const OutputsOptions& options = {}) const {
    return read_outputs(write_bytes(path("a.csv"), text), options);
  }
  [[nodiscard]] std::string error(const ArrayMap& arrays, const OutputsOptions& options = {}) const {
    return said([&] { (void)read(arrays, options); });
  }
  [[nodiscard]] std::string file_error(std::string_view name, const OutputsOptions& options = {}) const {
    return said([&] { (void)read_outputs(path(name), options); });
  }
  [[nodiscard]] std::string table_error(std::string_view text, const OutputsOptions& options = {}) const {
    return said([&] { (void)read_table(text, options); });
  }
  template <class Work>
  [[nodiscard]] std::string said(const Work& work) const {
    return without_folder(message_of(work));
  }
  [[nodiscard]] std::string without_folder(std::string message) const {
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at; (at = message.find(prefix)) != std::string::npos;) message.erase(at, prefix.size());
    return message;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace leeway::testing
