#include "leeway/endpoint/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"

namespace leeway::endpoint {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw std::runtime_error(fmt::format("{}: cannot write the journal: {}", display_name(path),
                                       std::system_category().message(errno)));
}

Json json_of(const JournalEntry& entry) {
  const ChatReply& reply = entry.reply;
  return {{"key", entry.key},
          {"settings", entry.settings},
          {"row", entry.row},
          {"sample", entry.sample},
          {"text", reply.text},
          {"finish", reply.finish},
          {"refusal", reply.refusal},
          {"readable", reply.readable},
          {"tokens", reply.tokens},
          {"prompt_tokens", reply.prompt_tokens},
          {"completion_tokens", reply.completion_tokens},
          {"model", reply.model},
          {"attempts", entry.attempts},
          {"seconds", entry.seconds}};
}

JournalEntry entry_of(const Json& line) {
  JournalEntry entry{line.at("key"),    line.at("settings"), line.at("row"),
                     line.at("sample"), line.at("attempts"), line.at("seconds")};
  ChatReply& reply = entry.reply;
  reply.text = line.at("text"), reply.finish = line.at("finish"), reply.refusal = line.at("refusal");
  reply.readable = line.at("readable"), reply.model = line.at("model");
  reply.tokens = line.at("tokens").get<decltype(reply.tokens)>();
  reply.prompt_tokens = line.at("prompt_tokens"), reply.completion_tokens = line.at("completion_tokens");
  return entry;
}

// Whether a last line without its end is one that a killed process was writing.
bool is_torn(std::string_view line) {
  constexpr std::string_view begins[] = {R"({"key":")", R"({"model":")"};
  return std::ranges::any_of(
      begins, [line](std::string_view begin) { return line.starts_with(begin.substr(0, line.size())); });
}

}  // namespace

std::size_t parse_journal(std::string_view text, const std::string& name, const TakeEntry& take) {
  std::size_t at = 0;
  for (std::size_t number = 1, end = 0; (end = text.find('\n', at)) != std::string_view::npos;
       ++number, at = end + 1) {
    const std::string where = fmt::format("{}: line {}", name, number);
    const std::string_view line = text.substr(at, end - at);
    try {
      const Json json = parse_nested(line, where);
      if (json.is_object() && json.contains("model") && !json.contains("key")) continue;  // settings
      take(entry_of(json));
    } catch (const Json::exception&) {
      refuse(where, "an answer of a journal (JSON)", in_quotes(line));
    }
  }
  if (!is_torn(text.substr(at))) refuse(name, "a journal (JSON lines)", in_quotes(text.substr(at)));
  return at;
}

Journal::Journal(const std::filesystem::path& path, const TakeEntry& take) : path_(path) {
  if (path.empty()) return;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) cannot_write(path);
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      refuse(display_name(path), "a journal that no other run writes", "a locked one");
    const MappedFile file = map_file(path);
    const std::size_t whole = parse_journal(file.text(), display_name(path), take);
    if (whole < file.bytes.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
      cannot_write(path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::fdatasync(descriptor_), ::close(descriptor_);
}

void Journal::add_settings(const std::string& json) { append(json); }

void Journal::add(const JournalEntry& entry) {
  if (descriptor_ >= 0) append(json_of(entry).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Journal::append(std::string line) {
  if (descriptor_ < 0) return;
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(path_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace leeway::endpoint
