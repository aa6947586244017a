#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "apps/leeway/command.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/file.h"
#include "leeway/core/parallel.h"

namespace leeway::app {

Context::Context(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

void Context::add_common_flags(CLI::App& command, const std::string& out_help) {
  const std::string group = "Common";
  command.add_flag("--json", json, "Print the result as one JSON record instead of a table")->group(group);
  command.add_option("--out", out, out_help)->group(group);
  command.add_option("--seed", seed, "Seed of everything random; same seed, same bits")
      ->capture_default_str()
      ->group(group);
  command
      .add_option_function<int>(
          "--threads", [this](int count) { set_threads(threads = count); },
          "Threads; 0 = one per core. Never changes a result, but for training")
      ->check(CLI::Range(0, 4096))
      ->group(group);
  command.add_option("--device", device, "Where models run: cpu or cuda[:i]")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--config", config,
          "Options from a TOML file: long names as keys, at its top or under [COMMAND]; the command line "
          "wins; relative paths start at the working directory")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--quiet", quiet, "No progress and no warnings on stderr")->group(group);
  command
      .add_flag_callback(
          "--no-digest", [this] { digests = false; }, "Do not digest the input files")
      ->group(group);
}

void Context::add_input(const std::string& path, const std::vector<std::size_t>& shape) {
  const auto measure = [path, wanted = digests]() -> std::pair<std::uint64_t, std::string> {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(path, failure);
    if (failure) return {0, ""};
    return {bytes, wanted ? digest_file(path) : ""};
  };
  const auto when = digests ? std::launch::async : std::launch::deferred;
  inputs_.push_back({path, shape, std::async(when, measure)});
}

void Context::start_clock() { started_ = stopped_ = std::chrono::steady_clock::now(); }

void Context::stop_clock() { stopped_ = std::chrono::steady_clock::now(); }

void Context::warn(const std::string& line) const {
  if (!quiet) std::fputs((line + "\n").c_str(), stderr);
}

Progress* Context::progress() {
  if (!progress_) progress_ = std::make_unique<TerminalProgress>(quiet);
  return progress_.get();
}

Json Context::record(const std::string& schema, Json results) {
  progress_.reset();
  if (!config.empty()) add_input(config, {});
  Json inputs = Json::array();
  for (auto& input : inputs_) {
    auto [bytes, digest] = input.bytes_and_digest.get();
    inputs.push_back({{"path", input.path}, {"bytes", bytes}, {"shape", input.shape}});
    if (!digest.empty()) inputs.back()["xxh3_128"] = digest;
  }
  inputs_.clear();
  return {{"schema", schema},
          {"command", arguments_},
          {"inputs", std::move(inputs)},
          {"seed", seed},
          {"version", version},
          {"seconds", std::chrono::duration<double>(stopped_ - started_).count()},
          {"results", std::move(results)}};
}

void Context::print(const Json& record, const std::string& table) const {
  const std::string text = json ? record.dump(1, ' ', false, Json::error_handler_t::replace) + "\n" : table;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw std::runtime_error("stdout: could not write the result");
}

void Context::write_record(const Json& record) const {
  if (!out.empty()) write_text(out, record.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace leeway::app
