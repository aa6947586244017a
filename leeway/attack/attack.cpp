#include "leeway/attack/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/attack/member.h"
#include "leeway/core/message.h"

namespace leeway::attack {

// Each is defined in a file of its name.
AttackMember pgd();
AttackMember fgsm();
AttackMember bim();
AttackMember momentum_pgd();
AttackMember apgd();
AttackMember apgd_targeted();
AttackMember fmn();
AttackMember fab();
AttackMember deepfool();
AttackMember ddn();
AttackMember carlini_wagner();
AttackMember square();
AttackMember hopskipjump();
AttackMember noise();
AttackMember strong();

std::span<const AttackMember> attacks() {
  static const AttackMember list[] = {
      pgd(), fgsm(),           bim(),    momentum_pgd(), apgd(),  apgd_targeted(), fmn(), fab(), deepfool(),
      ddn(), carlini_wagner(), square(), hopskipjump(),  noise(), strong()};
  return list;
}

const AttackMember& attack_named(std::string_view name) { return find_member(attacks(), "attack", name); }

std::vector<AttackEntry> entries() { return {attacks().begin(), attacks().end()}; }

AttackOptions complete(const AttackOptions& options) {
  const AttackMember& member = attack_named(options.attack);
  const std::string name = "attack " + options.attack;
  AttackOptions complete = options;
  if (std::ranges::find(member.norms, options.norm) == member.norms.end()) {
    std::string norms;
    for (const Norm norm : member.norms) norms += (norms.empty() ? "" : ", ") + std::string(name_of(norm));
    refuse(name, "a norm among " + norms, name_of(options.norm));
  }
  if (member.minimum_norm && options.eps)
    refuse(name, "no radius, because this attack minimizes it", fmt::format("eps {}", *options.eps));
  if (!member.minimum_norm) {
    complete.eps = options.eps.value_or(default_eps);
    if (!(*complete.eps >= 0 && std::isfinite(*complete.eps)))
      refuse(name + ": eps", "a finite number, at least 0", fmt::format("{}", *complete.eps));
  }
  if (member.own_loss && options.loss && *options.loss != member.loss)
    refuse(name, "no loss, because this attack has its own", name_of(*options.loss));
  if (options.loss == Loss::dlr && !options.targets.empty() && member.loss != Loss::dlr)
    refuse(name, "no targets with the loss dlr (apgd-targeted has its targeted form)", "targets");
  if (member.leaves && !options.targets.empty())
    refuse(name, "no targets, because this attack is untargeted", "targets");
  if (options.draws == 0) refuse(name + ": draws", "at least 1", "0");
  complete.loss = options.loss.value_or(member.loss);
  complete.parameters = complete_parameters(name, member.parameters, options.parameters);
  if (member.parts != nullptr)
    for (const AttackOptions& part : member.parts(complete)) (void)attack::complete(part);
  return complete;
}

}  // namespace leeway::attack
