#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "apps/leeway/command.h"
#include "apps/leeway/nn_loader.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/describe/json.h"
#include "leeway/render/figures.h"
#include "leeway/render/page.h"
#include "leeway/render/terminal.h"

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
                               std::vector<std::string> endings) {
  command.flag("--json", json, "Print the result as a JSON record instead of a table");
  command.option("--out", out, out_help).writes(kind, std::move(endings));
  command.option("--seed", seed, "Seed of all random numbers; the same seed gives identical results")
      .show_default(std::to_string(seed));
  command
      .option("--threads", threads, "Number of threads (0: one per core); only trained weights depend on it")
      .whole_within(0, 4096);
  command
      .option("--config", config,
              "TOML file of options: long names as keys, at the top or under [COMMAND]; the command line has "
              "precedence; paths are relative to the working directory")
      .shown_as("FILE");
  command.flag("--quiet", quiet, "Suppress progress and warnings on stderr");
  command.flag("--no-digest", no_digest, "Skip the digests of input files");
  command.group("Common", {"--json", "--out", "--seed", "--threads", "--config", "--quiet", "--no-digest"});
}

void Context::add_page_flag(const Command& command, const std::string& help) {
  command.option("--report", page, help).writes(Written::page);
  add_figures_flag(command);
}

void Context::add_figures_flag(const Command& command) {
  command
      .option("--figures", figures,
              "Write the report's charts and tables to this folder: .svg (requires node), .csv, .tex")
      .writes(Written::folder)
      .shown_as("FOLDER");
}

void Context::begin(const std::vector<Given>& given) {
  if (threads > 0) set_threads(threads);
  inputs.digests = !no_digest;
  for (const Given& one : given)
    if (one.option == "--out" && one.written && one.written->kind == Written::record) record_file = out;
  files.check(given);
  const auto check = [this] { inputs.require_unchanged(); };
  set_commit_check(check);
  const bool trust = std::ranges::find(arguments_, "--trust") != arguments_.end();
  prepare_models(trust ? std::vector<Given>() : given, check);
  started_ = std::chrono::steady_clock::now();
}

void Context::opened(const std::string& path, const std::string& reading) {
  if (!reading.empty()) append_new(warnings_, "leeway: " + reading);  // of one file in two sets once
  files.read(path);
}

void Context::warn(const std::string& line) { warnings_.push_back("leeway: " + line); }

void Context::warn_of(const Envelope& envelope) {
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

void Context::complete(Envelope& envelope) {
  envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  progress_.reset();
  envelope.command = arguments_;
  if (!config.empty()) add_input(config, {});
  inputs.move_to(envelope);
}

void Context::print(const Json& record, const std::string& shown) {
  progress_.reset();
  tell_warnings();
  const std::string text = json ? record_text(record) : printable_lines(shown);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error(
        fmt::format("stdout: cannot write the result: {}", std::system_category().message(errno)));
}

int Context::end(const Json& record, const View& view, int code) {
  write_page(view);
  if (!record_file.empty()) write_text(record_file, record_text(record));
  print(record, render::terminal(view, output_width()));
  return code;
}

void Context::write_page(const View& view) {
  if (!page.empty()) write_text(page, render::page(view));
  if (figures.empty()) return;
  const auto claim = [this](const std::filesystem::path& path) {
    files.claim("--figures", path.string(), Written::file);
  };
  if (const std::string missing = render::write_figures(view, figures, claim).missing; !missing.empty())
    warn("--figures: " + missing);
}

void Context::claim_manifest(const std::vector<std::string>& written) {
  for (const std::string& path : written)
    if (record_file.empty()) record_file = manifest_of(path);
  files.claim("the manifest", record_file, Written::file);
}

void Context::claim_folder(const std::vector<std::string>& names) {
  const std::filesystem::path folder = out;
  record_file = (folder / "manifest.json").string();
  files.claim("--out", out, Written::folder);
  if (!is_there(folder)) return;  // nothing that could be replaced
  for (const std::string& name : names) files.claim("--out", (folder / name).string(), Written::file);
  files.claim("--out", record_file, Written::file);
}

}  // namespace leeway::app
