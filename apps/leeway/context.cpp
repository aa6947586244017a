#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "apps/leeway/command.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::app {
namespace {

// `text` as a terminal may be shown it: without control characters but line ends.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end), std::string::npos);
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Context::Context(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

void Context::add_common_flags(const Command& command, const std::string& out_help, Written kind,
                               Beside beside) {
  const std::string group = "Common";
  command.flag("--json", json, "Print the result as one JSON record instead of a table").group(group);
  command.option("--out", out, out_help).group(group).writes(kind, std::move(beside));
  command.option("--seed", seed, "Seed of everything random; same seed, same bits")
      .group(group)
      .show_default(std::to_string(seed));
  command.option("--threads", threads, "Threads; 0 = one per core. Never changes a result, but for training")
      .whole_within(0, 4096)
      .group(group);
  command
      .option("--config", config,
              "Options from a TOML file: long names as keys, at its top or under [COMMAND]; the command line "
              "wins; relative paths start at the working directory")
      .shown_as("FILE")
      .group(group);
  command.flag("--quiet", quiet, "No progress and no warnings on stderr").group(group);
  command.flag("--no-digest", no_digest, "Do not digest the input files").group(group);
}

void Context::add_page_flag(const Command& command, const std::string& help) {
  command.option("--report", page, help).writes(Written::page);
}

void Context::begin(const std::vector<Given>& given) {
  if (threads > 0) set_threads(threads);
  files.check(given);
  started_ = std::chrono::steady_clock::now();
}

Context::FileState Context::state_of(const std::string& path) {
  std::error_code no_size, no_time;
  const auto bytes = std::filesystem::file_size(path, no_size);
  const auto changed = std::filesystem::last_write_time(path, no_time);
  if (no_size || no_time) return std::nullopt;
  return std::pair{bytes, changed};
}

void Context::add_input(const std::string& path, const std::vector<std::size_t>& shape) {
  files.read(path);
  const FileState state = state_of(path);
  const auto measure = [path, wanted = !no_digest && state] { return wanted ? digest_file(path) : ""; };
  const auto when = !no_digest ? std::launch::async : std::launch::deferred;
  inputs_.push_back({path, shape, state, std::async(when, measure)});
}

void Context::warn(const std::string& line) { warnings_.push_back("leeway: " + line); }

void Context::warn_of(const record::Envelope& envelope) {
  for (const std::string& line : envelope.warnings) warn(line);
}

void Context::say(const std::string& line) const {
  if (!quiet) std::fputs((printable(line, std::string::npos) + "\n").c_str(), stderr);
}

void Context::tell_warnings() {
  for (const std::string& line : std::exchange(warnings_, {})) say(line);
}

Progress* Context::progress() {
  if (!progress_) progress_ = std::make_unique<TerminalProgress>(quiet, [this] { tell_warnings(); });
  return progress_.get();
}

void Context::complete(record::Envelope& envelope) {
  envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  progress_.reset();
  envelope.command = arguments_;
  if (!config.empty()) add_input(config, {});
  for (auto& input : std::exchange(inputs_, {})) {
    const std::string digest = input.digest.get();
    if (input.state && state_of(input.path) != input.state)
      refuse(display_name(input.path), "the file as it was when it was opened",
             "it changed while it was read");
    envelope.inputs.push_back({input.path, input.state ? input.state->first : 0, input.shape, digest});
  }
}

void Context::print(const Json& record, const std::string& table) {
  progress_.reset();
  tell_warnings();
  const std::string text = json ? record_text(record) : printable_lines(table);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error(
        fmt::format("stdout: cannot write the result: {}", std::system_category().message(errno)));
}

void Context::write_page(const std::string& html) const { write_text(page, html); }

void Context::write_record(const std::string& path, const Json& record) {
  if (!path.empty()) write_text(path, record_text(record));
}

std::string record_text(const Json& record) {
  const std::string text = record.dump(1, ' ', false, Json::error_handler_t::replace);
  std::string escaped;  // DEL and U+0080 to U+009F, which JSON permits
  escaped.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool control = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (control) ++i;
    if (control || byte == 0x7f)
      escaped += fmt::format("\\u{:04x}", control ? next : byte);
    else
      escaped += text[i];
  }
  return escaped + "\n";
}

}  // namespace leeway::app
