// leeway demo: assess on outputs that are installed with leeway, as a first look.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* demo_files[] = {"clean.npz", "blurred.npz", "production.npz"};

// Beside the installed command.
fs::path demo_folder() {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path folder = prefix / LEEWAY_RELATIVE_DATA_DIR "/leeway/demo";
  if (!is_folder(folder))
    throw std::runtime_error(display_name(folder) +
                             ": expected the outputs for the demonstration, found nothing");
  return folder;
}

int run_demo(const std::string& folder) {
  const fs::path from = demo_folder();
  fs::create_directories(folder);
  for (const char* const file : demo_files)
    fs::copy_file(from / file, fs::path(folder) / file, fs::copy_options::overwrite_existing);
  fs::current_path(folder);
  const std::string line =
      "leeway assess --source cnn=clean.npz --target cnn/blur=blurred.npz cnn/production=production.npz "
      "--report report.html";
  fmt::print("{} holds the outputs of a clothing classifier on three sets:\n$ {}\n\n", display_name(folder),
             line);
  std::fflush(stdout);
  std::vector<std::string> words = split(line, ' ');
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  throw std::system_error(errno, std::generic_category(), "leeway assess");
}

}  // namespace

void add_demo(const Command& root, Context&) {
  const Command command = root.add("demo", "Assess a classifier on example data and write a report");
  auto& folder = command.keep<std::string>();
  folder = "leeway-demo";
  command.option("folder", folder, "Folder for the outputs and report.html").shown_as("FOLDER");
  command.runs([&folder] { return run_demo(folder); });
}

}  // namespace leeway::app
