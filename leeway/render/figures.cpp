#include "leeway/render/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/io/csv.h"
#include "leeway/render/assets.h"

namespace leeway::render {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 80, svg_width = 480;  // in pixels

// Lower case words joined by "-"; other letters than those of ASCII are left out.
std::string slug(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.')
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name == ".") name.clear();  // a hidden file
    if (name.size() == longest_name) break;
  }
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name;
}

class Names {
 public:
  // No two alike, without an ending.
  std::string next(const std::vector<std::string>& parts) {
    std::string name;
    for (const std::string& part : parts)
      if (const std::string one = slug(part); !one.empty()) name += (name.empty() ? "" : "-") + one;
    if (name.empty()) name = "figure";
    std::string free = name;
    for (std::size_t count = 2; !used_.insert(free).second; ++count) free = fmt::format("{}-{}", name, count);
    return free;
  }

 private:
  std::set<std::string> used_;
};

// Of fields that are quoted already.
std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string full(const std::optional<double>& value) {
  if (!value) return "";
  if (std::isinf(*value)) return *value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{:.9g}", *value);
}

// A cell as the page shows it.
std::string text_of(const Cell& cell) { return cell.text + (cell.beside.empty() ? "" : " " + cell.beside); }

std::string table_csv(const Table& table) {
  std::vector<std::string> head;
  for (const Column& column : table.columns) {
    head.push_back(csv_field(column.title));
    if (column.interval)
      head.insert(head.end(), {csv_field(column.title + " low"), csv_field(column.title + " high")});
  }
  std::string text = csv_line(head);
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c) {
      const Cell& cell = row[c];
      fields.push_back(!cell.missing.empty() ? "" : cell.value ? full(cell.value) : csv_name(text_of(cell)));
      if (table.columns[c].interval) fields.insert(fields.end(), {full(cell.low), full(cell.high)});
    }
    text += csv_line(fields);
  }
  return text;
}

// Characters, each followed by its LaTeX.
constexpr const char* latex_words =
    "\\ \\textbackslash{} { \\{ } \\} $ \\$ & \\& # \\# % \\% _ \\_ ~ \\textasciitilde{} ^ "
    "\\textasciicircum{} < $<$ > $>$ – -- − $-$ ± $\\pm$ × $\\times$ ∞ $\\infty$ ≥ $\\geq$ ≤ $\\leq$ α "
    "$\\alpha$ β $\\beta$ δ $\\delta$ ε $\\varepsilon$ σ $\\sigma$ Σ $\\Sigma$ Δ $\\Delta$ λ $\\lambda$ μ "
    "$\\mu$ ² \\textsuperscript{2} … \\ldots{} → $\\to$ \u00A0 ~";

std::string latex(std::string_view text) {
  static const auto words = [] {
    std::map<std::string, std::string, std::less<>> all;
    std::istringstream list(latex_words);
    for (std::string character, word; list >> character >> word;) all[character] = word;
    return all;
  }();
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const auto word = words.find(text.substr(0, length));
    out += word == words.end() ? text.substr(0, length) : word->second;
    text.remove_prefix(length);
  }
  return out;
}

std::string table_latex(const Table& table) {
  std::string text =
      fmt::format("% {}\n% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{", table.caption);
  for (const auto& column : table.columns) text += column.numeric ? 'r' : 'l';
  text += "}\n\\toprule\n";
  const auto line = [](const auto& cells, const auto& words) {
    std::string out;
    for (const auto& cell : cells) out += (out.empty() ? "" : " & ") + words(cell);
    return out + " \\\\\n";
  };
  text += line(table.columns, [](const Column& column) { return latex(column.title); }) + "\\midrule\n";
  for (const auto& row : table.rows)
    text += line(row, [](const Cell& cell) {
      const std::string words = text_of(cell);
      return !cell.missing.empty() ? "--" : (words.starts_with('[') ? "{}" : "") + latex(words);
    });
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string json_field(const Json& value) {
  return value.is_null()     ? ""
         : value.is_string() ? csv_name(value.get<std::string>())
                             : csv_field(value.dump());
}

Json of_pairs(const std::vector<std::pair<std::string, Json>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

// The table that the page shows below the chart: titles and fields are the specification's "usermeta".
std::string chart_csv(const Chart& chart, const Json& spec) {
  const Json& numbers = spec.at("usermeta").at("numbers");
  const Json signals = of_pairs(chart.signals);
  const Json rows = of_pairs(chart.data).value(numbers.at("data").get<std::string>(), Json::array());
  std::vector<Json> columns;
  for (const Json& column : numbers.at("columns"))
    if (std::ranges::any_of(rows,
                            [&](const Json& row) { return row.contains(column[1].get<std::string>()); }))
      columns.push_back(column);
  std::vector<std::string> head;
  for (const Json& column : columns)
    head.push_back(column[0].is_object()
                       ? json_field(signals.value(column[0]["signal"].get<std::string>(), Json()))
                       : csv_field(column[0].get<std::string>()));
  std::string text = csv_line(head);
  for (const Json& row : rows) {
    std::vector<std::string> fields;
    for (const Json& column : columns) {
      const Json value = row.value(column[1].get<std::string>(), Json());
      const bool named = column.size() > 2 && value.is_number_unsigned();
      fields.push_back(
          json_field(named ? signals.at(column[2].get<std::string>()).at(value.get<std::size_t>()) : value));
    }
    text += csv_line(fields);
  }
  return text;
}

// Variables of the light colours: the first rule of page.css.
Json light_colours() {
  const std::string css = asset("page/page.css");
  Json colours;
  const std::string_view rule = std::string_view(css).substr(0, css.find('}'));
  for (std::size_t at = rule.find("--"); at != rule.npos; at = rule.find("--", at + 1)) {
    const std::size_t colon = rule.find(": ", at), end = rule.find(';', at);
    if (colon < end && end != rule.npos)
      colours[std::string(rule.substr(at, colon - at))] =
          std::string(rule.substr(colon + 2, end - colon - 2));
  }
  return colours;
}

// A file in memory for a child process.
struct MemoryFile {
  int descriptor = ::memfd_create("leeway", MFD_CLOEXEC);
  fs::path path = fmt::format("/proc/self/fd/{}", descriptor);

  MemoryFile() = default;
  ~MemoryFile() { ::close(descriptor); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
};

// What the program prints; nothing without node. The program comes from memory: a package.json on disk does not
// change its meaning.
std::optional<std::string> run_node(const std::string& program) {
  const MemoryFile input, output, errors;
  if (std::ofstream file(input.path, std::ios::binary); !(file << program).flush())
    throw std::runtime_error("node: cannot write its program to memory");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO);
  std::array<std::string, 3> words{"node", "--input-type=commonjs", "-"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "node", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error("node: cannot wait for the process");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::string(map_file(output.path).text());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return std::nullopt;
  const std::string text(map_file(errors.path).text()), line = text.substr(0, text.find('\n'));
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("exit code {}", WEXITSTATUS(status));
  throw std::runtime_error("node: cannot draw the charts: " + (line.empty() ? how : printable(line, 500)));
}

// The files of all tables and charts below `blocks`, in their order.
struct Drawing {
  Names names;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> pictures;  // names of the charts' SVG
  Json specs = Json::object(), charts = Json::array();

  void add(const std::string& section, const Table& table) {
    const std::string name = names.next({section, table.caption});
    files.emplace_back(name + ".csv", table_csv(table));
    files.emplace_back(name + ".tex", table_latex(table));
  }

  void add(const std::string& section, const Chart& chart, const std::string& choice) {
    if (!specs.contains(chart.spec))
      specs[chart.spec] = Json::parse(asset(fmt::format("specs/{}.vg.json", chart.spec)));
    const std::string name = names.next({section, chart.title, choice == chart.title ? "" : choice});
    files.emplace_back(name + ".csv", chart_csv(chart, specs[chart.spec]));
    pictures.push_back(name + ".svg");
    charts.push_back({{"spec", chart.spec},
                      {"title", chart.title},
                      {"note", chart.note},
                      {"description", chart.description},
                      {"data", of_pairs(chart.data)},
                      {"signals", of_pairs(chart.signals)}});
  }

  void add(const std::string& section, const Blocks& blocks) {
    for (const Block& block : blocks.list) {
      if (const auto* table = std::get_if<Table>(&block.content)) add(section, *table);
      if (const auto* inner = std::get_if<More>(&block.content)) add(section, inner->body);
      const auto* all = std::get_if<Charts>(&block.content);
      if (all == nullptr) continue;
      for (std::size_t i = 0; i < all->choices[0].charts.size(); ++i)
        for (const ChartChoice& choice : all->choices) add(section, choice.charts.at(i), choice.words);
    }
  }
};

}  // namespace

Figures write_figures(const View& view, const fs::path& folder,
                      const std::function<void(const fs::path&)>& claim) {
  Drawing drawing;
  drawing.add("overview", view.lead);
  for (const Section& section : view.sections) drawing.add(section.id, section.body);
  auto& files = drawing.files;
  Figures written;
  if (!drawing.pictures.empty()) {
    const Json work = {{"width", svg_width},
                       {"colours", light_colours()},
                       {"specs", std::move(drawing.specs)},
                       {"charts", std::move(drawing.charts)},
                       {"config", Json::parse(asset("specs/config.json"))}};
    const Json text = work.dump(-1, ' ', true, Json::error_handler_t::replace);
    const auto drawn = run_node(fmt::format("{}\nconst work = JSON.parse({});\n{}", vega_script(),
                                            text.dump(), asset("page/figures.js")));
    if (drawn) {
      const Json texts = Json::parse(*drawn);
      for (std::size_t i = 0; i < drawing.pictures.size(); ++i)
        files.emplace_back(drawing.pictures[i], texts.at(i).get<std::string>());
    } else {
      written.missing = "SVG files require the program node";
    }
  }
  fs::create_directories(folder);
  for (const auto& [name, text] : files)
    if (claim) claim(folder / name);
  for (const auto& [name, text] : files) {
    write_text(folder / name, text);
    written.files.push_back(name);
  }
  return written;
}

}  // namespace leeway::render
