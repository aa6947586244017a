#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// APGD with the cross-entropy, APGD with the targeted DLR loss, FAB with one plane at a time, Square.
std::vector<AttackOptions> parts_of(const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto part = [&](const char* attack, std::map<std::string, double> parameters) {
    AttackOptions one{.attack = attack, .norm = options.norm, .eps = options.eps, .seed = options.seed};
    one.parameters = std::move(parameters);
    if (attack_named(attack).minimum_norm) one.eps.reset();
    return one;
  };
  const double steps = given.at("steps"), targets = given.at("targets");
  return {part("apgd", {{"steps", steps}}), part("apgd-targeted", {{"steps", steps}, {"targets", targets}}),
          part("fab", {{"steps", steps}, {"targets", targets}}),
          part("square", {{"queries", given.at("queries")}})};
}

}  // namespace

AttackMember strong() {
  return {{{"strong",
            "ensemble: apgd, apgd-targeted, fab and square in turn, each on the rows that withstood the "
            "previous attacks",
            "Croce and Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse "
            "parameter-free attacks (AutoAttack), ICML 2020",
            {{"steps", 100, 1, 1e6, "steps of apgd and fab", true},
             {"targets", 9, 1, 1e6, "most likely wrong classes that apgd-targeted and fab try", true},
             {"queries", 5000, 1, 1e8, "forward passes of square", true}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2}},
          /*gradients=*/true,
          /*run=*/nullptr,
          parts_of,
          /*own_loss=*/true};
}

}  // namespace leeway::attack
