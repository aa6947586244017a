// The record of leeway sweep report: how algorithms perform under shifts in the runs of a sweep. leeway
// schema sweep-report lists the keys; leeway/sweep/report.h defines the numbers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"

namespace leeway::tasks {

// Columns of the table by what they are for. What is empty is that of the study's plan (leeway/sweep/roles.h).
struct SweepReportOptions {
  std::string stage;                  // of a folder: whose records; empty: the last one
  std::string measure, validation;    // to report, and to choose hyper-parameters by
  std::optional<std::string> better;  // of the measure: "higher" or "lower"
  std::vector<std::string> criteria;
  std::vector<std::string> algorithm, cases, repeats, over;
  std::string start, select, concurrent;
  std::string baseline, scratch;  // an algorithm; a value of `start`
  std::string tune = "case";
  double level = .95;
};

// What the columns were taken for.
struct SweepRoles {
  std::string measure, validation;  // empty: none
  bool higher_is_better = true, is_share = true;
  std::optional<double> chance;  // what guessing gets: 1/k, where a column k says the number of classes
  std::vector<std::string> criteria, algorithm, cases, repeats, over, hyperparameters;
  std::string start, select, concurrent;  // empty: none
  std::vector<std::string> curves;        // by epoch: what may choose one, and test accuracy
  std::string baseline, scratch,
      selected;  // values; selected: the value of `select` that the tables are about
};

// A mean over runs with its interval, and what the interval is over.
struct SweepMean {
  Measured mean;
  std::string basis = "none";  // seeds, record, cases, none
  std::size_t seeds = 0, runs = 0, left_out = 0;
  std::string missing;  // why there is no value; empty where there is one
};

// Where `start` or `setting` is empty there is no such column, or the mean is over all its values.
struct SweepCell {
  std::string algorithm, shift, setting, start;
  SweepMean value;
};

// Empty `shift`: over all cases.
struct SweepChange {
  std::string algorithm, shift, start;
  SweepMean change;
};

// Empty `algorithm`: over all of them.
struct SweepConcurrency {
  std::string algorithm, start;
  std::size_t shifts = 0, cases = 0;
  SweepMean value;
};

struct SweepCaseMean {
  std::string shift, start;
  std::size_t algorithms = 0;
  SweepMean value;
};

struct SweepStart {
  std::string algorithm, start;
  SweepMean value, change;
};

struct SweepRank {
  std::string algorithm, start;
  Measured rank;
  double best = 0;  // share of comparisons in which it is the first, ties included
  std::size_t cases = 0, comparisons = 0;
  SweepMean value;
};

struct SweepChoice {
  std::string algorithm, shift, setting, start;
  std::map<std::string, std::string> chosen;
  std::optional<double> validation, margin;  // margin: to the next candidate
  std::size_t candidates = 0, left_out = 0;
  std::vector<std::string> seeds;
};

struct SweepWay {
  std::string chooses, way, algorithm, start;
  SweepMean value, change;
};

// A criterion, or test accuracy, by epoch. Empty `algorithm`: over all of them.
struct SweepCurve {
  struct Point {
    std::size_t epoch = 0;  // or validation, from 1
    SweepMean value;
  };
  std::string algorithm, start, column;
  std::vector<Point> points;
};

struct SweepMissing {
  std::string reason, example;
  std::size_t runs = 0;
};

struct SweepShift {
  std::string name;
  std::optional<std::size_t> concurrent;
};

struct SweepReport {
  Envelope envelope = envelope_of("leeway.sweep-report/2");
  SweepReportOptions options;
  SweepRoles roles;
  std::size_t runs = 0;
  std::vector<std::string> algorithms, settings, starts, seeds;
  std::vector<SweepShift> cases;
  std::vector<SweepMissing> missing;
  std::vector<SweepCell> results;  // one for each start, setting, algorithm and case
  std::vector<SweepChange> changes;
  std::vector<SweepCaseMean> case_means;
  std::vector<SweepConcurrency> concurrency;
  std::vector<SweepStart> scratch;
  std::vector<SweepRank> ranks;
  std::vector<SweepChoice> choices;
  std::vector<SweepWay> ways;
  std::vector<SweepCurve> curves;
};

void fields(SweepReportOptions& options, Fields& f);
void fields(SweepReport& record, Fields& f);

// "validation", "worst group", "under attack", "selection score" or "test" of a column of curves.
[[nodiscard]] std::string curve_name(const std::string& column);
// A value of the measure, "74.0% (73.1–74.9)", and a change of it, "+3.1 points (2.0 to 4.2)".
[[nodiscard]] std::string value_text(const SweepReport& record, const Measured& value);
[[nodiscard]] std::string change_text(const SweepReport& record, const Measured& change);
// What an interval is over: "95% over 5 seeds"; why there is none.
[[nodiscard]] std::string basis_text(const SweepReport& record, const SweepMean& mean);
// "lr 0.001, batch 32".
[[nodiscard]] std::string chosen_text(const std::map<std::string, std::string>& chosen);

// Which algorithm ranks first, and by how much it differs from the baseline.
[[nodiscard]] std::string headline_of(const SweepReport& record);
// What the runs say beyond the headline; what is missing.
[[nodiscard]] std::vector<std::string> findings_of(const SweepReport& record);

// Findings that head a section, without a full stop; empty if there is none.
[[nodiscard]] std::string changes_finding(const SweepReport& record, const std::string& start);
[[nodiscard]] std::string concurrency_finding(const SweepReport& record, const std::string& start);
[[nodiscard]] std::string start_finding(const SweepReport& record, const SweepStart& one);
[[nodiscard]] std::string way_finding(const SweepReport& record, const std::string& chooses);
// Whether the interval of a change excludes 0.
[[nodiscard]] bool is_clear(const SweepMean& change);

[[nodiscard]] View view(const SweepReport& record);

}  // namespace leeway::tasks
