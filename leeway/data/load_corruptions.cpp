// Corruptions as folders of pictures, and detection of a corruption folder's format. ImageNet-C and
// TinyImageNet-C (Hendrycks and Dietterich): FOLDER/CORRUPTION/SEVERITY/CLASS/x.JPEG, severities 1 to 5. Rows
// are in the order of file names, so each severity has the clean set's order. CIFAR-10-C and -100-C:
// load_arrays.cpp.

#include <algorithm>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/io/npy.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> arrays_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : paths_in(folder, false, "a folder"))
    if (file.extension() == ".npy" && file.filename() != "labels.npy") names.push_back(file.stem().string());
  return names;
}

std::vector<fs::path> folders_in(const fs::path& folder) { return paths_in(folder, true, "a folder"); }

}  // namespace

CorruptionFolder corruption_folder(const fs::path& folder) {
  const std::string what = "CORRUPTION.npy and labels.npy, or CORRUPTION/SEVERITY/CLASS/x.JPEG";
  std::vector<std::string> arrays = arrays_in(folder);
  if (!arrays.empty()) {
    const fs::path labels = folder / "labels.npy";
    if (!is_there(labels)) refuse(display_name(folder), what, "no labels.npy");
    const auto codes = to_i64(read_npy(labels), display_name(labels));
    const bool ten = std::ranges::all_of(codes, [](std::int64_t code) { return code < 10; });
    return {ten ? "cifar10-c" : "cifar100-c", std::move(arrays)};
  }
  CorruptionFolder found{"imagenet-c", {}};
  for (const fs::path& corruption : folders_in(folder))
    for (std::size_t severity = 1; severity <= severities; ++severity)
      if (is_folder(corruption / std::to_string(severity))) {
        found.corruptions.push_back(corruption.filename().string());
        break;
      }
  if (found.corruptions.empty()) refuse(display_name(folder), what, "neither");
  return found;
}

Loaded load_imagenet_c(const Paths& paths, const CorruptionPart& part) {
  const fs::path& folder = paths[0];
  std::vector<std::string> corruptions;
  if (part.corruption) {
    corruptions = {*part.corruption};
    const auto all = folders_in(folder);
    if (std::ranges::find(all, folder / corruptions[0]) == all.end())
      refuse(display_name(folder), "a folder " + printable(corruptions[0]), "none");
  } else {
    corruptions = corruption_folder(folder).corruptions;
  }
  Loaded set;
  TextColumn label("class"), corruption("corruption"), severity("severity");
  LoadedColumn image{"image", {}, {}};
  std::vector<fs::path> pictures;
  for (const std::string& name : corruptions)
    for (std::size_t s = part.severity.value_or(1); s <= part.severity.value_or(severities); ++s) {
      const fs::path classes = folder / name / std::to_string(s);
      const std::size_t before = pictures.size();
      for (const fs::path& of_class : folders_in(classes))
        for (const fs::path& file : paths_in(of_class, false, "a folder")) {
          if (!is_readable_picture(file)) continue;
          label.add(printable(of_class.filename().string(), 200));
          corruption.add(printable(name, 200));
          severity.add(std::to_string(s));
          add_file(image, file.lexically_relative(folder).generic_string());
          pictures.push_back(file);
        }
      if (pictures.size() == before) refuse(display_name(classes), "images in one folder per class", "none");
    }
  set.n = pictures.size();
  for (TextColumn* column : {&label, &corruption, &severity}) set.columns.push_back(column->finish());
  set.columns.push_back(std::move(image));
  add_pictures(set, std::move(pictures));
  return set;
}

}  // namespace leeway::data
