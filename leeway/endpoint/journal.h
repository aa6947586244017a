// Answers of an endpoint in an append-only file of JSON lines, so that no answer is asked for twice.
//
// One line for each answer, under a key: the digest of model, prompt, settings, image and number of the
// sample. A line with the settings precedes their first answer. Each line is written at once; a killed
// process leaves at most half a line, which the next one removes. The file is locked as long as a journal is
// open. The journal does not contain the key of the server.
// Errors (Error): a file that is locked, a line that is not an answer (with its number); std::runtime_error:
// it cannot be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "leeway/endpoint/chat.h"

namespace leeway::endpoint {

struct JournalEntry {
  std::string key, settings;  // digests
  std::size_t row = 0, sample = 0, attempts = 1;
  double seconds = 0;
  ChatReply reply = {};
};

using TakeEntry = std::function<void(const JournalEntry&)>;
// The entries of a journal's text; of a last line without its end nothing. Returns the bytes of whole lines.
std::size_t parse_journal(std::string_view text, const std::string& name, const TakeEntry& take);

class Journal {
 public:
  // An empty path: nothing is kept. `take` is given the entries that are there, in their order.
  Journal(const std::filesystem::path& path, const TakeEntry& take);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void add_settings(const std::string& json);  // a JSON object
  void add(const JournalEntry& entry);

 private:
  void append(std::string line);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace leeway::endpoint
