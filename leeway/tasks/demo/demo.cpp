#include "leeway/tasks/demo/demo.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "leeway/core/file.h"
#include "leeway/core/removal.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/train/train.h"

namespace leeway::tasks {
namespace {

namespace fs = std::filesystem;

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
  Demo(const DemoTask& task, Progress* progress) : task_(task), progress_(progress) {}

  DemoFound run() {
    test_ = first_images(task_.test());
    write_images(file("images-clean.npz"), test_);
    test_digest_ = digest_file(file("images-clean.npz"));
    models_.push_back(train("standard", "erm", task_.epochs, {}));
    models_.push_back(train("robust", "pgd", task_.robust_epochs, file("standard.safetensors")));
    training_.reset();
    make_shifts();
    for (Classifier& model : models_) ask(model);
    return found();
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

  [[nodiscard]] fs::path file(const std::string& name) const { return task_.folder / name; }

  void say(const std::string& line) const {
    if (task_.say) task_.say(line);
  }

  [[nodiscard]] Images first_images(Images images) const {
    if (images.n() <= task_.images) return images;
    std::vector<std::size_t> rows(task_.images);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    return select_rows(images, rows);
  }

  // Makes `path` unless it was made from the same key before.
  template <class Make>
  void product(const fs::path& path, const std::string& key, const Make& make) const {
    const fs::path key_path = path.string() + ".key";
    std::ifstream in(key_path);
    std::ostringstream known;
    known << in.rdbuf();
    const auto with_digest = [&] { return key + " " + digest_file(path); };
    if (fs::exists(path) && known.str() == with_digest()) {
      say(fmt::format("{} exists already", path.string()));
      return;
    }
    // Without its key first: a run that ends between the two leaves no product under the key of another.
    remove_made(task_.folder, key_path);
    make();
    write_text(key_path, with_digest());
  }

  Classifier train(const std::string& name, const std::string& algorithm, std::size_t epochs,
                   const fs::path& start) {
    const fs::path path = file(name + ".safetensors");
    const auto open = [this] {
      if (!training_) training_ = task_.train();
      return TrainingRows{*training_, {}};
    };
    TrainTask task{.session = task_.session,
                   .open = open,
                   .out = path,
                   .start = start,
                   .seed = task_.seed,
                   .device = task_.device,
                   .reuse = true};
    task.options.algorithm = algorithm;
    task.options.epochs = epochs;
    if (algorithm == "pgd") task.options.parameters = {{"eps", attack_eps}, {"steps", 4}};
    const TrainFound found = tasks::train(task, progress_);
    for (const std::string& line : found.record.envelope.warnings) say(line);
    return {name, found.model, digest_file(path), {}, {}, {}};
  }

  void make_shifts() {
    for (const ShiftCase& one : shift_cases) {
      shifts_.push_back(shift::member(one.member).apply(test_, {one.strength, task_.seed}, progress_).images);
      const fs::path path = file(fmt::format("images-{}.npz", one.member));
      product(path, fmt::format("{} {} seed {} of {}", one.member, one.strength, task_.seed, test_digest_),
              [&] { write_images(path, shifts_.back()); });
    }
  }

  [[nodiscard]] Outputs ask(const Classifier& model, const Images& images, const std::string& name) const {
    Outputs outputs = model.model->outputs(images, progress_);
    outputs.class_names = class_names_of(test_, outputs.k());
    outputs.path = file(fmt::format("outputs-{}-{}.npz", model.name, name)).string();
    outputs.features.reset();
    write_npz(outputs.path, arrays_of(outputs));
    return outputs;
  }

  void ask(Classifier& model) const {
    const fs::path path = file(fmt::format("images-attack-{}.npz", model.name));
    nn::AttackOptions attack;
    attack.eps = attack_eps;
    attack.parameters["steps"] = attack_steps;
    attack.seed = task_.seed;
    product(path,
            fmt::format("pgd {} steps {} seed {} of {} model {}", attack_eps, attack_steps, task_.seed,
                        test_digest_, model.digest),
            [&] { write_images(path, model.model->attack(test_, attack, progress_).images); });
    model.attacked = read_images(path.string());
    model.clean = ask(model, test_, "clean");
    for (std::size_t i = 0; i < shift_cases.size(); ++i)
      model.shifted.push_back(ask(model, shifts_[i], shift_cases[i].member));
    model.shifted.push_back(ask(model, model.attacked, "attack"));
  }

  DemoFound found() {
    AssessTask task;
    DemoFound found;
    for (const Classifier& model : models_) {
      task.sources.push_back({model.name, model.clean});
      for (std::size_t i = 0; i < model.shifted.size(); ++i)
        task.targets.push_back(
            {model.name, i < shift_cases.size() ? shift_cases[i].name : attack_name, model.shifted[i]});
      found.images.emplace_back(model.name + "/" + attack_name, model.attacked);
    }
    found.images.emplace_back("", std::move(test_));
    for (std::size_t i = 0; i < shifts_.size(); ++i)
      found.images.emplace_back(shift_cases[i].name, std::move(shifts_[i]));
    task.seed = task_.seed;
    task.options.unit = "images";
    found.record = assess(std::move(task), progress_);
    return found;
  }

  const DemoTask& task_;
  Progress* progress_;
  std::optional<Images> training_;
  Images test_;
  std::string test_digest_;
  std::vector<Images> shifts_;
  std::vector<Classifier> models_;
};

}  // namespace

std::vector<std::string> demo_files() {
  std::vector<std::string> names = {"images-clean.npz"};
  for (const ShiftCase& one : shift_cases) names.push_back(fmt::format("images-{}.npz", one.member));
  for (const std::string model : {"standard", "robust"}) {
    names.push_back(model + ".safetensors");
    names.push_back(fmt::format("images-attack-{}.npz", model));
    for (const std::string set : {"clean", "attack"})
      names.push_back(fmt::format("outputs-{}-{}.npz", model, set));
    for (const ShiftCase& one : shift_cases)
      names.push_back(fmt::format("outputs-{}-{}.npz", model, one.member));
  }
  return names;
}

DemoFound demo(const DemoTask& task, Progress* progress) {
  fs::create_directories(task.folder);
  return Demo(task, progress).run();
}

}  // namespace leeway::tasks
