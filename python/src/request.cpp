#include "python/src/request.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "leeway/core/message.h"
#include "leeway/io/images.h"
#include "leeway/io/shards.h"
#include "python/src/arrays.h"

namespace leeway::python {

bool is_path(nb::handle value) { return PyUnicode_Check(value.ptr()) != 0; }

Request::Request(std::string name, nb::dict given) : function(std::move(name)), given_(std::move(given)) {
  bool no_digest = false;
  const auto common = [&](Fields& f) {
    f("seed", seed, "seed of all random numbers");
    f("threads", threads, from_to(0, 4096), "number of threads; 0: one per core");
    f("quiet", quiet, "suppress progress and warnings");
    f("no_digest", no_digest, "skip the digests of input files");
  };
  read_options(common, given_, function);
  log.digests = !no_digest;
}

bool Request::has(const char* argument) const {
  return given_.contains(argument) && !nb::object(given_[argument]).is_none();
}

nb::object Request::operator[](const char* argument) const { return given_[argument]; }

std::string Request::text(const char* argument) const {
  return has(argument) ? nb::cast<std::string>(nb::object(given_[argument])) : "";
}

std::vector<std::string> Request::texts(const char* argument) const {
  return has(argument) ? nb::cast<std::vector<std::string>>(nb::object(given_[argument]))
                       : std::vector<std::string>();
}

std::vector<std::pair<std::string, nb::object>> Request::pairs(const char* argument) const {
  std::vector<std::pair<std::string, nb::object>> pairs;
  for (const nb::handle pair : nb::object(given_[argument]))
    pairs.emplace_back(nb::cast<std::string>(pair[0]), nb::object(pair[1]));
  return pairs;
}

tasks::NamedOutputs Request::outputs(const std::string& name, nb::handle value,
                                     const tasks::OutputsReading& reading, tasks::SetRole role,
                                     bool check_finite) {
  if (is_path(value))
    return tasks::named_outputs(log, nb::cast<std::string>(value), reading, role, check_finite);
  const bool frame = PyTuple_Check(value.ptr());  // the text of its table, its key, the other arrays
  OutputsOptions options = tasks::reading_of(reading, check_finite);
  options.columns.frame = frame;
  if (frame) {
    const auto key = nb::cast<std::string>(value[2]);
    const auto word = split_score_name(key);
    if (options.columns.classes == std::vector{key}) options.columns.classes.clear();
    if (options.as == Scores::automatic && word && word->kind == ScoreKind::probs) options.as = Scores::probs;
  }
  return {name, [this, name, reading, role, frame, options,
                 text = frame ? nb::cast<std::string>(value[1]) : std::string(),
                 arrays = array_map_of(frame ? nb::object(value[3]) : nb::borrow(value), name),
                 noted = std::make_shared<bool>(false)] {
            Outputs outputs =
                frame ? outputs_of_table(text, name, options, arrays) : outputs_of(arrays, name, options);
            const bool first = !std::exchange(*noted, true);
            if (first) log.add_array(name, outputs.logits);
            return tasks::with_reading({outputs.logits, outputs, {}}, reading, role, options,
                                       [&](const tasks::ReadFile& file) {
                                         if (first) log.note(file);
                                       });
          }};
}

std::vector<tasks::NamedOutputs> Request::sets(nb::handle list, const tasks::OutputsReading& reading,
                                               tasks::SetRole role, bool check_finite) {
  std::vector<tasks::NamedOutputs> sets;
  for (const nb::handle set : list)
    sets.push_back(outputs(nb::cast<std::string>(set[0]), set[1], reading, role, check_finite));
  return sets;
}

Outputs Request::open_outputs(const std::string& name, nb::handle value, const tasks::OutputsReading& reading,
                              tasks::SetRole role, bool check_finite) {
  const tasks::NamedOutputs named = outputs(name, value, reading, role, check_finite);
  const Released release;
  return joined(named.open());
}

nb::dict Request::options_given() const {
  nb::dict options;
  for (const auto& [key, value] : given_) {
    const auto name = nb::cast<std::string>(key);
    if ((name != "labels" && name != "groups") || is_path(value)) options[key] = value;
  }
  return options;
}

// The names that options give, else those of the outputs.
static OutputsOptions with_names(OutputsOptions options, const std::vector<std::string>& class_names) {
  if (options.columns.class_names.empty()) options.columns.class_names = class_names;
  return options;
}

Request::Labels Request::labels_or_file(const tasks::OutputsReading& reading, const tasks::SetRows& rows) {
  if (!has("labels") || !is_path((*this)["labels"])) return labels(reading);
  return [this, rows, path = text("labels"), options = tasks::reading_of(reading)](
             std::size_t n, std::size_t k, const std::vector<std::string>& class_names) {
    ClassLabels labels =
        tasks::read_labels(path, {n, rows.ids, rows.path}, k, with_names(options, class_names));
    log.add(path, {n});
    return labels;
  };
}

Request::Labels Request::labels(const tasks::OutputsReading& reading) {
  if (!has("labels")) return {};
  const nb::object value = (*this)["labels"];
  if (is_path(value)) return {};
  return [this, array = array_of(value, "labels"), options = tasks::reading_of(reading),
          noted = std::make_shared<bool>(false)](std::size_t n, std::size_t k,
                                                 const std::vector<std::string>& class_names) {
    ClassLabels labels = labels_of(array, "labels", n, k, with_names(options, class_names));
    if (!std::exchange(*noted, true)) log.add_array("labels", array);
    return labels;
  };
}

Array Request::array(const char* argument) { return array(argument, (*this)[argument]); }

Array Request::array(const std::string& name, nb::handle value) {
  if (is_path(value)) return tasks::only_array(log, nb::cast<std::string>(value));
  Array array = as_float(array_of(value, name), name);
  log.add_array(name, array);
  return array;
}

Array Request::inputs() {
  Array x = array_of((*this)["x"], "x");
  log.add_array("x", x);
  if (std::string doubt = doubt_of_levels(x, "x"); !doubt.empty()) warnings.push_back(std::move(doubt));
  return x;
}

Images Request::images(const std::string& name, nb::handle value, const data::PictureOptions& pictures) {
  const bool path = is_path(value);
  if (!path && pictures != data::PictureOptions{})
    refuse(name, "a folder of pictures, for preprocess, resize_shorter and crop", "an array");
  auto folder = path ? data::pictures_at(nb::cast<std::string>(value), pictures) : std::nullopt;
  Images images = folder ? *std::move(folder)
                  : path ? read_images(nb::cast<std::string>(value))
                         : images_of(array_map_of(value, name), name);
  if (path)
    log.add(images.path, images.pixels.shape);
  else
    log.add_array(name, images.pixels);
  if (!images.doubt.empty()) warnings.push_back(images.doubt);
  return images;
}

GivenTable Request::table(const char* argument) const {
  const nb::object value = (*this)[argument];
  if (is_path(value)) return {nb::cast<std::string>(value), std::nullopt};
  return {nb::cast<std::string>(value[0]), nb::cast<std::string>(value[1])};
}

void Request::note(const GivenTable& table, const std::vector<std::size_t>& shape) {
  if (table.text)
    log.add_memory(table.name, table.text->size(), shape);
  else
    log.add(table.name, shape);
}

void Request::complete(Envelope& envelope) {
  const Released release;
  envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  envelope.command = {function};
  warnings.insert(warnings.begin(), envelope.warnings.begin(), envelope.warnings.end());
  log.move_to(envelope);
}

nb::object Request::result(SavedRecord record, const ArrayMap& arrays) {
  nb::dict made;
  for (const auto& [name, array] : arrays) made[name.c_str()] = numpy_of(array);
  std::vector<std::string> lines;
  for (const std::string& warning : warnings) lines.push_back(python_names(warning));
  return nb::make_tuple(nb::cast(std::move(record)), made, nb::cast(lines));
}

}  // namespace leeway::python
