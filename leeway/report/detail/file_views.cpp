// What the commands show that write files: images, texts, tables, outputs, weights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/report/detail/sections.h"
#include "leeway/shift/text_table.h"

namespace leeway::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

// A view that is its blocks alone, on the terminal, too.
View plain_view(const std::string& title, const record::Envelope& envelope, Blocks lead) {
  return view_of(title, envelope, in_both(std::move(lead)));
}

std::string file_words(const std::optional<record::WrittenFile>& file) {
  return fmt::format("{}, {}", file->path, bytes(file->bytes));
}

Facts files_of(const record::DataFiles& files) {
  Facts facts;
  const auto& [images, attributes, sheet, manifest] = files;
  for (const auto& [name, file] :
       {std::pair("images", &images), {"attributes", &attributes}, {"sheet", &sheet}})
    if (*file) facts.emplace_back(name, file_words(*file));
  if (manifest) facts.emplace_back("manifest", *manifest);
  return facts;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace

View view(const record::Infer& record) {
  using One = record::InferredSet;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("File"), &One::out},
      {number_column("n"), &One::n},
      {number_column("Classes"), &One::k},
      {number_column("Features"),
       [](const One& one) {
         return one.features ? count_cell(*one.features) : dash_cell("the model gives no features");
       }},
      {interval_column("Accuracy"), &One::accuracy, "the images have no labels"}};
  struct Part {
    const One* set;
    const record::InferredSplit* split;
  };
  std::vector<Part> parts;
  for (const One& one : record.results)
    for (const record::InferredSplit& split : one.splits) parts.push_back({&one, &split});
  const std::vector<ColumnOf<Part>> of_parts = {
      {text_column("File"), [](const Part& part) { return text_cell(part.set->out); }},
      {text_column("Split"), [](const Part& part) { return text_cell(part.split->split); }},
      {number_column("n"), [](const Part& part) { return count_cell(part.split->n); }},
      {interval_column("Accuracy"),
       [](const Part& part) { return share_cell(part.split->accuracy, "the images have no labels"); }}};
  return plain_view("outputs of a model", record.envelope,
                    table_of("Outputs files", columns, record.results).block() +
                        table_of("By split", of_parts, parts).block(2));
}

View view(const record::Adapt& record) {
  using One = record::AdaptedLayer;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Layer"), &One::name},
      {number_column("Channels"), &One::channels},
      {number_column("Mean moved", "Mean distance of the means, in standard deviations of the source"),
       [](const One& one) { return significant_cell(one.mean_shift, 3); }},
      {number_column("Variance times", "Mean ratio of the variances"),
       [](const One& one) { return significant_cell(one.variance_ratio, 3); }}};
  return plain_view("adapted batch normalization", record.envelope,
                    table_of("Batch normalization layers", columns, record.results.front().layers).block());
}

View view(const record::Shift& record) {
  using One = record::ShiftedSet;
  const One& first = record.results.front();
  std::vector<ColumnOf<One>> columns = {
      {text_column("Shift"), &One::shift},
      {number_column("Strength", first.strength_means),
       [](const One& one) {
         return one.strength   ? significant_cell(*one.strength, 6)
                : one.severity ? count_cell(*one.severity)
                               : dash_cell("the shift has no strength");
       }},
      {number_column("Images"), &One::n},
      {number_column("Of", "Images of the source"), &One::n_source},
      {number_column("Mean change", "Mean absolute change of a pixel"),
       [](const One& one) { return fixed_cell(one.mean_change, 4, "the shift selects rows"); }}};
  if (record.results.size() > 1) columns.push_back({text_column("File"), &One::out});
  std::vector<std::string> lines;
  if (first.strength && !first.strength_means.empty())
    lines.push_back("Strength: " + first.strength_means + ".");
  if (first.severity)
    lines.push_back(fmt::format(
        "Severity {}; {} variant, constants of {}{}{}.", *first.severity, first.use->variant, first.use->set,
        first.use->lengths == 1 ? "" : fmt::format(", lengths times {:.3g}", first.use->lengths),
        first.shift == "frost" ? ", frost " + first.use->frost : ""));
  if (!first.defined.value_or(true)) lines.emplace_back("Not defined on gray images, which are unchanged.");
  const std::vector<ColumnOf<record::RowsOfClass>> classes = {
      {number_column("Class"), [](const auto& rows) { return text_cell(fmt::format("{}", rows.label)); }},
      {number_column("Rows kept"), [](const auto& rows) { return count_cell(rows.n); }},
      {number_column("Of"), [](const auto& rows) { return count_cell(rows.n_source); }}};
  return plain_view("shifted images", record.envelope,
                    table_of("Shifted images", columns, record.results).block() +
                        paragraphs(std::move(lines)) +
                        table_of("Rows by class", classes, first.rows_of_class).block());
}

View view(const record::ShiftText& record) {
  const record::ShiftedTexts& set = record.results.front();
  Table table(fmt::format("{} of strength {:g}: {}", set.shift, set.strength, set.strength_means),
              {text_column("Mean per text"), number_column("Before"), number_column("Changed")});
  table.add({text_cell("characters"), fixed_cell(set.mean_characters, 2), fixed_cell(set.mean_distance, 2)});
  table.add({text_cell("words"), fixed_cell(set.mean_words, 2), fixed_cell(set.mean_words_changed, 2)});
  Blocks sheet;
  for (const record::TextLine& line : set.sheet) {
    const shift::TextPair pair = shift::marked(line.before, line.after);
    sheet += term_list({{fmt::format("row {}", line.row), fmt::format("distance {}", line.distance)},
                        {"  before", pair.before},
                        {"  after", pair.after}});
  }
  if (!sheet.empty()) sheet = subheading("[gone] and {new}") + std::move(sheet);
  return plain_view("shifted texts", record.envelope, table.block() + std::move(sheet));
}

View view(const record::DataRender& record) {
  return plain_view("rendered images", record.envelope, term_list(files_of(record.results.front().files)));
}

View view(const record::DataLoad& record) {
  using One = record::LoadedColumn;
  const record::LoadedData& result = record.results.front();
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Column"), &One::name},
      {number_column("Values"), &One::n_values},
      {text_column("Which"), [](const One& one) {
         return one.n_values > 6 ? dash_cell("more than six values")
                                 : text_cell(fmt::format("{}", fmt::join(one.values, ", ")));
       }}};
  Facts facts = files_of(result.files);
  if (result.left_out > 0)
    facts.emplace_back("left out", fmt::format("{} rows with values outside the protocol", result.left_out));
  return plain_view(
      "a published data set", record.envelope,
      term_list(std::move(facts)) + table_of("Columns of the table", columns, result.columns).block());
}

View view(const record::DataDiagvib& record) {
  struct Row {
    const record::DiagvibFile* file;
    const record::DiagvibEnvironment* one;
  };
  std::vector<Row> rows;
  Blocks pairs;
  for (const record::DiagvibFile& file : record.results) {
    for (const record::DiagvibEnvironment& one : file.environments) rows.push_back({&file, &one});
    if (!file.environments.empty()) continue;
    std::vector<Column> heads{text_column("Digit")};
    for (const std::string& name : file.learning_classes) heads.push_back(number_column(name));
    Table table(fmt::format("{}: {} images, mutual information of digit and {} {:.4f} nats", file.part,
                            file.n, record.options.learning_factor, *file.mutual_information),
                std::move(heads));
    for (std::size_t p = 0; p < file.pairs.size(); ++p) {
      std::vector<Cell> cells{text_cell(record.classes[p])};
      for (const std::size_t n : file.pairs[p]) cells.push_back(count_cell(n));
      table.add(std::move(cells));
    }
    pairs += table.block();
  }
  const auto text = [](std::string record::DiagvibEnvironment::*member) {
    return [member](const Row& row) { return text_cell(row.one->*member); };
  };
  using Environment = record::DiagvibEnvironment;
  const std::vector<ColumnOf<Row>> columns = {
      {text_column("Part"), [](const Row& row) { return text_cell(row.file->part); }},
      {number_column("Environment"), [](const Row& row) { return count_cell(row.one->number); }},
      {text_column("Hue"), text(&Environment::hue)},
      {text_column("Lightness"), text(&Environment::lightness)},
      {text_column("Position"), text(&Environment::position)},
      {text_column("Scale"), text(&Environment::scale)},
      {text_column("Texture"), text(&Environment::texture)},
      {number_column("n"), [](const Row& row) { return count_cell(row.one->n); }},
      {text_column("Rows"), [](const Row& row) { return text_cell(row.file->pairing); }}};
  return plain_view("DiagViB environments", record.envelope,
                    std::move(pairs) + table_of("Environments", columns, rows).block(2));
}

View view(const record::CondsDraw& record) {
  using Case = record::CondsCase;
  const std::vector<ColumnOf<Case>> columns = {
      {text_column("Case"), &Case::name},
      {number_column("Train"), &Case::n_train},
      {number_column("Validation"), &Case::n_validation},
      {number_column("Test"), &Case::n_test},
      {number_column("Lacking", "Cells with too few rows"), &Case::cells_lacking},
      {text_column("Shifts"), [](const Case& one) { return text_cell(record::shifts_text(one.shifts)); }}};
  Blocks lead = table_of("Cases", columns, record.results).block();
  const Case& first = record.results.front();
  if (record.results.size() > 1) return plain_view("concurrent shifts", record.envelope, std::move(lead));
  std::vector<Column> heads{text_column(record.label.name)};
  for (const record::CondsColumn& attribute : record.attributes) heads.push_back(text_column(attribute.name));
  for (const char* title : {"Available", "Train", "Counterexamples", "Validation", "Test", "Lacks"})
    heads.push_back(number_column(title));
  Table table("Cells", std::move(heads));
  for (const auto& [values, cell] : first.cells) {
    std::vector<Cell> row;
    for (const std::string& value : values) row.push_back(text_cell(value));
    for (const std::size_t n :
         {cell.available, cell.train, cell.counterexamples, cell.validation, cell.test, cell.lacks()})
      row.push_back(count_cell(n));
    table.add(std::move(row));
  }
  return plain_view("concurrent shifts", record.envelope, std::move(lead) + table.block());
}

View view(const record::MvnCdf& record) {
  using One = average_case::MvnProbability;
  const std::vector<ColumnOf<One>> columns = {
      {number_column("Point"),
       [&](const One& one) { return count_cell(static_cast<std::size_t>(&one - record.results.data())); }},
      {number_column("Probability"), [](const One& one) { return significant_cell(one.probability, 6); }},
      {number_column("± (99%)", "Bound on the error, with probability 99%"),
       [](const One& one) { return significant_cell(one.error, 2); }},
      {number_column("Log"), [](const One& one) { return significant_cell(one.log_probability, 6); }},
      {number_column("Points"), &One::points},
      {text_column("Method"), [](const One& one) {
         return text_cell(std::string(name_of(one.method)) + (one.converged ? "" : " (not converged)"));
       }}};
  return plain_view("multivariate normal probabilities", record.envelope,
                    table_of("Every point", columns, record.results).block());
}

View view(const record::Report& record) {
  View view = plain_view("a page", record.envelope, {});
  view.headline = record.results.front().page;
  return view;
}

static Facts member_facts(const record::ListedMember& member) {
  Facts facts{{"  " + member.name, member.summary}};
  const auto add = [&](const std::string& text) { facts.emplace_back("", text); };
  if (!member.needs.empty()) add(fmt::format("needs: {}", fmt::join(member.needs, ", ")));
  for (const auto& [name, value] : member.about) add(fmt::format("{}: {}", name, value));
  std::vector<std::string> sizes;
  for (const auto& [shape, weights] : member.weights)
    if (weights) sizes.push_back(fmt::format("{:.0f} for {}", *weights, shape));
  if (!sizes.empty()) add(fmt::format("weights: {}, 10 classes", fmt::join(sizes, ", ")));
  for (const record::ListedParameter& one : member.parameters)
    facts.emplace_back("    " + one.name,
                       fmt::format("{} ({:g} to {:g}{}, default {:g})", one.meaning, one.low, one.high,
                                   one.integer ? ", whole" : "", one.value));
  return facts;
}

Blocks member_terms(const record::ListedMember& member) { return in_both(term_list(member_facts(member))); }

View view(const record::List& record) {
  Blocks lead;
  for (const record::ListedFamily& family : record.results) {
    lead += subheading(fmt::format("{}: {}", family.family, family.summary));
    Facts facts;
    for (const record::ListedMember& member : family.members)
      for (auto& fact : member_facts(member)) facts.push_back(std::move(fact));
    if (!family.missing.empty()) facts.emplace_back("  not available", family.missing);
    lead += term_list(std::move(facts));
  }
  return {.title = "leeway: families", .lead = in_both(std::move(lead))};
}

// -- A model file

namespace {

Blocks layers_table(const std::string& caption, const record::InspectedModel& model) {
  using One = record::ModelLayer;
  const std::vector<ColumnOf<One>> columns = {{text_column("Name"), &One::name},
                                              {text_column("Type"), &One::type},
                                              {text_column("Shape"), &One::shape},
                                              {number_column("Numbers"), &One::parameters}};
  return table_of(caption, columns, model.layers).block();
}

// Of tensors of which nothing says what network they are.
Facts unknown_facts(const record::InspectedModel& model) {
  Facts facts{{"architecture", "unknown; the tensors fit " + fitting_text(model)}};
  for (const record::FittingArchitecture& fit : model.fitting)
    facts.emplace_back("", fmt::format("--arch {} --input {}  ({} classes)", fit.architecture,
                                       fmt::join(fit.input, ","), fit.classes));
  return facts;
}

Facts model_facts(const record::InspectedModel& model) {
  std::string classes = model.classes ? std::to_string(*model.classes) : "unknown";
  if (!model.class_names.empty()) classes += fmt::format(" ({})", fmt::join(model.class_names, ", "));
  Facts facts{
      {"input", (model.input.empty() ? "unknown (--input CHANNELS,HEIGHT,WIDTH)" : shape_text(model.input)) +
                    (model.input.size() % 3 == 0 ? ", pixels from 0 to 1" : ", numbers of any range")},
      {"classes", classes},
      {"normalization",
       flags_of(model.normalization) + (model.notes.empty() ? "" : fmt::format(" ({})", model.notes))}};
  if (!model.confinement.empty())
    facts.emplace_back("program", model.confinement == "none"
                                      ? "runs without confinement (--trust)"
                                      : fmt::format("runs in a separate process that can only compute ({})",
                                                    model.confinement));
  if (const auto& cost = model.cost)
    facts.emplace_back(
        "cost per image",
        fmt::format("{:.3g} ms forward, {} ({} images at a time, one thread)", 1e3 * cost->forward_seconds,
                    cost->gradient_seconds
                        ? fmt::format("{:.3g} ms forward and backward", 1e3 * *cost->gradient_seconds)
                        : "no gradients",
                    cost->images));
  if (model.accuracy.value)
    facts.emplace_back("accuracy", fmt::format("{}, n = {}", value_words(model.accuracy, true), model.n));
  return facts;
}

}  // namespace

View view(const record::Inspect& record) {
  const record::InspectedModel& model = record.results.front();
  const bool unknown = is_unknown(model);
  return plain_view("a model file", record.envelope,
                    term_list(unknown ? unknown_facts(model) : model_facts(model)) +
                        layers_table(unknown ? "Tensors" : "Layers", model));
}

// -- Sweeps

namespace {

Blocks failures_of(const std::vector<record::SweepFailure>& failures) {
  constexpr std::size_t most = 10;
  Facts facts;
  for (const record::SweepFailure& failure : failures) {
    if (&failure == &failures.front() + most) break;
    facts.emplace_back(fmt::format("{} failed", count(failure.units)), failure.message);
    if (!failure.axes.empty()) facts.emplace_back("", fmt::format("with {}", fmt::join(failure.axes, ", ")));
    facts.emplace_back("", "log: " + failure.log);
  }
  if (failures.size() > most)
    facts.emplace_back("",
                       fmt::format("and {} more messages: --json has all", count(failures.size() - most)));
  return facts.empty() ? Blocks() : subheading("Failures by message") + term_list(std::move(facts));
}

}  // namespace

View view(const record::SweepPlan& record) {
  using One = record::SweepPlanStage;
  const std::vector<ColumnOf<One>> columns = {{text_column("Stage"), &One::stage},
                                              {text_column("Command"), &One::command},
                                              {number_column("Units"), &One::units},
                                              {number_column("Done"), &One::kept}};
  Blocks lead = table_of("Stages", columns, record.results).block();
  if (record.others > 0)
    lead +=
        paragraph(fmt::format("{} units in the folder do not belong to this plan.", count(record.others)));
  return plain_view("a plan", record.envelope, std::move(lead));
}

View view(const record::SweepRun& record) {
  return plain_view("runs", record.envelope,
                    paragraph(record.table ? headline_of(*record.table) : "") + failures_of(record.failures));
}

View view(const record::SweepStatus& record) {
  Table table("Units by state", {text_column("Stage"), number_column("Units"), number_column("Done"),
                                 number_column("Running"), number_column("Ready"), number_column("Waiting"),
                                 number_column("Failed"), number_column("Blocked")});
  const auto add = [&](const std::string& name, const record::SweepCounts& c) {
    std::vector<Cell> row{text_cell(name)};
    for (const std::size_t n : {c.units, c.done, c.running, c.ready, c.waiting, c.failed, c.blocked})
      row.push_back(count_cell(n));
    table.add(std::move(row));
  };
  for (const record::SweepStageStatus& stage : record.results) add(stage.stage, stage.counts);
  if (record.results.size() > 1) add("all", record.counts);
  return plain_view("status of a sweep", record.envelope, table.block() + failures_of(record.failures));
}

View view(const record::SweepCollect& record) { return plain_view("a table of runs", record.envelope, {}); }

}  // namespace leeway::report
