// Folders of pictures with lists of their labels.
//
//   VisDA-2017 (Peng et al., 2017): PART/image_list.txt, in each line a picture in PART and the number of its
//     class; parts train, validation (PART/CLASS/x) and test (PART/trunkNN/x)
//   DomainNet (Peng et al., ICCV 2019): DOMAIN_train.txt and DOMAIN_test.txt, in each line DOMAIN/CLASS/x.jpg
//     and the number of the class; y has the order of these numbers
//   Tiny ImageNet (Le and Yang, 2015): train/WNID/images/x.JPEG; val/images/x.JPEG, with the picture, its WNID
//     and a box in each line of val/val_annotations.txt. The pictures of test have no labels: they are not read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

std::vector<ListedPicture> read_picture_list(const fs::path& list) {
  return parse_picture_list(map_file(list).text(), display_name(list));
}

// The CLASS of DOMAIN/CLASS/x.jpg.
std::string class_in(const std::string& file, const std::string& name) {
  const std::size_t first = file.find('/'), second = file.find('/', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    refuse(name, "DOMAIN/CLASS/x.jpg in each line", in_quotes(file));
  return printable(file.substr(first + 1, second - first - 1), 200);
}

}  // namespace

std::vector<ListedPicture> parse_picture_list(std::string_view text, std::string_view name) {
  std::vector<ListedPicture> pictures;
  for_each_line(
      text, name, 2, "a picture and the number of its class", [&](const auto& words, std::size_t row) {
        std::uint32_t number = 0;
        const std::string_view word = words[1];
        const char *const begin = word.data(), *const end = begin + word.size();
        if (const auto read = std::from_chars(begin, end, number); read.ec != std::errc() || read.ptr != end)
          refuse(name, "the number of a class", fmt::format("{} at row {}", in_quotes(words[1]), row));
        pictures.push_back({std::string(words[0]), number});
      });
  return pictures;
}

Loaded load_visda(const Paths& paths) {
  LoadedColumn label{"class",
                     {"aeroplane", "bicycle", "bus", "car", "horse", "knife", "motorcycle", "person", "plant",
                      "skateboard", "train", "truck"},
                     {}};
  TextColumn split("split");
  LoadedColumn image{"image", {}, {}};
  expect_folder(paths[0], "the folder of train, validation and test, or one of them");
  const bool one = is_there(paths[0] / "image_list.txt");
  std::vector<std::string> parts = {"train", "validation", "test"};
  std::erase_if(parts, [&](const std::string& part) { return !is_folder(paths[0] / part); });
  if (one) parts = {fs::canonical(paths[0]).filename().string()};
  for (const std::string& part : parts) {
    const fs::path list = (one ? paths[0] : paths[0] / part) / "image_list.txt";
    for (const auto& [file, number] : read_picture_list(list)) {
      if (number >= label.values.size())
        refuse(display_name(list), "a class from 0 to 11", fmt::format("{} for {}", number, in_quotes(file)));
      label.codes.push_back(number);
      split.add(printable(part, 200));
      add_file(image, one ? file : part + "/" + file);
    }
  }
  return set_in(paths[0], {std::move(label), split.finish(), std::move(image)});
}

Loaded load_domainnet(const Paths& paths) {
  std::map<std::uint32_t, std::string> classes;
  std::vector<std::uint32_t> numbers;
  TextColumn domain("domain"), split("split");
  LoadedColumn label{"class", {}, {}}, image{"image", {}, {}};
  for (const fs::path& list :
       paths_in(paths[0], false, "the folder of DOMAIN_train.txt and DOMAIN_test.txt")) {
    const std::string stem = list.stem().string(), name = display_name(list);
    const std::size_t end = stem.rfind('_');
    const std::string part = end == std::string::npos ? "" : stem.substr(end + 1);
    if (list.extension() != ".txt" || (part != "train" && part != "test")) continue;
    for (const auto& [file, number] : read_picture_list(list)) {
      const std::string value = class_in(file, name);
      if (const auto& known = classes.try_emplace(number, value).first->second; known != value)
        refuse(name, fmt::format("{} for the number {}", in_quotes(known), number), in_quotes(value));
      numbers.push_back(number);
      domain.add(printable(stem.substr(0, end), 200));
      split.add(part);
      add_file(image, file);
    }
  }
  std::map<std::uint32_t, std::uint32_t> places;
  for (const auto& [number, value] : classes) {
    places.emplace(number, static_cast<std::uint32_t>(places.size()));
    label.values.push_back(value);
  }
  for (const std::uint32_t number : numbers) label.codes.push_back(places.at(number));
  return set_in(paths[0], {std::move(label), domain.finish(), split.finish(), std::move(image)});
}

Loaded load_tiny_imagenet(const Paths& paths) {
  TextColumn label("class"), split("split");
  LoadedColumn image{"image", {}, {}};
  const auto add = [&](const std::string& wnid, const char* part, const std::string& file) {
    label.add(printable(wnid, 200));
    split.add(part);
    add_file(image, file);
  };
  for (const fs::path& folder : paths_in(paths[0] / "train", true, "a folder"))
    for (const fs::path& file : pictures_in(folder / "images", "images"))
      add(folder.filename().string(), "train", file.lexically_relative(paths[0]).generic_string());
  const fs::path list = paths[0] / "val" / "val_annotations.txt";
  for_each_line(map_file(list).text(), display_name(list), 6, "a picture, its WNID and a box",
                [&](const auto& words, std::size_t) {
                  add(std::string(words[1]), "val", "val/images/" + std::string(words[0]));
                });
  return set_in(paths[0], {label.finish(), split.finish(), std::move(image)});
}

}  // namespace leeway::data
