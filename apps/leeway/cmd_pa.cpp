// leeway pa: posterior agreement of shifted outputs with clean ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
#include "leeway/agreement/pairing.h"
#include "leeway/core/outputs.h"
#include "leeway/core/text.h"
#include "leeway/tasks/pa.h"

namespace leeway::app {
namespace {

struct ModelFiles {
  std::string name, clean;
  std::vector<std::string> shifted;
};

struct PaFlags {
  ModelFiles first{"model", {}, {}};
  std::vector<std::string> others;
  std::string labels, pairs, save_pairs;  // files, or empty
  record::PaOptions options;
};

// NAME=CLEAN,SHIFTED[,SHIFTED...]
ModelFiles parse_model(const std::string& text) {
  const auto [name, rest] = split_name(text);
  const std::vector<std::string> files = split(rest, ',');
  if (name.empty() || files.size() < 2 || std::ranges::any_of(files, &std::string::empty))
    throw UsageError(fmt::format("--model: expected NAME=CLEAN,SHIFTED[,SHIFTED...], found {}", text));
  return {name, files.front(), {files.begin() + 1, files.end()}};
}

std::vector<ModelFiles> models_of(const PaFlags& flags) {
  std::vector<ModelFiles> models{flags.first};
  std::set<std::string> names{flags.first.name};
  for (const std::string& text : flags.others) {
    models.push_back(parse_model(text));
    const ModelFiles& model = models.back();
    if (!names.insert(model.name).second)
      throw UsageError(fmt::format("--model: there is a model {} already{}", model.name,
                                   model.name == "model" ? "; see --name" : ""));
    if (model.shifted.size() != flags.first.shifted.size())
      throw UsageError(fmt::format("--model: expected as many shifted sets of {} as of {}, {}, found {}",
                                   model.name, flags.first.name, flags.first.shifted.size(),
                                   model.shifted.size()));
  }
  return models;
}

// Sets are opened by the task, files noted as inputs as they are opened.
tasks::PaTask task_of(Context& context, const PaFlags& flags) {
  const auto outputs = [&](const std::string& path) { return named_outputs(context, path, flags.options); };
  tasks::PaTask task{.models = {}, .options = flags.options, .seed = context.seed};
  for (const ModelFiles& model : models_of(flags)) {
    tasks::PaModel named{model.name, outputs(model.clean), {}};
    for (const std::string& path : model.shifted) named.shifted.push_back(outputs(path));
    task.models.push_back(std::move(named));
  }
  task.labels = named_labels(context, flags.labels);
  if (!flags.pairs.empty())
    task.pairs = [&, noted = std::make_shared<bool>(false)](std::size_t clean_rows,
                                                            std::size_t shifted_rows) {
      auto pairs = agreement::read_pairs(flags.pairs, clean_rows, shifted_rows);
      if (!std::exchange(*noted, true)) context.add_input(flags.pairs, {pairs.size(), 2});
      return pairs;
    };
  if (!flags.save_pairs.empty())
    task.save_pairs = [&](std::span<const agreement::RowPair> pairs) {
      agreement::write_pairs(flags.save_pairs, pairs);
    };
  return task;
}

constexpr std::size_t widest_name = 36;

// `first`, then PA [interval] beta AFR(P) AFR(T), as results and sweeps show them.
TextTable agreement_columns(std::vector<Column> first, const std::string& interval) {
  for (Column& column : std::vector{right("PA", 8), left(interval, 16), right("beta", 9), right("AFR(P)", 7),
                                    right("AFR(T)", 7)})
    first.push_back(std::move(column));
  return TextTable(std::move(first));
}

template <class... First>
void add(TextTable& table, const agreement::Agreement& a, const First&... first) {
  table.add(first..., four(a.pa), interval_text(a.pa_interval), (a.fitted ? "" : "=") + beta_text(a.beta),
            four(a.afr_pred), four(a.afr_true));
}

// Every set's file, after its model where there are several; a long path is cut at its beginning.
std::vector<std::string> names_of(const record::Pa& record) {
  std::vector<std::string> names;
  for (const record::PaSet& set : record.results) {
    const std::string model = set.model.empty() ? "" : shown(set.model) + ": ";
    const std::size_t room = std::max<std::size_t>(16, widest_name - std::min(widest_name, model.size()));
    names.push_back(model + cut_at_front(shown(set.shifted), room));
  }
  return names;
}

std::string agreement_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table =
      agreement_columns({left("shifted"), right("n", 9), right("k", 5)}, level_text(record.options.level));
  bool one_k = true, shared = false;
  const std::size_t k = record.results.front().agreement.k;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& a = record.results[i].agreement;
    add(table, a, names[i], a.n, a.k);
    one_k &= a.k == k;
    shared |= !a.fitted;
  }
  return table.text() +
         fmt::format("PA: posterior agreement, 0 to log k{}; AFR(P), AFR(T): predictions unchanged, right.\n",
                     one_k ? fmt::format(" = {:.4f}", std::log(static_cast<double>(k))) : "") +
         (shared ? "=: the beta of the first shifted set, not the best for this one.\n" : "");
}

std::string sweep_table(const std::string& name, const std::vector<agreement::RatioPoint>& sweep) {
  TextTable table = agreement_columns({right("ratio", 7), right("shifted", 9)}, "[interval]");
  for (const auto& [ratio, shifted, a] : sweep) add(table, a, fmt::format("{:.4g}", ratio), shifted);
  return fmt::format("\n{}: the share of its samples that are shifted; smallest norms first, if known\n",
                     name) +
         table.text();
}

std::string entropy_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table({left("shifted"), right("samples", 9), right("over", 6), right("beta", 9),
                   right("clean", 8), right("shifted", 8)});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& entropy = record.results[i].entropy;
    for (const auto& at : entropy->at)
      table.add(names[i], entropy->samples, entropy->right_only ? "right" : "all", beta_text(at.beta),
                four(at.clean), four(at.shifted));
  }
  return "\nentropy of the posteriors in bits: rows sorted, then averaged over the samples right before the "
         "shift,\nor over all where there are no labels\n" +
         table.text();
}

std::string mean_text(const agreement::ConfidenceAt& at) {
  if (std::isnan(at.mean)) return "-";
  return std::isnan(at.standard_error) ? fmt::format("{:.4f}", at.mean)
                                       : fmt::format("{:.4f} +- {:.4f}", at.mean, at.standard_error);
}

std::string confidence_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table({left("shifted"), right("beta", 9), right("n", 9), left("clean, right", 16), right("n", 9),
                   left("shifted, moved")});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [right, moved] = *record.results[i].confidence;
    for (std::size_t b = 0; b < moved.at.size(); ++b)
      table.add(names[i], beta_text(moved.at[b].beta), right ? std::to_string(right->n) : "-",
                right ? mean_text(right->at[b]) : "-", moved.n, mean_text(moved.at[b]));
  }
  return "\nmean confidence +- standard error: clean where right; shifted where the prediction moved\n" +
         table.text();
}

std::string pa_text(const record::Pa& record) {
  const std::vector<std::string> names = names_of(record);
  std::string doubts, others;
  for (const std::string& finding : record.envelope.findings) {
    const bool doubt =
        std::ranges::find(record.results, finding, &record::PaSet::doubt) != record.results.end();
    (doubt ? doubts : others) += shown(finding) + "\n";
  }
  std::string text =
      doubts + wrapped(shown(record.envelope.headline)) + "\n" + agreement_table(record, names);
  if (!others.empty()) text += '\n' + others;
  for (const record::PaSet& set : record.results)
    if (!set.ratios.empty())
      text +=
          sweep_table(shown(set.model.empty() ? set.shifted : set.model + ": " + set.shifted), set.ratios);
  if (record.options.summaries) text += entropy_table(record, names) + confidence_table(record, names);
  return text;
}

int run_pa(Context& context, const PaFlags& flags) {
  const tasks::PaTask task = task_of(context, flags);
  if (!flags.save_pairs.empty() && (flags.first.shifted.size() > 1 || task.models.size() > 1))
    throw UsageError("--save-pairs: expected one shifted set");
  const record::Pa result = tasks::pa(task, context.progress());
  const std::vector<std::string> unproved = tasks::unproved_maxima(result);
  for (const std::string& line : unproved) context.warn(line + ", hence exit code 5");
  return context.finish(result, pa_text, unproved.empty() ? exit_ok : exit_incomplete);
}

void add_model_flags(const Command& command, PaFlags& flags) {
  command
      .option("--model", flags.others,
              "NAME=CLEAN,SHIFTED[,SHIFTED...]: another model under the same shifts, in the same order")
      .one_word()
      .shown_as("FILES");
  command.option("--name", flags.first.name, "What the first model is called beside others");
}

}  // namespace

void add_pa(const Command& root, Context& context) {
  const Command command = root.add("pa", "Posterior agreement of shifted outputs with clean ones");
  auto& flags = command.keep<PaFlags>();
  command
      .option("clean", flags.first.clean,
              "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.first.shifted, "Outputs on the same samples, shifted; same order")
      .required();
  add_model_flags(command, flags);
  command.option("--labels", flags.labels, "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  add_option_flags(command, flags.options);
  command.option("--pairs", flags.pairs, "Pairs from a CSV file with the columns clean,shifted")
      .excludes(command["--pairing"]);
  command.option("--save-pairs", flags.save_pairs, "Write the pairs to this CSV file").writes(Written::file);
  context.add_common_flags(command);
  command.footer(
      "PA = log k + max over beta >= 0 of the mean log agreement of the softmax(beta * logits) of the two "
      "sets. 0 means that\n"
      "nothing survives the shift, log k that every prediction does, with full confidence. The maximum is "
      "global and\n"
      "certified: `gap` bounds what a better beta could add. With several models and --ratios, the record "
      "also "
      "says at\n"
      "which ratios two models agree equally.\n\n"
      "  leeway pa clean.npy noisy.npy blurred.npy --labels y.npy\n"
      "  leeway pa clean.npz noisy.npz --json\n"
      "  leeway pa c.npz c_pgd.npz --name cnn --model robust=r.npz,r_pgd.npz --ratios 0:1:0.1");
  command.runs([&context, &flags] { return run_pa(context, flags); });
}

}  // namespace leeway::app
