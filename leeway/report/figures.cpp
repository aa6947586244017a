#include "leeway/report/figures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "leeway/core/csv.h"
#include "leeway/core/file.h"
#include "leeway/core/removal.h"
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
    const std::size_t count = ++used_[name];
    return count == 1 ? name : fmt::format("{}-{}", name, count);
  }

 private:
  std::map<std::string, std::size_t> used_;
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

std::string latex(std::string_view text) {
  static const std::map<std::string_view, std::string_view> words = {{"\\", "\\textbackslash{}"},
                                                                     {"{", "\\{"},
                                                                     {"}", "\\}"},
                                                                     {"$", "\\$"},
                                                                     {"&", "\\&"},
                                                                     {"#", "\\#"},
                                                                     {"%", "\\%"},
                                                                     {"_", "\\_"},
                                                                     {"~", "\\textasciitilde{}"},
                                                                     {"^", "\\textasciicircum{}"},
                                                                     {"<", "$<$"},
                                                                     {">", "$>$"},
                                                                     {"–", "--"},
                                                                     {"−", "$-$"},
                                                                     {"±", "$\\pm$"},
                                                                     {"×", "$\\times$"},
                                                                     {"∞", "$\\infty$"},
                                                                     {"≥", "$\\geq$"},
                                                                     {"≤", "$\\leq$"},
                                                                     {"α", "$\\alpha$"},
                                                                     {"β", "$\\beta$"},
                                                                     {"δ", "$\\delta$"},
                                                                     {"ε", "$\\varepsilon$"},
                                                                     {"σ", "$\\sigma$"},
                                                                     {"Σ", "$\\Sigma$"},
                                                                     {"Δ", "$\\Delta$"},
                                                                     {"λ", "$\\lambda$"},
                                                                     {"μ", "$\\mu$"},
                                                                     {"²", "\\textsuperscript{2}"},
                                                                     {"…", "\\ldots{}"},
                                                                     {"→", "$\\to$"},
                                                                     {"\u00A0", "~"}};
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

struct RemovedAtEnd {
  fs::path path;
  ~RemovedAtEnd() { discard_made(path.parent_path(), path); }
};

// Why it could not be done; empty where it was.
std::optional<std::string> run_node(const fs::path& program, const fs::path& input, const fs::path& folder,
                                    const fs::path& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  std::array<std::string, 4> words{"node", program.string(), input.string(), folder.string()};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "node", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return "SVG needs the program node";
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error("node: cannot wait for it");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return "SVG needs the program node";
  const std::string text(map_file(errors).text());
  throw std::runtime_error("node: cannot draw the charts: " + text.substr(0, text.find('\n')));
}

}  // namespace

Figures write_figures(const std::string& page, const fs::path& folder) {
  fs::create_directories(folder);
  const PageParts parts = parts_of(page);
  Names names;
  Figures written;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    written.files.push_back(name);
  };
  for (const PageTable& table : parts.tables) {
    const std::string name = names.next({table.section, table.caption});
    write(name + ".csv", table_csv(table));
    write(name + ".tex", table_latex(table));
  }
  Json work = {{"width", svg_width},
               {"colours", light_colours()},
               {"specs", Json::object()},
               {"charts", Json::array()}};
  for (const PageChart& chart : parts.charts) {
    if (!work["specs"].contains(chart.spec)) work["specs"][chart.spec] = page_spec(page, chart.spec);
    const std::string title = chart.content.value("title", std::string());
    const std::string name = names.next({chart.section, title, chart.choice == title ? "" : chart.choice});
    write(name + ".csv", chart_csv(chart, work["specs"][chart.spec]));
    Json content = chart.content;
    content["spec"] = chart.spec, content["file"] = name + ".svg";
    work["charts"].push_back(std::move(content));
  }
  if (work["charts"].empty()) return written;
  work["config"] = Json::parse(asset("specs/config.json"));
  const RemovedAtEnd program{folder / ".figures.js"}, input{folder / ".figures.json"},
      errors{folder / ".figures.log"};
  write_text(program.path, vega_script() + asset("page/figures.js"));
  write_text(input.path, work.dump(-1, ' ', true, Json::error_handler_t::replace));
  written.missing = run_node(program.path, input.path, folder, errors.path).value_or("");
  if (written.missing.empty())
    for (const Json& chart : work["charts"]) written.files.push_back(chart["file"].get<std::string>());
  return written;
}

}  // namespace leeway::report
