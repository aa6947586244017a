#include "leeway/tasks/assess/detail/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {
namespace {

constexpr std::size_t most_drifts = 3;  // named in a sentence

// "74", "0", "100": an exact end of the scale has no digits after the point.
std::string percent_number(double share, int digits) {
  if (share <= 0) return "0";
  if (share >= 1) return "100";
  return fmt::format("{:.{}f}", 100 * share, digits);
}

// Of the interval, in points.
double width_of(const Measured& measured) { return 100 * (*measured.high - *measured.low); }

std::string signed_points(double difference, int digits) {
  const std::string text = fmt::format("{:.{}f}", 100 * difference, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

class Writer {
 public:
  explicit Writer(const WordsOptions& options)
      : options_(options), level_(fmt::format("{:g}% interval", 100 * options.level)) {}

  // "Under noise, cnn changes its prediction on 18% of images and is right on 74% (95% interval 73.1 to
  // 74.9), down from 91%"
  [[nodiscard]] std::string clause(const Summary& s) const {
    std::string text = fmt::format("Under {}, {} ", s.target, name(s));
    if (s.labelled && s.paired) return text + flips(s, false) + " and " + right(s, false);
    if (s.labelled) return text + right(s, true);
    const std::string errors = errors_without_labels(s);
    if (s.paired) return text + flips(s, true) + (errors.empty() ? "" : "; its error is " + errors);
    if (!errors.empty())
      return fmt::format("Under {}, {}'s error is {}; it {}{}", s.target, name(s), errors, sureness(s),
                         drift(s));
    text += sureness(s) + drift(s);
    if (!s.source_accuracy.value) return text + "; without labels or pairs, its accuracy is not known";
    return text + fmt::format(
                      ", where it is right on {} {}; without labels, its accuracy on the target is not known",
                      share_text(s.source_accuracy), interval(s.source_accuracy));
  }

  // What `other` does on the target of `worst`, after a semicolon.
  [[nodiscard]] std::string beside(const Summary& other,
                                   const std::optional<tasks::AssessComparison>& comparison) const {
    if (other.labelled) {
      const bool better = comparison && clearly_higher(comparison->difference);
      std::string text = fmt::format("{} {} {} ({})", name(other), better ? "holds" : "is right on",
                                     share_text(other.accuracy), interval_text(other.accuracy));
      return comparison ? text + ", " + points(comparison->difference) : text;
    }
    if (other.paired) {
      const Measured changed = complement(other.afr_pred);
      if (changed.value == 0) return name(other) + " on none";
      return fmt::format("{} on {} ({})", name(other), share_text(changed), interval_text(changed));
    }
    const std::string errors = errors_without_labels(other);
    return name(other) + " " + sureness(other) + (errors.empty() ? "" : ": its error is " + errors);
  }

  // "; weakest class Shirt: 31% of 1,000 (28 to 34), 76% on the source"
  [[nodiscard]] std::string weakest(const Summary& s) const {
    std::string text;
    if (const tasks::AssessCell* cell = clearly_worse(s, s.worst_class()))
      text += (s.labelled ? "; weakest class " : "; most often among samples predicted as ") +
              describe(s, *cell, cell->name);
    if (const tasks::AssessCell* cell = clearly_worse(s, s.worst_group()))
      text += (s.labelled ? "; weakest group " : "; most often in group ") +
              describe(s, *cell, fmt::format("{} = {}", cell->group, cell->name));
    return text;
  }

 private:
  // "estimated at 25% (likely range 22% to 34%; 12% on the source, 95% interval 10.1 to 14.2), at most 82%
  // if the bound's assumption holds"
  [[nodiscard]] std::string errors_without_labels(const Summary& s) const {
    std::string text;
    if (s.likely_error) {
      const tasks::LikelyError& error = *s.likely_error;
      const std::string from = whole_percent(error.low), to = whole_percent(error.high);
      text = fmt::format("estimated at {} (likely range {}{}", whole_percent(*error.error.value), from,
                         from == to ? "" : " to " + to);
      if (s.source_accuracy.value) {
        const Measured wrong = complement(s.source_accuracy);
        text += fmt::format("; {} on the source, {} {}", share_text(wrong), level_, interval_text(wrong));
      }
      text += ')';
    }
    if (s.error_bound && *s.error_bound < 1)
      text +=
          fmt::format("{}at most {} if the bound's assumption holds{}", text.empty() ? "" : ", ",
                      whole_percent(*s.error_bound),
                      s.likely_error && tasks::bound_in_doubt(*s.error_bound, s.likely_error->high,
                                                              s.likely_error->margins_moved.value_or(false))
                          ? ", which is in doubt"
                          : "");
    else if (s.error_bound)
      text += text.empty() ? "not known without labels: the bound is 100%" : "; the bound is 100%";
    return text;
  }

  // "; predicted classes (p < 0.0001) and confidence (p = 0.003) moved": what clearly did.
  [[nodiscard]] std::string drift(const Summary& s) const {
    if (!s.drift) return "";
    std::vector<std::string> moved;
    const auto add = [&](const tasks::DriftTest& test, const std::string& called) {
      if (test.p_value > 1 - options_.level) return;
      moved.push_back(fmt::format("{} ({})", called, tasks::p_sentence(test.p_value)));
    };
    add(s.drift->classes, "predicted classes");
    add(s.drift->confidence, "confidence");
    if (s.drift->features) add(*s.drift->features, "features");
    for (const tasks::DriftTest& group : s.drift->groups) add(group, group.name);
    if (moved.size() > most_drifts) moved.resize(most_drifts), moved.push_back("more");
    return moved.empty() ? "" : "; " + list_of(moved) + " changed";
  }

  static std::string sureness(const Summary& s) {
    return fmt::format("has {} mean confidence, {} on the source", whole_percent(s.confidence.shifted_mean),
                       whole_percent(s.confidence.clean_mean));
  }

  // "(95% interval 73.1 to 74.9)"
  [[nodiscard]] std::string interval(const Measured& share) const {
    return fmt::format("({} {})", level_, interval_text(share));
  }

  static std::string name(const Summary& s) { return s.model == "model" ? "the model" : s.model; }

  static Measured complement(const Measured& same) {
    return {1 - *same.value, 1 - *same.high, 1 - *same.low};
  }

  [[nodiscard]] std::string flips(const Summary& s, bool alone) const {
    const Measured changed = complement(s.afr_pred);
    const std::string end = alone ? " " + interval(changed) : "";
    if (changed.value == 0)
      return fmt::format("changes no prediction on {} {}{}", leeway::count(s.n), options_.unit, end);
    return fmt::format("changes its prediction on {} of {}{}", share_text(changed), options_.unit, end);
  }

  [[nodiscard]] std::string right(const Summary& s, bool alone) const {
    std::string text = fmt::format("is right on {}{} {}", share_text(s.accuracy),
                                   alone ? " of " + options_.unit : "", interval(s.accuracy));
    const Measured& change = s.accuracy_change;
    if (!change.value) return text;
    const std::string before = share_text(s.source_accuracy);
    if (clear(change)) {
      const std::string direction = clearly_lower(change) ? "down" : "up";
      if (before != share_text(s.accuracy)) return fmt::format("{}, {} from {}", text, direction, before);
      return fmt::format("{}, {} by {} points", text, direction,
                         signed_points(std::abs(*change.value), percent_digits(width_of(change))));
    }
    return text + fmt::format(", not clearly different from {} on the source", before);
  }

  [[nodiscard]] std::string points(const Measured& difference) const {
    const double width = width_of(difference);
    const int digits = percent_digits(width), finer = width >= 10 ? 0 : digits + 1;
    if (!clear(difference))
      return fmt::format("no clear difference ({} {} to {} points)", level_,
                         signed_points(*difference.low, finer), signed_points(*difference.high, finer));
    const bool more = clearly_higher(difference);
    const double low = more ? *difference.low : -*difference.high;
    const double high = more ? *difference.high : -*difference.low;
    return fmt::format("{} points {} ({} {} to {})", signed_points(std::abs(*difference.value), digits),
                       more ? "more" : "fewer", level_, signed_points(low, finer),
                       signed_points(high, finer));
  }

  // `worst`: of the cells of one kind; null where there is none.
  static const tasks::AssessCell* clearly_worse(const Summary& s, const tasks::AssessCell* worst) {
    if (!worst) return nullptr;
    const Measured &part = s.labelled ? worst->accuracy : worst->afr_pred,
                   &whole = s.labelled ? s.accuracy : s.afr_pred;
    return part.value && whole.value && *part.high < *whole.low ? worst : nullptr;
  }

  static std::string describe(const Summary& s, const tasks::AssessCell& cell, const std::string& where) {
    const Measured share = s.labelled ? cell.accuracy : complement(cell.afr_pred);
    std::string text = fmt::format("{}: {} of {} ({})", where, share_text(share), leeway::count(cell.n),
                                   interval_text(share));
    if (s.labelled && cell.source_accuracy.value)
      text += fmt::format(", {} on the source", share_text(cell.source_accuracy));
    return text;
  }

  const WordsOptions& options_;
  std::string level_;
};

int evidence(const Summary& s) { return s.labelled ? 2 : s.paired ? 1 : 0; }

double severity(const Summary& s) {
  if (s.accuracy_change.value) return -*s.accuracy_change.value;
  if (s.accuracy.value) return 1 - *s.accuracy.value;
  if (s.afr_pred.value) return 1 - *s.afr_pred.value;
  return s.confidence.clean_mean - s.confidence.shifted_mean;
}

std::vector<const Summary*> worst_first(const std::vector<Summary>& summaries) {
  std::vector<const Summary*> order;
  for (const Summary& s : summaries) order.push_back(&s);
  std::stable_sort(order.begin(), order.end(), [](const Summary* a, const Summary* b) {
    return evidence(*a) != evidence(*b) ? evidence(*a) > evidence(*b) : severity(*a) > severity(*b);
  });
  return order;
}

// How good a model is on a target, for choosing the one to set beside the worst.
double merit(const Summary& s) {
  return s.accuracy.value.value_or(s.afr_pred.value.value_or(s.confidence.shifted_mean));
}

std::optional<tasks::AssessComparison> find(const std::vector<tasks::AssessComparison>& comparisons,
                                            const Summary& other, const Summary& worst) {
  for (const tasks::AssessComparison& c : comparisons) {
    if (c.target != worst.target) continue;
    if (c.model == other.model && c.other == worst.model) return c;
    if (c.model == worst.model && c.other == other.model) return c.turned();
  }
  return std::nullopt;
}

// "This is the largest loss measured on 5 targets." Nothing for one target, or if nothing is clearly lost.
std::string superlative(const std::vector<Summary>& summaries, const Summary& worst) {
  std::set<std::string> same, all;
  for (const Summary& s : summaries) {
    all.insert(s.target);
    if (evidence(s) == evidence(worst)) same.insert(s.target);
  }
  if (same.size() < 2 || (worst.accuracy_change.value && !clearly_lower(worst.accuracy_change))) return "";
  const char* what = worst.accuracy_change.value ? "loss of accuracy"
                     : worst.accuracy.value      ? "error"
                     : worst.afr_pred.value      ? "share of changed predictions"
                                                 : "loss of confidence";
  const char* which = same.size() == all.size() ? "" : worst.labelled ? " with labels" : " with pairs";
  return fmt::format(" This is the largest {2} measured on {0} targets{1}.", same.size(), which, what);
}

// " Rows of monday are not compared one by one: ...": of targets that look like pairs and are none.
std::string doubts(const std::vector<Summary>& summaries) {
  std::vector<std::string> targets;
  const Summary* first = nullptr;
  for (const Summary& s : summaries) {
    if (!s.pairs.doubted) continue;
    if (!first) first = &s;
    append_new(targets, s.target);
  }
  if (!first) return "";
  const std::string others = targets.size() == 1   ? ""
                             : targets.size() == 2 ? " and " + targets[1]
                                                   : fmt::format(" and {} other targets", targets.size() - 1);
  return fmt::format(" Rows of {}{} are treated as unpaired: {}; --paired yes overrides this.", first->target,
                     others, first->pairs.reason);
}

}  // namespace

std::string share_text(const Measured& share) {
  return percent_number(*share.value, percent_digits(width_of(share))) + "%";
}

std::string interval_text(const Measured& share) {
  const double width = width_of(share);
  const int digits = width >= 10 ? 0 : percent_digits(width) + 1;
  return percent_number(*share.low, digits) + " to " + percent_number(*share.high, digits);
}

std::string whole_percent(double share) {
  if (share > 0 && share < .005) return "under 1%";
  if (share < 1 && share >= .995) return "over 99%";
  return fmt::format("{:.0f}%", 100 * share);
}

std::string headline(const std::vector<Summary>& summaries,
                     const std::vector<tasks::AssessComparison>& comparisons, const WordsOptions& options) {
  const Writer writer(options);
  const Summary& worst = *worst_first(summaries).front();
  std::vector<const Summary*> others;
  for (const Summary& s : summaries)
    if (s.target == worst.target && s.model != worst.model && evidence(s) == evidence(worst))
      others.push_back(&s);
  std::string text = writer.clause(worst);
  if (!others.empty()) {
    const Summary& best =
        **std::max_element(others.begin(), others.end(),
                           [](const Summary* a, const Summary* b) { return merit(*a) < merit(*b); });
    text += "; " + (others.size() == 1 ? "" : fmt::format("best of the {} other models, ", others.size())) +
            writer.beside(best, find(comparisons, best, worst));
  }
  return text + "." + superlative(summaries, worst) + doubts(summaries);
}

std::vector<std::string> findings(const std::vector<Summary>& summaries, const WordsOptions& options) {
  const Writer writer(options);
  std::vector<std::string> sentences;
  for (const Summary* s : worst_first(summaries))
    sentences.push_back(writer.clause(*s) + writer.weakest(*s) + ".");
  return sentences;
}

}  // namespace leeway::assess
