// 3D Shapes (Burgess and Kim, 2018), 3dshapes.h5: images (n,64,64,3) in u8 and labels (n,6) in float64, in
// the order floor hue, wall hue, object hue, scale, shape, orientation.
//
// HDF5 is opened at run time with its C interface declared here: linking it would double every command's
// start time. It is not thread-safe, hence the lock; pictures are read in blocks of write_loaded.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "leeway/data/detail/load_columns.h"
#include "leeway/data/render.h"
#include "leeway/io/inflate.h"

namespace leeway::data {
namespace {

using Id = std::int64_t;  // hid_t since 1.10
using Size = unsigned long long;

constexpr std::array<const char*, 6> library_names = {"libhdf5_serial.so.103", "libhdf5_serial.so.310",
                                                      "libhdf5.so.103",        "libhdf5.so.200",
                                                      "libhdf5.so.310",        "libhdf5.so"};
constexpr int integers = 0, floats = 1;  // H5T_class_t
constexpr int hard_link = 0;             // H5L_type_t
constexpr int virtual_layout = 3;        // H5D_layout_t
constexpr std::size_t rows_of_block = 4096;

// A function or a value of the library, of the type that the caller gives it.
struct Symbol {
  void* address = nullptr;
  template <class T>
  operator T*() const {  // NOLINT(google-explicit-constructor): the member's type says what it is
    return reinterpret_cast<T*>(address);
  }
};

class Library {
  void* handle_ = opened();

 public:
  static const Library& get() {
    static const Library library;
    return library;
  }

  int (*set_errors)(Id, void*, void*) = found("H5Eset_auto2");
  Id (*open_file)(const char*, unsigned, Id) = found("H5Fopen");
  Id (*open_data)(Id, const char*, Id) = found("H5Dopen2");
  Id (*space_of)(Id) = found("H5Dget_space");
  Id (*type_of)(Id) = found("H5Dget_type");
  int (*class_of)(Id) = found("H5Tget_class");
  std::size_t (*size_of_type)(Id) = found("H5Tget_size");
  int (*rank_of)(Id) = found("H5Sget_simple_extent_ndims");
  int (*shape_of)(Id, Size*, Size*) = found("H5Sget_simple_extent_dims");
  int (*select)(Id, int, const Size*, const Size*, const Size*, const Size*) = found("H5Sselect_hyperslab");
  Id (*make_space)(int, const Size*, const Size*) = found("H5Screate_simple");
  int (*read)(Id, Id, Id, Id, Id, void*) = found("H5Dread");
  Size (*storage_of)(Id) = found("H5Dget_storage_size");  // bytes in the file
  int (*link_of)(Id, const char*, void*, Id) = found(::dlsym(handle_, "H5Lget_info2") != nullptr
                                                         ? "H5Lget_info2"
                                                         : "H5Lget_info");  // from 1.12
  Id (*creation_of)(Id) = found("H5Dget_create_plist");                     // properties of a data set
  int (*layout_of)(Id) = found("H5Pget_layout");
  int (*externals_of)(Id) = found("H5Pget_external_count");  // number of files outside that hold the data
  int (*release)(Id) = found("H5Idec_ref");                  // an object of any kind
  Id bytes = 0, doubles = 0;                                 // types in memory

 private:
  Library() {
    int (*const start)() = found("H5open");
    if (start() < 0) throw std::runtime_error("the HDF5 library does not start");
    bytes = *static_cast<Id*>(found("H5T_NATIVE_UINT8_g"));
    doubles = *static_cast<Id*>(found("H5T_NATIVE_DOUBLE_g"));
    set_errors(0, nullptr, nullptr);  // it would print them
  }

  static void* opened() {
    for (const char* name : library_names)
      if (void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    throw std::runtime_error("3dshapes.h5 requires HDF5: install the Debian package libhdf5-103-1");
  }

  [[nodiscard]] Symbol found(const char* name) const {
    void* const address = ::dlsym(handle_, name);
    if (address == nullptr) throw std::runtime_error(fmt::format("the HDF5 library lacks {}", name));
    return {address};
  }
};

// Closes what it names.
class Object {
 public:
  explicit Object(Id id) : id_(id) {}
  ~Object() {
    if (id_ >= 0) Library::get().release(id_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  [[nodiscard]] Id id() const { return id_; }

 private:
  Id id_;
};

// Opens a data set. A soft or external link, which may lead to another file, is not followed.
Id opened(const Object& file, const char* data, const std::string& name) {
  alignas(16) std::array<int, 64>
      info{};  // H5L_info_t begins with the type; its size differs between versions
  if (Library::get().link_of(file.id(), data, info.data(), 0) >= 0 && info[0] != hard_link)
    refuse(name, fmt::format("the data of {} inside the file", data), "a link");
  return Library::get().open_data(file.id(), data, 0);
}

// A data set of the file, of that rank and kind of element.
class Data {
 public:
  Data(const Object& file, const char* data, std::size_t rank, int kind, std::string name)
      : name_(std::move(name)), data_(opened(file, data, name_)) {
    const Library& hdf5 = Library::get();
    const std::string what = fmt::format("an array {} of rank {}, {}", data, rank,
                                         kind == integers ? "bytes" : "numbers of 64 bits");
    if (data_.id() < 0) refuse(name_, what, "none");
    const Object creation(hdf5.creation_of(data_.id()));
    if (hdf5.layout_of(creation.id()) == virtual_layout || hdf5.externals_of(creation.id()) != 0)
      refuse(name_, fmt::format("the data of {} inside the file", data), "data in other files");
    const Object space(hdf5.space_of(data_.id())), type(hdf5.type_of(data_.id()));
    if (hdf5.rank_of(space.id()) != static_cast<int>(rank) || hdf5.class_of(type.id()) != kind ||
        hdf5.size_of_type(type.id()) != (kind == integers ? 1 : 8))
      refuse(name_, what, "another");
    element_ = kind == integers ? 1 : 8;
    shape_.resize(rank);
    hdf5.shape_of(space.id(), shape_.data(), nullptr);
  }

  [[nodiscard]] const std::vector<Size>& shape() const { return shape_; }

  // Error where the bytes in the file cannot be packed data of that shape: a shape costs a few bytes to write, and
  // memory is asked for by it.
  void expect_data(std::size_t file_bytes) const {
    const Size stored = std::min<Size>(Library::get().storage_of(data_.id()), file_bytes);
    Size left = stored * max_expansion / element_;  // elements
    for (const Size side : shape_) {
      if (side > left)
        refuse(name_, fmt::format("a shape that {} bytes can hold", stored),
               fmt::format("({})", fmt::join(shape_, ", ")));
      left /= std::max<Size>(side, 1);
    }
  }

  void read(std::size_t begin, std::size_t count, Id type, void* out) const {
    const Library& hdf5 = Library::get();
    std::vector<Size> start(shape_.size()), counts = shape_;
    start[0] = begin;
    counts[0] = count;
    const Object space(hdf5.space_of(data_.id())),
        memory(hdf5.make_space(static_cast<int>(counts.size()), counts.data(), nullptr));
    if (hdf5.select(space.id(), 0, start.data(), nullptr, counts.data(), nullptr) < 0 ||
        hdf5.read(data_.id(), type, memory.id(), space.id(), 0, out) < 0)
      refuse(name_, fmt::format("rows {} to {}", begin, begin + count - 1), "unreadable data");
  }

 private:
  std::string name_;
  Object data_;
  std::vector<Size> shape_;
  Size element_ = 1;  // bytes
};

class Pictures {
 public:
  Pictures(const std::filesystem::path& path, const std::string& name)
      : file_(Library::get().open_file(path.c_str(), 0, 0)),
        images_(checked(name), "images", 4, integers, name),
        labels_(file_, "labels", 2, floats, name) {}

  [[nodiscard]] const Data& images() const { return images_; }
  [[nodiscard]] const Data& labels() const { return labels_; }

  void copy(std::size_t row, std::span<std::uint8_t> out) {
    const std::scoped_lock lock(mutex_);
    const std::size_t each = out.size(), block = row / rows_of_block * rows_of_block, n = images_.shape()[0];
    if (block_.empty() || block != begin_) {
      const std::size_t count = std::min(rows_of_block, n - block);
      block_.resize(count * each);
      images_.read(block, count, Library::get().bytes, block_.data());
      begin_ = block;
    }
    const std::size_t area = each / 3;
    const std::uint8_t* from = block_.data() + (row - block) * each;
    for (std::size_t i = 0; i < area; ++i)
      for (std::size_t c = 0; c < 3; ++c) out[c * area + i] = from[3 * i + c];
  }

 private:
  const Object& checked(const std::string& name) const {
    if (file_.id() < 0) refuse(name, "an HDF5 file", "other content");
    return file_;
  }

  Object file_;
  Data images_, labels_;
  std::mutex mutex_;
  std::vector<std::uint8_t> block_;
  std::size_t begin_ = 0;
};

// Which of `values` that is, in the file's precision; their number where it is none.
std::size_t code_of(double value, const std::vector<double>& values) {
  std::size_t code = 0;
  while (code < values.size() && !(std::abs(value - values[code]) < 1e-6)) ++code;
  return code;
}

// Labels are read block by block: those of all rows would be 48 bytes each.
std::vector<LoadedColumn> columns_of(const Data& labels, std::size_t n, const std::string& where) {
  const auto hues = evenly(0, .9, 10);
  const std::array<std::vector<double>, 6> values = {
      hues, hues, hues, evenly(.75, 1.25, 8), evenly(0, 3, 4), evenly(-30, 30, 15)};
  const auto& known = rendered_set("shapes3d").columns;
  std::vector<LoadedColumn> columns;
  for (const RenderedColumn& column : known) columns.push_back({column.name, column.texts, {}});
  std::vector<double> block;
  for (std::size_t begin = 0; begin < n; begin += rows_of_block) {
    const std::size_t count = std::min(rows_of_block, n - begin);
    block.resize(count * 6);
    labels.read(begin, count, Library::get().doubles, block.data());
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t c = 0; c < known.size(); ++c) {
        const std::size_t factor = known[c].factor;
        const double value = block[6 * row + factor];
        const std::size_t code = code_of(value, values[factor]);
        if (code == values[factor].size())
          refuse(where, fmt::format("a {} of the data set", known[c].name),
                 fmt::format("{} at row {}", value, begin + row));
        columns[c].codes.push_back(static_cast<std::uint32_t>(code));
      }
  }
  for (std::size_t c = 0; c < known.size(); ++c)
    put_values_in_order(columns[c].values, columns[c].codes, values_of(known[c]));
  return columns;
}

}  // namespace

Loaded load_shapes3d(const Paths& paths) {
  const std::string name = display_name(paths[0]);
  const std::size_t file_bytes = map_file(paths[0]).bytes.size();  // a missing file or a folder, in our words
  const auto pictures = std::make_shared<Pictures>(paths[0], name);
  const auto& shape = pictures->images().shape();
  const auto& label_shape = pictures->labels().shape();
  constexpr Size longest = 4096, most = 100'000'000;
  if (shape[0] == 0 || shape[0] > most || shape[1] == 0 || shape[1] > longest || shape[2] == 0 ||
      shape[2] > longest || shape[3] != 3)
    refuse(name + ": images", "images (n,h,w,3)",
           fmt::format("shape ({}, {}, {}, {})", shape[0], shape[1], shape[2], shape[3]));
  if (label_shape != std::vector<Size>{shape[0], 6})
    refuse(name + ": labels", fmt::format("shape ({}, 6)", shape[0]),
           fmt::format("({}, {})", label_shape[0], label_shape[1]));
  pictures->images().expect_data(file_bytes);
  pictures->labels().expect_data(file_bytes);
  Loaded set;
  set.n = shape[0];
  set.shape = {3, shape[1], shape[2]};
  set.columns = columns_of(pictures->labels(), set.n, name + ": labels");
  set.picture = [pictures](std::size_t row, std::span<std::uint8_t> out) { pictures->copy(row, out); };
  return set;
}

}  // namespace leeway::data
