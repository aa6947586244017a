// leeway train: a classifier of images, by any of the algorithms of leeway list.
#include <fmt/format.h>

#include <numeric>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/file.h"
#include "leeway/render/terminal.h"
#include "leeway/tasks/list/list.h"
#include "leeway/tasks/model_reading.h"
#include "leeway/tasks/train/train.h"

namespace leeway::app {
namespace {

struct TrainFlags {
  TrainingOptions options;
  std::string data, validation, index, unlabelled, shifted, start, keep, eps;
  data::TrainingColumns columns;
  data::PictureOptions pictures;  // of a folder
  std::vector<std::string> set;
  bool test_rows = false, reuse = false;
};

TrainingOptions options_of(Context& context, const TrainFlags& flags) {
  TrainingOptions options = flags.options;
  const data::Preprocessing preset = data::preprocessing_of(flags.pictures);
  if (options.mean.empty()) options.mean = preset.mean;
  if (options.std.empty()) options.std = preset.std;
  if (!flags.eps.empty()) options.parameters["eps"] = parse_number("--eps", flags.eps);
  for (const auto& [name, value] : parse_settings(flags.set)) options.parameters[name] = value;
  if (!flags.columns.attributes.empty() && flags.columns.groups.empty() && flags.columns.environment.empty())
    throw UsageError("--attributes requires --group-column or --environment-column");
  if (flags.test_rows && flags.index.empty()) throw UsageError("--test-rows requires --index");
  if (!flags.validation.empty() &&
      (!flags.index.empty() || !flags.columns.attributes.empty() || options.validation))
    throw UsageError("--validation-data: not allowed with --validation, --index or --attributes");
  (void)tasks::selection_of(options,
                            !flags.shifted.empty());  // a mistake shows before a model library is opened
  const nn::Session& session = model_session(context.threads);
  if (session.requirements_of(options.algorithm, options.parameters).unlabelled && flags.unlabelled.empty())
    throw UsageError(
        fmt::format("--algorithm {} requires --unlabelled FILE, images of the target", options.algorithm));
  return options;
}

tasks::TrainingRows open_rows(Context& context, const TrainFlags& flags) {
  tasks::TrainingRows rows{data::read_training_data(flags.data, flags.columns, flags.pictures), {}};
  const std::size_t n = rows.data.images.n();
  context.add_input(flags.data, rows.data.images.pixels.shape);
  if (const std::string& doubt = rows.data.images.doubt; !doubt.empty()) context.warn(doubt);
  if (!flags.columns.attributes.empty()) context.add_input(flags.columns.attributes, {n});
  if (!flags.start.empty()) context.add_input(flags.start, {});
  if (!flags.index.empty()) {
    const data::RowSplit split = open_split(context, flags.index, n);
    if (flags.options.validation && !split.validation.empty())
      throw UsageError(fmt::format("--validation: not allowed, {} already has val rows", flags.index));
    rows = tasks::rows_of_split(rows.data, split, flags.index, flags.test_rows);
  }
  if (!flags.validation.empty()) {
    const data::TrainingData held = data::read_training_data(flags.validation, flags.columns);
    context.add_input(flags.validation, held.images.pixels.shape);
    rows.data = data::joined(rows.data, held);
    rows.validation.resize(held.images.n());
    std::iota(rows.validation.begin(), rows.validation.end(), n);
  }
  const auto others = [&](const std::string& path) {
    data::PictureOptions pictures = is_folder(path) ? flags.pictures : data::PictureOptions{};
    pictures.picture_labels.reset();
    return open_images(context, path, pictures);
  };
  if (!flags.unlabelled.empty()) rows.data.unlabelled = others(flags.unlabelled);
  if (!flags.shifted.empty()) rows.data.shifted = others(flags.shifted);
  return rows;
}

// What leeway list says of it; why not, where it is none.
std::string algorithm_text(Context& context, const std::string& name) {
  const tasks::List list = tasks::list(
      {[&]() -> const nn::Session& { return model_session(context.threads); }, {"algorithms"}, context.seed});
  const std::vector<tasks::ListedMember>& members = list.results.front().members;
  for (const tasks::ListedMember& member : members)
    if (member.name == name)
      return render::terminal(
          {.lead = tasks::member_terms(member) +
                   (member.source.empty() ? Blocks() : in_both(paragraph("  source: " + member.source)))});
  throw UsageError(fmt::format("--algorithm: expected one of {}, found {}", names_of(members), name));
}

int run_train(Context& context, const TrainFlags& flags) {
  require_out(context, "the weights");
  TrainingOptions options = options_of(context, flags);
  const tasks::TrainTask task{.session = model_session(context.threads),
                              .rows = open_rows(context, flags),
                              .out = context.out,
                              .options = std::move(options),
                              .start = flags.start,
                              .keep_epochs = flags.keep,
                              .seed = context.seed,
                              .device = context.device,
                              .reuse = flags.reuse};
  return context.finish(tasks::train(task, context.progress()));
}

}  // namespace

void add_train(const Command& root, Context& context) {
  const Command command = root.add("train", "Train an image classifier");
  auto& flags = command.keep<TrainFlags>();
  command
      .option("--data", flags.data,
              "Labeled images: .npz, .safetensors, IDX(.gz), a folder of pictures, or fashion-mnist:train")
      .required();
  command.option("--validation-data", flags.validation,
                 "Labeled images for validation, in place of a share of the data");
  command.option("--index", flags.index,
                 "CSV of index and split, or a table with a column split: train and val rows");
  command.flag("--test-rows", flags.test_rows, "Also evaluate the test rows of --index after every epoch");
  command.option("--attributes", flags.columns.attributes,
                 "CSV with one row per image, for --group-column and --environment-column");
  command.option("--group-column", flags.columns.groups, "Columns that, with the label, define groups")
      .by_commas();
  command.option("--environment-column", flags.columns.environment, "Column that names the environment");
  command.option("--unlabelled", flags.unlabelled, "Images of the target, for algorithms that adapt to it");
  command.option("--select-shifted", flags.shifted,
                 "Images for --select pa: row i pairs with validation row i");
  const auto set_protocol = [&flags](const std::vector<std::string>& words) -> std::string {
    for (const tasks::Protocol& protocol : tasks::protocols()) {
      if (words != std::vector<std::string>{std::string(protocol.name)}) continue;
      protocol.set(flags.options);
      return "";
    }
    return fmt::format("expected one of {}, found {}", names_of(tasks::protocols()), words.back());
  };
  // before the options that it sets, which take the words they were given afterwards
  command
      .words("--protocol", set_protocol,
             fmt::format("Preset of a published recipe ({}); explicit options override it",
                         names_of(tasks::protocols())))
      .shown_as("NAME");
  command.option("--start", flags.start, "Initial weights: .safetensors, a PyTorch checkpoint or .npz");
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.options, f); });
  add_option_flags(
      command,
      [&](Fields& f) {
        resize_fields(flags.pictures, f);
        picture_labels_field(flags.pictures, f);
      },
      "Folders of pictures");
  command.option("--set", flags.set, "Parameter of the algorithm, NAME=NUMBER; may be repeated");
  command.option("--eps", flags.eps, "Radius of adversarial training, a number or a fraction (default 0.1)");
  command.option("--keep-epochs", flags.keep, "Folder for the weights of every epoch")
      .writes(Written::folder);
  command.flag("--reuse", flags.reuse, "Keep an existing --out if its options and data are the same");
  command.group("Data", {"--data", "--validation-data", "--index", "--test-rows", "--attributes",
                         "--group-column", "--environment-column", "--unlabelled"});
  command.group("Model", {"--arch", "--start", "--freeze", "--crop", "--mean", "--std"});
  command.group("Optimization", {"--protocol", "--algorithm", "--set", "--augment", "--batch", "--optimizer",
                                 "--lr", "--weight-decay", "--momentum"});
  command.group("Schedule", {"--epochs", "--steps", "--schedule"});
  command.group("Validation", {"--validation", "--check-every", "--patience", "--select", "--select-shift",
                               "--select-shifted"});
  command.group("Output", {"--keep-epochs", "--reuse"});
  command.group("Expert",
                {"--balance", "--last-batch", "--decay", "--batchnorm", "--classes", "--norm", "--eps"});
  add_device_flag(command, context.device);
  command.reads({"--data", "--validation-data", "--index", "--attributes", "--unlabelled", "--select-shifted",
                 "--start", "--picture-labels"});
  context.add_common_flags(command, "Weights (.safetensors)", Written::file,
                           {".state", ".base", ".base.state"});
  context.add_page_flag(command);
  const std::string footer =
      "--select chooses the epoch on held-out images; adversarial training measures accuracy under its "
      "attack. OUT.state holds the last finished epoch: the same command resumes after a stop or a crash. "
      "The weights depend on --threads, which is in the record.\n\n"
      "  leeway train --data fashion-mnist:train --epochs 5 --out cnn.safetensors\n"
      "  leeway train --data fashion-mnist:train --algorithm pgd --eps 0.1 --out robust.safetensors\n"
      "  leeway train --data fashion-mnist:train --select pa --select-shift gaussian-noise:0.2 --out "
      "pa.safetensors\n\n"
      "With --algorithm NAME, --help also shows that algorithm and its parameters.";
  command.footer([&context, command, footer] {
    const std::vector<std::string> named = command.given("--algorithm");
    return named.empty() ? footer : footer + "\n\n" + algorithm_text(context, named.back());
  });
  command.runs([&context, &flags] { return run_train(context, flags); });
}

}  // namespace leeway::app
