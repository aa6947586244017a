#include "leeway/data/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "leeway/core/array.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/core/rows.h"
#include "leeway/data/detail/blocks.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"

namespace leeway::data {
namespace {

// Those rows; columns keep their values.
Loaded rows_of(Loaded set, std::vector<std::size_t> rows) {
  for (LoadedColumn& column : set.columns) column.codes = at_rows(column.codes, rows);
  set.n = rows.size();
  if (set.stored && set.n > 0) set.shape = set.stored(rows[0]).shape;
  const auto shared = std::make_shared<const std::vector<std::size_t>>(std::move(rows));
  if (set.picture)
    set.picture = [shared, all = std::move(set.picture)](std::size_t row, std::span<std::uint8_t> out) {
      all((*shared)[row], out);
    };
  if (set.stored)
    set.stored = [shared, all = std::move(set.stored)](std::size_t row) { return all((*shared)[row]); };
  return set;
}

}  // namespace

// Each is defined in a load_KIND.cpp, by the kind of its files.
Loaded load_dsprites(const Paths& paths);
Loaded load_shapes3d(const Paths& paths);
Loaded load_smallnorb(const Paths& paths);
Loaded load_cifar10(const Paths& paths);
Loaded load_cifar100(const Paths& paths);
Loaded load_cifar10_c(const Paths& paths, const CorruptionPart& part);
Loaded load_cifar100_c(const Paths& paths, const CorruptionPart& part);
Loaded load_cifar10_1(const Paths& paths);
Loaded load_idx(const Paths& paths);
Loaded load_celeba(const Paths& paths);
Loaded load_deepfashion(const Paths& paths);
Loaded load_iwildcam(const Paths& paths);
Loaded load_fmow(const Paths& paths);
Loaded load_camelyon17(const Paths& paths);
Loaded load_imagenet_c(const Paths& paths, const CorruptionPart& part);
Loaded load_folder(const Paths& paths);
Loaded load_visda(const Paths& paths);
Loaded load_domainnet(const Paths& paths);
Loaded load_tiny_imagenet(const Paths& paths);
Loaded load_breeds(const Paths& paths, const BreedsSet& breeds, const BreedsPart& part);

std::span<const LoadedFormat> loaded_formats() {
  constexpr std::string_view krizhevsky = "Krizhevsky, 2009",
                             hendrycks = "Hendrycks and Dietterich, ICLR 2019", wilds = "Koh et al., 2021",
                             arrays = "the folder, or CORRUPTION.npy labels.npy",
                             folders = "the folder: CORRUPTION/SEVERITY/CLASS/x.JPEG",
                             breeds = "Santurkar, Tsipras and Madry, ICLR 2021",
                             or_table =
                                 "the folder, or its metadata (fmow: [country_code_mapping.csv]) as a table",
                             hierarchy =
                                 "the hierarchy's folder, and a folder of ImageNet or ImageNetV2 by class";
  static const LoadedFormat list[] = {
      {{"dsprites", "shapes, white on black", "Matthey et al., 2017"}, "the published .npz", load_dsprites},
      {{"shapes3d", "3dshapes: solids in a room (needs HDF5's library, Debian's libhdf5-103-1)",
        "Burgess and Kim, 2018"},
       "3dshapes.h5",
       load_shapes3d},
      {{"smallnorb", "toys from many sides, left eye", "LeCun, Huang and Bottou, CVPR 2004"},
       "NAME-dat.mat(.gz), with -cat and -info in the same folder",
       load_smallnorb},
      {{"cifar10", "binary version", krizhevsky}, "data_batch_1.bin ...", load_cifar10, 1, any_number},
      {{"cifar100", "binary version", krizhevsky}, "train.bin or test.bin", load_cifar100, 1, any_number},
      {{"cifar10-c", "CIFAR-10 under corruptions, five severities each", hendrycks},
       arrays,
       load_cifar10_c,
       1,
       2},
      {{"cifar100-c", "CIFAR-100 under corruptions", hendrycks}, arrays, load_cifar100_c, 1, 2},
      {{"cifar10.1", "new test set for CIFAR-10", "Recht et al., 2018"},
       "cifar10.1_v6_data.npy cifar10.1_v6_labels.npy",
       load_cifar10_1,
       2,
       2},
      {{"idx", "MNIST and its relatives", "LeCun et al., 1998"},
       "NAME-images-idx3-ubyte(.gz), labels in the same folder",
       load_idx},
      {{"celeba", "attributes of faces; also images, if the image folder is given", "Liu et al., ICCV 2015"},
       "list_attr_celeba.txt [img_align_celeba]",
       load_celeba,
       1,
       2},
      {{"deepfashion",
        "attributes of clothes, coarse or fine (fine has the protocol's columns); also images, if the folder "
        "of img/ is given",
        "Liu et al., CVPR 2016"},
       "list_attr_cloth.txt list_attr_img.txt [FOLDER], or list_attr_cloth.txt train_attr.txt train.txt "
       "[FOLDER]",
       load_deepfashion,
       2,
       4},
      {{"iwildcam", "WILDS, animals in camera traps", wilds}, or_table, load_iwildcam},
      {{"fmow", "WILDS, buildings from above", wilds}, or_table, load_fmow, 1, 2},
      {{"camelyon17", "WILDS, tumors in five hospitals", wilds}, or_table, load_camelyon17},
      {{"visda", "VisDA-2017, synthetic and real objects", "Peng et al., 2017"},
       "the folder of train, validation and test, or one of them",
       load_visda},
      {{"domainnet", "objects in six domains, official training and test lists", "Peng et al., ICCV 2019"},
       "the folder of DOMAIN_train.txt and DOMAIN_test.txt",
       load_domainnet},
      {{"tiny-imagenet", "200 classes of ImageNet, 64 x 64", "Le and Yang, 2015"},
       "the folder of train and val",
       load_tiny_imagenet},
      {{"entity13", "BREEDs, 13 classes of 20 subclasses", breeds}, hierarchy, BreedsSet{3, 20}, 2, 2},
      {{"entity30", "BREEDs, 30 classes of 8 subclasses", breeds}, hierarchy, BreedsSet{4, 8}, 2, 2},
      {{"living17", "BREEDs, 17 classes of 4", breeds}, hierarchy, BreedsSet{5, 4, "n00004258"}, 2, 2},
      {{"nonliving26", "BREEDs, 26 classes of 4", breeds}, hierarchy, BreedsSet{5, 4, "n00021939"}, 2, 2},
      {{"imagenet-c", "ImageNet under corruptions, five severities each", hendrycks},
       folders,
       load_imagenet_c},
      {{"tiny-imagenet-c", "Tiny ImageNet under corruptions; not paired with its validation images",
        hendrycks},
       folders,
       load_imagenet_c},
      {{"folder",
        "images by class (PACS, OfficeHome, VLCS): CLASS/x.jpg or DOMAIN/CLASS/x.jpg; table only if not PNG "
        "or "
        "JPEG",
        ""},
       "the folder",
       load_folder},
      {{"table", "images named by a table: file, label, attributes (Waterbirds, CelebA's CSV)", ""},
       "TABLE.csv [FOLDER]",
       [](const Paths& paths) { return load_table(paths, ""); },
       1,
       2}};
  return list;
}

Loaded load_set(std::string_view name, const Paths& paths, CorruptionPart part, const BreedsPart& breeds) {
  const LoadedFormat& format = find_member(loaded_formats(), "format", name);
  if (paths.size() < format.fewest || paths.size() > format.most)
    refuse(name,
           format.fewest == format.most
               ? fmt::format("{} paths ({})", format.fewest, format.paths)
               : fmt::format("{} to {} paths ({})", format.fewest, format.most, format.paths),
           paths.size());
  if (!part.is_all() && !format.has_parts())
    refuse(name, "a set of corruptions, from which one can be selected", "another");
  if (part.severity && (*part.severity < 1 || *part.severity > 5))
    refuse(name, "a severity from 1 to 5", fmt::format("{}", *part.severity));
  if (part.corruption) std::ranges::replace(*part.corruption, '-', '_');
  Loaded set = format.has_parts()   ? std::get<1>(format.load)(paths, part)
               : format.is_breeds() ? load_breeds(paths, std::get<2>(format.load), breeds)
                                    : std::get<0>(format.load)(paths);
  if (set.n == 0) refuse(display_name(paths[0]), "at least 1 row", "none");
  return set;
}

Loaded protocol_rows(Loaded set, const TableColumns& protocol, std::string_view name) {
  std::vector<char> kept(set.n, 1);
  // Numbers a column's values as the protocol does; rows of others go.
  const auto choose = [&](const std::string& column) {
    const std::vector<std::string>& order = protocol.orders.at(column);
    const auto found = std::ranges::find(set.columns, column, &LoadedColumn::name);
    if (found == set.columns.end()) return false;
    std::vector<std::uint32_t> place;
    for (const std::string& value : found->values)
      place.push_back(static_cast<std::uint32_t>(std::ranges::find(order, value) - order.begin()));
    for (std::size_t row = 0; row < set.n; ++row) {
      found->codes[row] = place[found->codes[row]];
      if (found->codes[row] == order.size()) kept[row] = 0;
    }
    found->values = order;
    return true;
  };
  if (!choose(protocol.label)) refuse(name, fmt::format("a column {}", in_quotes(protocol.label)), "none");
  for (const std::string& attribute : protocol.attributes) choose(attribute);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < set.n; ++row)
    if (kept[row] != 0) rows.push_back(row);
  if (rows.empty()) refuse(name, "a row with the protocol's values", "none");
  return rows_of(std::move(set), std::move(rows));
}

Loaded split_rows(Loaded set, std::string_view split) {
  const auto column = std::ranges::find(set.columns, "split", &LoadedColumn::name);
  if (column == set.columns.end()) refuse("split", "a data set with a column split", "none");
  const auto code = static_cast<std::uint32_t>(index_of_name(split, column->values, "split"));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < set.n; ++row)
    if (column->codes[row] == code) rows.push_back(row);
  if (rows.empty()) refuse("split", "rows of the split", in_quotes(split));
  return rows_of(std::move(set), std::move(rows));
}

Loaded leave_out(Loaded set, const std::string& domain, std::uint64_t seed) {
  const auto column = std::ranges::find(set.columns, "domain", &LoadedColumn::name);
  if (column == set.columns.end()) refuse("leave-out", "a data set with a column domain", "none");
  if (std::ranges::find(set.columns, "split", &LoadedColumn::name) != set.columns.end())
    refuse("leave-out", "a data set without a column split", "one");
  const std::size_t left_out = index_of_name(domain, column->values, "leave-out");
  LoadedColumn split{"split", {"train", "val", "test"}, std::vector<std::uint32_t>(set.n)};
  for (std::size_t d = 0; d < column->values.size(); ++d) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < set.n; ++row)
      if (column->codes[row] == d) rows.push_back(row);
    const Random random(seed, stream("leave-out"), stream(column->values[d]));
    for (const std::size_t i :
         sample_rows(random, rows.size(), d == left_out ? rows.size() : rows.size() / 5))
      split.codes[rows[i]] = d == left_out ? 2 : 1;
  }
  set.columns.insert(set.columns.end() - 1, std::move(split));  // before the image
  return set;
}

void write_loaded(const std::filesystem::path& path, const Loaded& set, std::size_t label,
                  Progress* progress) {
  const auto [channels, height, width] = set.shape;
  NpzWriter file(path);
  file.begin("x", ElementType::u8, {set.n, channels, height, width});
  in_blocks(set.n, channels * height * width, "load", "loading stopped, nothing was written", progress,
            set.picture, [&](std::span<const std::uint8_t> block) { file.append(std::as_bytes(block)); });
  file.end();
  const auto& codes = set.columns.at(label).codes;
  file.add("y", make_array(std::vector<std::size_t>{set.n},
                           std::vector<std::int64_t>(codes.begin(), codes.end())));
  const auto& names = set.columns[label].values;
  file.add("class_names", make_text_array(names));
  file.commit();
}

Bitmap sheet_of(const Loaded& set, std::size_t count, std::uint64_t seed) {
  constexpr std::size_t largest = 256;
  Loaded pictures;  // without the columns
  pictures.n = set.n;
  pictures.shape = set.shape;
  pictures.picture = set.picture;
  pictures.stored = set.stored;
  if (std::max(set.shape[1], set.shape[2]) > largest) pictures = resized(std::move(pictures), largest);
  const auto [channels, height, width] = pictures.shape;
  const auto rows = rows_of_sheet(set.n, count, seed);
  const std::size_t each = channels * height * width;
  std::vector<std::uint8_t> pixels(rows.size() * each);
  parallel_for(rows.size(),
               [&](std::size_t i) { pictures.picture(rows[i], std::span(pixels).subspan(i * each, each)); });
  return contact_sheet(pixels, channels, height, width);
}

void write_table(const std::filesystem::path& path, const Loaded& set) {
  AtomicFile file(path);
  std::string line;
  std::vector<std::vector<std::string>> fields;
  for (const LoadedColumn& column : set.columns) {
    if (!line.empty()) line += ',';
    line += csv_name(column.name);
    auto& values = fields.emplace_back();
    for (const std::string& value : column.values) values.push_back(csv_name(value));
  }
  file.write(line + "\n");
  for (std::size_t row = 0; row < set.n; ++row) {
    line.clear();
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (c > 0) line += ',';
      line += fields[c][set.columns[c].codes[row]];
    }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

}  // namespace leeway::data
