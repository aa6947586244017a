// Corruptions that come as folders of pictures, and what a folder of corruptions is.
//
// ImageNet-C and TinyImageNet-C (Hendrycks and Dietterich): FOLDER/CORRUPTION/SEVERITY/CLASS/x.JPEG, severities from 1 to 5.
//   Rows are in the order of the files' names, those of one severity of one corruption in that of the clean set's.
// CIFAR-10-C and -100-C: load_arrays.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/npy.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t severities = 5;

// Names of what lies in a folder, sorted.
std::vector<std::string> names_in(const fs::path& folder, bool folders) {
  expect_folder(folder, "a folder");
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    if (folders ? it->is_directory(unreadable) : it->is_regular_file(unreadable))
      names.push_back(it->path().filename().string());
  }
  if (error) refuse(display_name(folder), "a folder that can be read", error.message());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> arrays_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder, false)) {
    const fs::path file = name;
    if (file.extension() == ".npy" && name != "labels.npy") names.push_back(file.stem().string());
  }
  return names;
}

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

struct PartFile {
  fs::path file;
  std::string corruption, label;
  std::size_t severity = 1;
};

// Of one severity, FOLDER/CLASS/x.JPEG.
void add_files(const fs::path& folder, const std::string& corruption, std::size_t severity,
               std::vector<PartFile>& files) {
  const std::size_t before = files.size();
  for (const std::string& label : names_in(folder, true))
    for (const std::string& name : names_in(folder / label, false))
      if (is_readable_picture(name)) files.push_back({folder / label / name, corruption, label, severity});
  if (files.size() == before) refuse(display_name(folder), "pictures in folders of their class", "none");
}

}  // namespace

CorruptionFolder corruption_folder(const fs::path& folder) {
  const std::string what = "CORRUPTION.npy and labels.npy, or CORRUPTION/SEVERITY/CLASS/x.JPEG";
  std::vector<std::string> arrays = arrays_in(folder);
  if (!arrays.empty()) {
    const fs::path labels = folder / "labels.npy";
    if (std::error_code error; !fs::exists(labels, error))
      refuse(display_name(folder), what, "no labels.npy");
    const auto codes = to_i64(read_npy(labels), display_name(labels));
    const bool ten = std::ranges::all_of(codes, [](std::int64_t code) { return code < 10; });
    return {ten ? "cifar10-c" : "cifar100-c", std::move(arrays)};
  }
  CorruptionFolder found{"imagenet-c", {}};
  std::error_code error;
  for (const std::string& name : names_in(folder, true))
    for (std::size_t severity = 1; severity <= severities; ++severity)
      if (fs::is_directory(folder / name / std::to_string(severity), error)) {
        found.corruptions.push_back(name);
        break;
      }
  if (found.corruptions.empty()) refuse(display_name(folder), what, "neither");
  return found;
}

Loaded load_imagenet_c(const Paths& paths, const CorruptionPart& part) {
  const fs::path& folder = paths[0];
  std::vector<std::string> corruptions = names_in(folder, true);
  if (part.corruption) {
    const std::string wanted = underscored(*part.corruption);
    if (std::ranges::find(corruptions, wanted) == corruptions.end())
      refuse(display_name(folder), "a folder " + printable(wanted), "none");
    corruptions = {wanted};
  } else {
    corruptions = corruption_folder(folder).corruptions;
  }
  std::vector<PartFile> files;
  for (const std::string& name : corruptions)
    for (std::size_t severity = 1; severity <= severities; ++severity)
      if (!part.severity || severity == *part.severity)
        add_files(folder / name / std::to_string(severity), name, severity, files);
  Loaded set;
  set.n = files.size();
  TextColumn label("class"), corruption("corruption"), severity("severity");
  LoadedColumn image{"image", {}, {}};
  std::vector<fs::path> pictures;
  for (const PartFile& one : files) {
    label.add(printable(one.label, 200));
    corruption.add(printable(one.corruption, 200));
    severity.add(std::to_string(one.severity));
    image.codes.push_back(static_cast<std::uint32_t>(image.values.size()));
    image.values.push_back(printable(one.file.lexically_relative(folder).generic_string(), 1000));
    pictures.push_back(one.file);
  }
  for (TextColumn* column : {&label, &corruption, &severity}) set.columns.push_back(column->finish());
  set.columns.push_back(std::move(image));
  add_pictures(set, std::move(pictures));
  return set;
}

}  // namespace leeway::data
