#include "leeway/tasks/list/list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "leeway/agreement/distance.h"
#include "leeway/agreement/pairing.h"
#include "leeway/attack/attack.h"
#include "leeway/average_case/average_case.h"
#include "leeway/average_case/noise.h"
#include "leeway/conds/conds.h"
#include "leeway/core/error.h"
#include "leeway/data/diagvib_environments.h"
#include "leeway/data/load.h"
#include "leeway/data/render.h"
#include "leeway/endpoint/prompts.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/shift/shift.h"
#include "leeway/shift/text.h"
#include "leeway/tasks/task_clock.h"
#include "leeway/tasks/train/train.h"

namespace leeway::tasks {
namespace {

using Listed = std::vector<ListedMember>;

// `add` says of a member what a Member does not.
template <class Members, class Add>
Listed listed(const Members& members, const Add& add) {
  Listed list;
  for (const auto& member : members) add(list.emplace_back(member), member);
  return list;
}

template <class Members>
Listed listed(const Members& members) {
  return listed(members, [](ListedMember&, const Member&) {});
}

Listed architectures(const ListTask& task) {
  const nn::Session& session = task.session();
  return listed(session.architectures(), [&](ListedMember& one, const Member&) {
    for (const nn::InputShape& shape : {nn::InputShape{1, 28, 28}, nn::InputShape{3, 32, 32}}) {
      auto& weights = one.weights[fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width)];
      try {
        weights = static_cast<double>(session.weights_of(one.name, shape, 10));
      } catch (const Error&) {
        // it does not take such images
      }
    }
  });
}

Listed algorithms(const ListTask& task) {
  const nn::Session& session = task.session();
  return listed(session.algorithms(), [&](ListedMember& one, const Member&) {
    one.needs = session.requirements_of(one.name).words();
  });
}

Listed augmentations(const ListTask& task) { return listed(task.session().augmentations()); }

Listed protocols(const ListTask&) {
  return listed(tasks::protocols(), [](ListedMember& one, const Protocol& member) {
    TrainingOptions options;
    member.set(options);
    one.about = {{"options", flags_of(options)}};
  });
}

Listed attacks(const ListTask&) {
  return listed(attack::entries(), [](ListedMember& one, const attack::AttackEntry& entry) {
    std::string norms;
    for (const attack::Norm norm : entry.norms)
      norms += (norms.empty() ? "" : " ") + std::string(name_of(norm));
    one.about = {{"budget", entry.minimum_norm ? "minimum-norm" : "fixed"},
                 {"loss", std::string(name_of(entry.loss))},
                 {"norms", std::move(norms)}};
  });
}

Listed estimators(const ListTask&) {
  return listed(error_bound::estimators(), [](ListedMember& one, const error_bound::Estimator& member) {
    one.about = {{"assumes", std::string(member.assumes)}, {"fails", std::string(member.fails)}};
  });
}

Listed average_case_estimators(const ListTask&) {
  return listed(average_case::estimators(), [](ListedMember& one, const average_case::Estimator& member) {
    one.about = {{"gives", member.probability ? "a probability" : "a score for ranking"}};
    if (member.gradients) one.needs.emplace_back("gradients");
    if (member.model) one.needs.emplace_back("a model");
  });
}

Listed noises(const ListTask&) { return listed(average_case::noises()); }

Listed distances(const ListTask&) {
  return listed(agreement::distances(), [](ListedMember& one, const agreement::Distance& member) {
    one.needs.emplace_back(member.compares == agreement::Compared::probabilities ? "logits" : "features");
    if (member.paired) one.needs.emplace_back("pairs of rows");
  });
}

Listed pairings(const ListTask&) {
  return listed(agreement::pairings(), [](ListedMember& one, const agreement::Pairing& member) {
    if (member.needs_labels) one.needs.emplace_back("labels");
    if (member.needs_features) one.needs.emplace_back("features");
  });
}

Listed shifts(const ListTask&) {
  return listed(shift::members(), [](ListedMember& one, const shift::Member& member) {
    if (member.has_severities()) one.about = {{"severities", "0 to 5"}, {"group", std::string(member.group)}};
    if (!member.on_grey) one.needs.emplace_back("color");
    if (!member.keeps_pixels()) return;
    one.about = {{"changes", member.select != nullptr ? "the selection of rows, not their pixels"
                                                      : "labels, not pixels"}};
    one.needs.emplace_back("labels");
    if (member.needs_classes) one.needs.emplace_back("classes");
  });
}

Listed text_shifts(const ListTask&) {
  return listed(shift::text_shifts(), [](ListedMember& one, const shift::TextShift& member) {
    if (member.needs.label) one.needs.emplace_back("labels");
  });
}

Listed endpoint_prompts(const ListTask&) {
  return listed(endpoint::prompts(), [](ListedMember& one, const endpoint::PromptMember& member) {
    one.about = {{"text", member.text}};
  });
}

Listed loaders(const ListTask&) {
  return listed(data::loaded_formats(), [](ListedMember& one, const data::LoadedFormat& member) {
    one.about = {{"files", std::string(member.paths)}};
  });
}

Listed renderers(const ListTask&) {
  return listed(data::rendered_sets(), [](ListedMember& one, const data::RenderedSet& member) {
    one.about = {{"columns", names_of(member.columns)}};
  });
}

Listed environments(const ListTask&) {
  return listed(data::diagvib_experiments(), [](ListedMember& one, const data::DiagvibExperiment& member) {
    one.about = {{"digits", fmt::format("{}", fmt::join(member.digits, ", "))},
                 {"parts", names_of(member.parts)}};
  });
}

Listed protocol_sets(const ListTask&) {
  return listed(conds::conds_data_sets(), [](ListedMember& one, const conds::ConDSDataSet& member) {
    one.about = {{"label", std::string(member.label.name)}, {"attributes", names_of(member.attributes)}};
  });
}

}  // namespace

std::span<const Family> families() {
  static const Family list[] = {
      {{"architectures", "network architectures: leeway train --arch", ""}, architectures},
      {{"algorithms", "training algorithms: leeway train --algorithm", ""}, algorithms},
      {{"augmentations", "augmentations of training images: leeway train --augment", ""}, augmentations},
      {{"protocols", "presets of published recipes: leeway train --protocol", ""}, protocols},
      {{"attacks", "adversarial attacks: leeway attack --attack", ""}, attacks},
      {{"estimators", "estimators of the error without labels: leeway bound --methods", ""}, estimators},
      {{"average-case-estimators",
        "estimators of prediction survival under noise: leeway average-case --methods", ""},
       average_case_estimators},
      {{"noises", "distributions of the noise added to inputs: leeway average-case --noise", ""}, noises},
      {{"distances", "distances between clean and shifted outputs: leeway distances --only", ""}, distances},
      {{"pairings", "methods to pair the rows of two sets: leeway pa --pairing", ""}, pairings},
      {{"shifts", "shifts of images: leeway shift NAME; common corruptions have severities", ""}, shifts},
      {{"text-shifts", "shifts of texts: leeway shift text NAME", ""}, text_shifts},
      {{"prompts", "prompts for models behind a chat endpoint: leeway infer --prompt", ""}, endpoint_prompts},
      {{"loaders", "formats of published data sets: leeway data load FORMAT", ""}, loaders},
      {{"renderers", "synthetic data sets: leeway data render NAME", ""}, renderers},
      {{"environments", "DiagViB experiments on digits: leeway data diagvib --environment", ""},
       environments},
      {{"protocol-sets", "data sets of the ConDS protocol: leeway conds draw --dataset", ""}, protocol_sets},
  };
  return list;
}

List list(const ListTask& task) {
  const TaskClock clock;
  List record;
  record.options = task.options;
  const std::string& wanted = task.options.family;
  if (!wanted.empty()) (void)find_member(families(), "family", wanted);
  for (const Family& family : families()) {
    if (!wanted.empty() && wanted != family.name) continue;
    ListedFamily& one = record.results.emplace_back();
    one.family = family.name, one.summary = family.summary;
    try {
      one.members = family.members(task);
    } catch (const std::runtime_error& missing) {
      if (!wanted.empty()) throw;
      one.missing = missing.what();
    }
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
