// leeway._leeway: the library as the package's Python files see it. They hold no computation; this holds no interface.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <typeinfo>

#include "leeway/core/error.h"
#include "leeway/core/lapack.h"
#include "leeway/core/parallel.h"
#include "leeway/core/version.h"
#include "leeway/describe/json.h"
#include "leeway/io/column_words.h"
#include "leeway/tasks/records.h"
#include "leeway/tasks/report/page.h"
#include "python/src/arrays.h"
#include "python/src/functions.h"
#include "python/src/guard.h"
#include "python/src/progress.h"

namespace leeway::python {
namespace {

const std::vector<Function>& all_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (const auto& part :
         {functions_of_outputs(), functions_of_noise(), functions_of_attack(), functions_of_data()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::string text_of(std::string_view text) { return std::string(text); }

nb::list described_functions() {
  nb::list list;
  for (const Function& function : all_functions()) {
    nb::list arguments, first;
    for (const Argument& argument : function.arguments)
      arguments.append(nb::make_tuple(text_of(argument.name), text_of(argument.kind),
                                      text_of(argument.meaning), argument.required));
    for (const std::string_view name : function.first) first.append(text_of(name));
    nb::list options;  // those that are arguments as well take arrays, too
    for (const nb::handle option : fields_of(function.options)) {
      const auto name = nb::cast<std::string>(option[0]);
      if (std::ranges::find(function.arguments, name, &Argument::name) == function.arguments.end())
        options.append(option);
    }
    list.append(nb::make_tuple(text_of(function.name), text_of(function.command), text_of(function.schema),
                               text_of(function.summary), arguments, first, options));
  }
  return list;
}

nb::list described_records() {
  nb::list list;
  for (const tasks::RecordType& record : tasks::records())
    list.append(nb::make_tuple(text_of(record.schema), text_of(record.title), fields_of(record.describe)));
  return list;
}

// For the time of a call; the number is the whole process's.
class Threads {
 public:
  explicit Threads(std::optional<std::size_t> count) : before_(threads()), changed_(count.has_value()) {
    if (count) set_threads(static_cast<int>(*count));
  }
  ~Threads() {
    if (changed_) set_threads(before_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
  bool changed_;
};

// A value that no conversion takes, and a file that was cut, are errors of one line.
template <class Work>
auto guarded(const std::string& function, const Work& work) {
  const Call call;
  try {
    auto result = work();
    call.check_files();
    return result;
  } catch (const std::bad_cast&) {
    throw Error(
        fmt::format("{0}: expected arguments of the types in help({0}), found another type", function));
  } catch (const Error&) {
    call.check_files();
    throw;
  }
}

nb::object call(std::size_t function, const nb::dict& given) {
  const Function& called = all_functions().at(function);
  const std::string name = "leeway." + text_of(called.name);
  return guarded(name, [&] {
    Request request(name, given);
    const Threads number(request.threads);
    return called.call(request);
  });
}

// Images by their names, "" for the source's: one page of the records.
std::string page(const std::vector<std::pair<std::string, std::string>>& records, const nb::list& images,
                 std::size_t flips) {
  return guarded("leeway.report", [&] {
    std::vector<std::pair<std::string, Json>> parsed;
    for (const auto& [name, text] : records) parsed.emplace_back(name, parse_record(text, name));
    std::vector<Images> opened;
    opened.reserve(images.size());
    std::vector<tasks::PictureSource> sources;
    for (const nb::handle pair : images) {
      const nb::object value = pair[1];
      opened.push_back(PyUnicode_Check(value.ptr()) ? read_images(nb::cast<std::string>(value))
                                                    : images_of(array_map_of(value, "images"), "images"));
      sources.push_back({nb::cast<std::string>(pair[0]), &opened.back()});
    }
    tasks::PageOptions options;
    options.flips_per_result = flips;
    const Released release;
    return tasks::html_report(parsed, sources, options);
  });
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

void translate(const std::exception_ptr& pointer, void* type) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyErr_SetString(static_cast<PyObject*>(type), one_line(python_names(error.what())).c_str());
  }
}

}  // namespace
}  // namespace leeway::python

NB_MODULE(_leeway, m) {
  leeway::name_processor_for_openblas();
  using namespace leeway::python;  // NOLINT(google-build-using-namespace)
  nb::set_leak_warnings(false);    // pickled results may outlive the module
  nb::object error = nb::steal(
      PyErr_NewExceptionWithDoc("leeway.Error", "Bad input: one line with the expected and the found value.",
                                PyExc_ValueError, nullptr));
  m.attr("Error") = error;
  nb::register_exception_translator(translate, error.release().ptr());
  m.attr("__version__") = leeway::version;

  nb::class_<SavedRecord>(m, "Record")
      .def("__init__",
           [](SavedRecord* made, const std::string& json, const std::string& text) {
             new (made) SavedRecord{[read = leeway::parse_record(json, "record")] { return read; },
                                    [text] { return text; }};
           })
      .def("json", [](const SavedRecord& record) { return leeway::record_text(record.json()); })
      .def("tree", [](const SavedRecord& record) { return object_of(record.json()); })
      .def("text", [](const SavedRecord& record) { return record.text(); });

  nb::class_<Bar>(m, "Bar")
      .def(nb::init<bool>())
      .def("update", &Bar::update);  // the destructor clears its line
  m.def("is_scores", [](const std::string& name) {
    return name == "logits" || name == "probs" || name == "pred_probs" || leeway::is_scores(name) ||
           leeway::is_prediction(name);
  });
  m.def("is_label", [](const std::string& name) { return leeway::is_label(name); });
  m.def("is_time", [](const std::string& name) { return leeway::is_time(name); });
  m.def("is_missing", [](const std::string& text) { return leeway::is_missing(text); });
  m.def("functions", described_functions);
  m.def("records", described_records);
  m.def("call", call, nb::arg("function"), nb::arg("given"));
  m.def("page", page);
  stop_calls_at_exit();
}
