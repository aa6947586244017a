// leeway demo: two classifiers trained here and now on Fashion-MNIST, four kinds of shift and an attack, and
// the page that says which of them to trust.
//
// Everything is a file in one folder, written when it is whole, so that a run that was interrupted, or a
// second one, takes what stands there already: each product has a KEY file beside it that names what it was
// made from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "apps/leeway/assess_table.h"
#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/class_names.h"
#include "leeway/core/file.h"
#include "leeway/core/images.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"
#include "leeway/report/report.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/assess.h"
#include "leeway/tasks/train.h"

namespace leeway::app {
namespace {

namespace fs = std::filesystem;

struct DemoFlags {
  fs::path folder = "leeway-demo";
  std::string train = "fashion-mnist:train", test = "fashion-mnist:test";
  std::size_t standard_epochs = 6, robust_epochs = 3, images = 5000;
};

struct ShiftCase {
  const char *name, *member;
  double strength;
};
constexpr std::array<ShiftCase, 4> shift_cases = {{{"noise 0.2", "gaussian-noise", .2},
                                                   {"blur 1.5", "gaussian-blur", 1.5},
                                                   {"contrast 0.4", "contrast", .4},
                                                   {"rotation 20", "rotation", 20}}};
constexpr double attack_eps = 16. / 255;
constexpr int attack_steps = 20;
constexpr const char* attack_name = "attack 16/255";

class Demo {
 public:
  Demo(Context& context, const DemoFlags& flags)
      : context_(context), flags_(flags), session_(model_session(context.threads)) {
    fs::create_directories(flags.folder);
    claim_files();
  }

  int run() {
    started_ = std::chrono::steady_clock::now();
    test_ = open_images(flags_.test, flags_.images);
    write_images(file("images-clean.npz"), test_);
    test_digest_ = digest_file(file("images-clean.npz"));
    train_models();
    make_shifts();
    for (Classifier& model : models_) ask(model);
    return show();
  }

 private:
  struct Classifier {
    std::string name;
    std::shared_ptr<nn::Model> model;
    std::string digest;
    Outputs clean;
    std::vector<Outputs> shifted;  // as shift_cases, then the attack
    Images attacked;
  };

  [[nodiscard]] fs::path file(const std::string& name) const { return flags_.folder / name; }

  // All that the folder comes to hold, but for keys and states, which no other program writes.
  void claim_files() const {
    std::vector<std::string> names = {"images-clean.npz", "report.html", "assessment.json"};
    for (const ShiftCase& one : shift_cases) names.push_back(fmt::format("images-{}.npz", one.member));
    for (const std::string model : {"standard", "robust"}) {
      names.push_back(model + ".safetensors");
      names.push_back(fmt::format("images-attack-{}.npz", model));
      for (const std::string set : {"clean", "attack"})
        names.push_back(fmt::format("outputs-{}-{}.npz", model, set));
      for (const ShiftCase& one : shift_cases)
        names.push_back(fmt::format("outputs-{}-{}.npz", model, one.member));
    }
    for (const std::string& name : names)
      context_.files.claim("--folder", file(name).string(), Written::file);
  }

  void say(const std::string& line) const { context_.say("demo: " + line); }

  Images open_images(const std::string& name, std::size_t most) {
    Images images = read_images(name);
    context_.add_input(name, images.pixels.shape);
    if (images.n() <= most) return images;
    std::vector<std::size_t> rows(most);
    for (std::size_t i = 0; i < most; ++i) rows[i] = i;
    return select_rows(images, rows);
  }

  // Makes `path` unless it was made from the same key before.
  template <class Make>
  void product(const fs::path& path, const std::string& key, const Make& make) {
    const fs::path key_path = path.string() + ".key";
    std::ifstream in(key_path);
    std::ostringstream known;
    known << in.rdbuf();
    if (fs::exists(path) && known.str() == key) {
      say(fmt::format("{} stands already", path.string()));
      return;
    }
    // Without its key first: a run that ends between the two leaves no product under the key of another.
    fs::remove(key_path);
    make();
    write_text(key_path, key);
  }

  Classifier train(const std::string& name, const std::string& algorithm, std::size_t epochs,
                   const fs::path& start) {
    const fs::path path = file(name + ".safetensors");
    tasks::TrainTask task{.session = session_,
                          .open =
                              [&] {
                                return tasks::TrainingRows{training_images(), {}};
                              },
                          .out = path,
                          .start = start,
                          .seed = context_.seed,
                          .device = context_.device,
                          .reuse = true};
    task.options.algorithm = algorithm;
    task.options.epochs = epochs;
    if (algorithm == "pgd") task.options.parameters = {{"eps", attack_eps}, {"steps", 4}};
    const tasks::TrainFound found = tasks::train(task, context_.progress());
    for (const std::string& line : found.record.envelope.warnings) say(line);
    return {name, found.model, digest_file(path), {}, {}, {}};
  }

  const Images& training_images() {
    if (!training_) training_ = open_images(flags_.train, static_cast<std::size_t>(-1));
    return *training_;
  }

  void train_models() {
    models_.push_back(train("standard", "erm", flags_.standard_epochs, {}));
    models_.push_back(train("robust", "pgd", flags_.robust_epochs, file("standard.safetensors")));
    training_.reset();
  }

  void make_shifts() {
    for (const ShiftCase& shift_case : shift_cases) {
      shift::Options options;
      options.strength = shift_case.strength;
      options.seed = context_.seed;
      shifts_.push_back(shift::member(shift_case.member).apply(test_, options, context_.progress()).images);
      const fs::path path = file(fmt::format("images-{}.npz", shift_case.member));
      product(path,
              fmt::format("{} {} seed {} of {}", shift_case.member, shift_case.strength, context_.seed,
                          test_digest_),
              [&] { write_images(path, shifts_.back()); });
    }
  }

  Outputs ask(const Classifier& model, const Images& images, const std::string& name) const {
    Outputs outputs = model.model->outputs(images, context_.progress());
    outputs.class_names = class_names_of(flags_.test, outputs.k());
    outputs.path = file(fmt::format("outputs-{}-{}.npz", model.name, name)).string();
    outputs.features.reset();
    write_npz(outputs.path, arrays_of(outputs));
    return outputs;
  }

  void ask(Classifier& model) {
    const fs::path path = file(fmt::format("images-attack-{}.npz", model.name));
    nn::AttackOptions attack;
    attack.eps = attack_eps;
    attack.parameters["steps"] = attack_steps;
    attack.seed = context_.seed;
    product(path,
            fmt::format("pgd {} steps {} seed {} of {} model {}", attack_eps, attack_steps, context_.seed,
                        test_digest_, model.digest),
            [&] { write_images(path, model.model->attack(test_, attack, context_.progress()).images); });
    model.attacked = read_images(path.string());
    model.clean = ask(model, test_, "clean");
    for (std::size_t i = 0; i < shift_cases.size(); ++i)
      model.shifted.push_back(ask(model, shifts_[i], shift_cases[i].member));
    model.shifted.push_back(ask(model, model.attacked, "attack"));
  }

  int show() {
    tasks::AssessTask task;
    std::vector<report::PictureSource> pictures = {{"", &test_}};
    for (std::size_t i = 0; i < shifts_.size(); ++i) pictures.push_back({shift_cases[i].name, &shifts_[i]});
    for (const Classifier& model : models_) {
      task.sources.push_back({model.name, model.clean});
      for (std::size_t i = 0; i < model.shifted.size(); ++i)
        task.targets.push_back(
            {model.name, i < shift_cases.size() ? shift_cases[i].name : attack_name, model.shifted[i]});
      pictures.push_back({model.name + "/" + attack_name, &model.attacked});
    }
    task.seed = context_.seed;
    task.options.unit = "images";
    record::Assess result = tasks::assess(task, context_.progress());
    result.envelope.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const Json record = context_.complete(result);
    result = record::read_assess(record, "the record");  // with its command and inputs

    const fs::path page = file("report.html"), json = file("assessment.json");
    write_text(json, record_text(record));
    write_text(page, report::html_report(result, report::flip_pictures(result, pictures)));
    context_.write_record(record);
    context_.print(
        record, assess_text(result) + fmt::format("\nThe page: {}\nThe record: {}\n",
                                                  fs::absolute(page).string(), fs::absolute(json).string()));
    return exit_ok;
  }

  Context& context_;
  const DemoFlags& flags_;
  nn::Session& session_;
  std::chrono::steady_clock::time_point started_;
  std::optional<Images> training_;
  Images test_;
  std::string test_digest_;
  std::vector<Images> shifts_;
  std::vector<Classifier> models_;
};

}  // namespace

void add_demo(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("demo", "Train two classifiers, shift their images, and write the page about them");
  const auto flags = std::make_shared<DemoFlags>();
  context.files.writes(
      command->add_option("--folder", flags->folder, "Where everything goes; what stands there is taken over")
          ->capture_default_str(),
      Written::folder);
  command->add_option("--train", flags->train, "Labelled images to train on")->capture_default_str();
  command->add_option("--test", flags->test, "Labelled images to assess on")->capture_default_str();
  command->add_option("--images", flags->images, "At most so many of the test images")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  command->add_option("--epochs", flags->standard_epochs, "Of the standard classifier")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--robust-epochs", flags->robust_epochs,
                   "Of adversarial training, which starts from the standard classifier")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_device_flag(*command, context.device);
  context.add_common_flags(*command, "Write the JSON record to this file too");
  command->footer(
      "The standard classifier is trained as usual, the robust one on PGD adversarial images. Both meet "
      "noise, blur, low\n"
      "contrast, rotation and an attack made for each. The same from the files that stay in the folder:\n\n"
      "  leeway assess --source standard=leeway-demo/outputs-standard-clean.npz \\\n"
      "    --target blur=leeway-demo/outputs-standard-gaussian-blur.npz --report blur.html");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return Demo(context, *flags).run(); }; });
}

}  // namespace leeway::app
