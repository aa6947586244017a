#include "leeway/report/figures.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "leeway/core/csv.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/report/detail/assets.h"
#include "leeway/report/detail/page_parts.h"

namespace leeway::report {
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
  std::string line;
  for (const std::string& field : fields) line += (&field == fields.data() ? "" : ",") + field;
  return line + "\n";
}

std::string table_csv(const PageTable& table) {
  std::vector<std::string> head;
  for (const auto& [title, numeric, interval] : table.columns) {
    head.push_back(csv_field(title));
    if (interval) head.insert(head.end(), {csv_field(title + " low"), csv_field(title + " high")});
  }
  std::string text = csv_line(head);
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (std::size_t c = 0; c < row.size() && c < table.columns.size(); ++c) {
      fields.push_back(row[c].missing ? "" : row[c].value ? *row[c].value : csv_name(row[c].text));
      if (table.columns[c].interval) fields.insert(fields.end(), {row[c].low, row[c].high});
    }
    text += csv_line(fields);
  }
  return text;
}

// Characters, each followed by its LaTeX.
constexpr const char* latex_words =
    "\\ \\textbackslash{} { \\{ } \\} $ \\$ & \\& # \\# % \\% _ \\_ ~ \\textasciitilde{} ^ "
    "\\textasciicircum{} < $<$ > $>$ – -- − $-$ ± $\\pm$ × $\\times$ ∞ $\\infty$ ≥ $\\geq$ ≤ "
    "$\\leq$ α $\\alpha$ β $\\beta$ δ $\\delta$ ε $\\varepsilon$ σ $\\sigma$ Σ $\\Sigma$ Δ "
    "$\\Delta$ λ $\\lambda$ μ $\\mu$ ² \\textsuperscript{2} … \\ldots{} → $\\to$ \u00A0 ~";

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

std::string table_latex(const PageTable& table) {
  std::string text =
      fmt::format("% {}\n% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{", table.caption);
  for (const auto& column : table.columns) text += column.numeric ? 'r' : 'l';
  text += "}\n\\toprule\n";
  const auto line = [](const auto& cells, const auto& words) {
    std::string out;
    for (const auto& cell : cells) out += (out.empty() ? "" : " & ") + words(cell);
    return out + " \\\\\n";
  };
  text += line(table.columns, [](const PageTable::Column& column) { return latex(column.title); }) +
          "\\midrule\n";
  for (const auto& row : table.rows)
    text += line(row, [](const PageCell& cell) {
      return cell.missing ? std::string("--") : (cell.text.starts_with('[') ? "{}" : "") + latex(cell.text);
    });
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string json_field(const Json& value) {
  return value.is_null()     ? ""
         : value.is_string() ? csv_name(value.get<std::string>())
                             : csv_field(value.dump());
}

// The table that the page shows below the chart: titles and fields are the specification's "usermeta".
std::string chart_csv(const PageChart& chart, const Json& spec) {
  const Json& numbers = spec.at("usermeta").at("numbers");
  const Json none = Json::object();
  const Json& data = chart.content.contains("data") ? chart.content["data"] : none;
  const Json rows = data.value(numbers.at("data").get<std::string>(), Json::array());
  const Json& signals = chart.content.contains("signals") ? chart.content["signals"] : none;
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

}  // namespace

Figures write_figures(const std::string& page, const fs::path& folder,
                      const std::function<void(const fs::path&)>& claim) {
  const PageParts parts = parts_of(page);
  Names names;
  std::vector<std::pair<std::string, std::string>> files;
  for (const PageTable& table : parts.tables) {
    const std::string name = names.next({table.section, table.caption});
    files.emplace_back(name + ".csv", table_csv(table));
    files.emplace_back(name + ".tex", table_latex(table));
  }
  Json work = {{"width", svg_width},
               {"colours", light_colours()},
               {"specs", Json::object()},
               {"charts", Json::array()},
               {"config", Json::parse(asset("specs/config.json"))}};
  std::vector<std::string> drawings;
  for (const PageChart& chart : parts.charts) {
    if (!work["specs"].contains(chart.spec)) work["specs"][chart.spec] = page_spec(page, chart.spec);
    const std::string title = chart.content.value("title", std::string());
    const std::string name = names.next({chart.section, title, chart.choice == title ? "" : chart.choice});
    files.emplace_back(name + ".csv", chart_csv(chart, work["specs"][chart.spec]));
    drawings.push_back(name + ".svg");
    work["charts"].push_back(chart.content);
    work["charts"].back()["spec"] = chart.spec;
  }
  Figures written;
  if (!drawings.empty()) {
    const Json text = work.dump(-1, ' ', true, Json::error_handler_t::replace);
    const auto drawn = run_node(fmt::format("{}\nconst work = JSON.parse({});\n{}", vega_script(),
                                            text.dump(), asset("page/figures.js")));
    if (drawn) {
      const Json texts = Json::parse(*drawn);
      for (std::size_t i = 0; i < drawings.size(); ++i)
        files.emplace_back(drawings[i], texts.at(i).get<std::string>());
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

}  // namespace leeway::report
