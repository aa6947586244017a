// The true error of every target of simulated or real shifts, and all that leeway says of it without labels.
//
//   answer_features [critics] FOLDER...
//
// With `critics` also the bounds of critics on features and of kernel critics, which take most of the time.
//
// CSV on stdout. Each folder holds source.npz and targets NAME.npz with logits (n,k) and labels (n); world.txt, where
// there is one, gives the family of the world and of the classifier. docs/studies/answers.md uses the output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/error_bound/detail/temperature.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/io/outputs.h"

namespace {

namespace fs = std::filesystem;
using namespace leeway::error_bound;

Sample sample_of(const fs::path& path) {
  leeway::Outputs outputs = leeway::read_outputs(path);
  return {path.filename(), outputs.logits, outputs.labels.value_or(std::vector<std::int64_t>()),
          outputs.features};
}

void write(const fs::path& folder, bool critics) {
  std::string world = "real,real";
  if (std::ifstream file(folder / "world.txt"); file) {
    std::string family, model;
    std::getline(file, family, ','), std::getline(file, model, ',');
    world = family + "," + model;
  }
  const Sample source = sample_of(folder / "source.npz");
  const double t = fit_temperature(source.logits, source.labels).inverse;
  const Evidence known = collect_source(source, {.inverse_temperature = t, .movement = true});
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".npz" && entry.path().stem() != "source") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::optional<SelfTransport> self;
  std::size_t rows = 0;
  for (const fs::path& path : paths) {
    const Sample target = sample_of(path);
    if (rows != target.n()) self.reset();
    rows = target.n();
    Evidence e = known;
    add_target(e, source, target, {.inverse_temperature = t, .transport = true, .self = self});
    self = e.self;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows; ++i) wrong += e.target.predicted[i] == target.labels[i] ? 0 : 1;
    fmt::print("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}", folder.filename().string(), world,
               path.stem().string(), source.k(), source.n(), rows,
               static_cast<double>(wrong) / static_cast<double>(rows), 1 - e.source_accuracy, t);
    for (const Estimator& one : estimators()) fmt::print(",{:.6g}", std::clamp(one.error(e), 0., 1.));
    const double excess = e.transport_cost - (1 - e.target_confidence);
    const Movement& m = e.movement;
    const leeway::Interval likely = combined_answer(e).likely;
    for (const double value : {likely.low, likely.high, excess, e.self.excess, e.self.deviation, m.mix_error,
                               m.misfit, m.misfit_noise, m.distance, m.least_distance, m.log_factor})
      fmt::print(",{:.6g}", value);
    for (const bool kernel : {false, true})
      for (const auto kind : {Representation::Kind::logits, Representation::Kind::features}) {
        Dis2Options options;
        options.representation = {kind, 0, 0, kernel};
        options.restarts = 3;
        const Sample unlabeled{"target", target.logits, {}, target.features};
        const bool plain = kind == Representation::Kind::logits;
        if ((plain && !kernel) || (critics && (plain || source.features)))
          fmt::print(",{:.6g}", dis2_bound(source, unlabeled, options).bound);
        else
          fmt::print(",");
      }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("world,family,model,kind,classes,source,target,error,source_error,inverse_temperature");
  for (const Estimator& one : estimators()) fmt::print(",{}", one.name);
  fmt::print(
      ",likely_low,likely_high,excess,rest_excess,rest_deviation,mix_error,misfit,misfit_noise,distance");
  fmt::print(",least_distance,log_factor,bound,features_bound,kernel_bound,kernel_features_bound\n");
  const bool critics = argc > 1 && std::string_view(argv[1]) == "critics";
  for (int i = critics ? 2 : 1; i < argc; ++i) write(argv[i], critics);
  return 0;
}
