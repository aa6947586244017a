// Which files a command line reads and which it writes; no file may be both.
//
// Nor is an output one of the files that a sweep keeps, where its folder is read.
//
// Option::writes() declares a file to write. Every value of another option that names a file, or has a part
// that does (NAME=FILE, FILE,FILE, a pattern), counts as read, together with its companions: the labels of
// IDX images, a model's notes. New options are therefore protected by default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/leeway/command_line.h"

namespace leeway::app {

class CommandFiles {
 public:
  // What the command line gives, before any work. Throws what claim() throws.
  void check(const std::vector<Given>& given);

  // One more file to write. UsageError: it is one of those read (links followed, hard links too) or another of those
  // written, or its name says another format. std::runtime_error: it cannot be written.
  void claim(const std::string& option, const std::string& path, Written kind);

  // One more file that is read; UsageError where it is one of those written.
  void read(const std::string& path);

  // "a.npz, 1234 bytes": the largest of those read; empty where there is none.
  [[nodiscard]] std::string largest_input() const;

 private:
  struct Input {
    std::string path;
    std::uint64_t device, number, bytes;  // of the inode
  };
  struct Claimed {
    std::string option, path, whole;  // whole: absolute, links resolved
  };
  void note(const std::string& text);
  void note_file(const std::string& path);
  void refuse_same(const Claimed& output, const Input& input) const;
  void require_own(const std::string& option, const std::string& path);

  std::vector<Input> inputs_;
  std::vector<std::string> folders_;  // that are read
  std::vector<Claimed> claimed_;
};

// "images.npz" -> "images.manifest.json", the record beside the files that a command wrote; empty for an empty path.
[[nodiscard]] std::string manifest_of(const std::string& out);
// The state from which an interrupted command that writes `out` resumes.
[[nodiscard]] std::string state_of(const std::string& out);

}  // namespace leeway::app
