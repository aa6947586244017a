#include "leeway/conds/conds.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "leeway/conds/protocol_sets.h"
#include "tests/conds/attribute_tables.h"
#include "tests/message_of.h"

namespace leeway::conds::conds_test {

struct Made {
  explicit Made(AttributeTable of) : table(std::move(of)), cells(table), available(cells.counts(table)) {}
  [[nodiscard]] ConDSPlan plan(const ConDSCase& shifts, const ConDSOptions& options = {}) const {
    return plan_conds(table, cells, available, shifts, options);
  }
  [[nodiscard]] ConDSSplit draw(const ConDSCase& shifts, const ConDSOptions& options = {}) const {
    return ConDSSampler(table, cells, options.seed).draw(plan(shifts, options));
  }
  AttributeTable table;
  Cells cells;
  std::vector<std::size_t> available;
};

ConDSOptions options_of(const ConDSDataSet& set) {
  ConDSOptions options;
  options.counts = set.counts;
  return options;
}

TEST(ConDS, ThirtyThreeCasesAndTheUniformOne) {
  std::map<std::string, std::size_t> counts;
  for (const ConDSCase& one : all_cases(3)) ++counts[kind_name(one.kind())];
  EXPECT_EQ(testing::PrintToString(counts),
            R"({ ("LDD", 3), ("LDD+UDS", 6), ("SC", 3), ("SC+LDD", 6), ("SC+LDD+UDS", 6), ("SC+UDS", 6), )"
            R"(("UDS", 3), ("UNIFORM", 1) })");
  EXPECT_EQ(all_cases(1).size(), 4u);
  EXPECT_EQ(all_cases(2).size(), 1u + 6 + 6);
}

// Training totals of the paper's Table 6, but UNIFORM's, where it prints the total of SC; then validation totals of
// dSprites and Shapes3D in the reference.
TEST(ConDS, TotalsOfThePaperAndTheReference) {
  const std::map<std::string, std::array<std::size_t, 7>> totals = {
      {"UNIFORM", {1053, 256, 625, 224, 96, 810, 256}},  {"SC", {1091, 65, 127, 227, 97, 270, 64}},
      {"LDD", {1080, 624, 1600, 224, 112, 360, 624}},    {"UDS", {1080, 192, 500, 224, 96, 270, 192}},
      {"SC+LDD", {1091, 158, 324, 227, 99, 300, 156}},   {"SC+UDS", {1091, 49, 101, 227, 101, 270, 48}},
      {"LDD+UDS", {1080, 468, 1280, 224, 98, 240, 468}}, {"SC+LDD+UDS", {1091, 119, 259, 227, 92, 240, 117}}};
  const std::array<std::size_t, 5> test = {810, 1280, 3125, 800, 80};
  ASSERT_EQ(conds_data_sets().size(), 5u);
  for (std::size_t s = 0; s < 5; ++s) {
    const ConDSDataSet& set = conds_data_sets()[s];
    const Made made(full_table(set, 1));
    for (const ConDSCase& one : all_cases(3)) {
      const std::string kind = kind_name(one.kind());
      const CellPlan total = made.plan(one, options_of(set)).total;
      EXPECT_EQ(total.train, totals.at(kind)[s]) << set.name << " " << kind;
      EXPECT_EQ(total.test, test[s]) << set.name << " " << kind;
      if (s < 2) {
        EXPECT_EQ(total.validation, totals.at(kind)[5 + s]) << set.name << " " << kind;
      }
    }
  }
}

TEST(ConDS, AnImpossiblePlanNamesTheCell) {
  Made made(full_table(conds_data_set("dsprites"), 49));
  const ConDSCase sc{0, {}, {}};
  EXPECT_EQ(made.plan(sc).lacking().size(), 27u);
  EXPECT_REFUSED(made.draw(sc), "table.csv: expected 60 rows ... found 49; 27 of 81 cells have too few rows");
  EXPECT_EQ(made.draw({}).train.size(), 1053u);
}

TEST(ConDS, ShiftsThatCannotBe) {
  const Made made(full_table(3, {3, 1}, 1));
  const auto said = [&](const ConDSCase& shifts, const ConDSOptions& options = {}) {
    return message_of([&] { static_cast<void>(made.plan(shifts, options)); });
  };
  EXPECT_EQ(said({0, 0, {}}), "table.csv: expected shifts on different attributes, found two shifts on one");
  EXPECT_EQ(said({{}, 1, {}}), "table.csv: expected at least two values of 'a1' for LDD, found one: '0'");
  EXPECT_EQ(said({{}, {}, 2}), "table.csv: expected an attribute below 2 for UDS, found 2");
  EXPECT_EQ(said({2, {}, {}}), "table.csv: expected an attribute below 2 for SC, found 2");
  EXPECT_EQ(said({{}, 2, {}}), "table.csv: expected an attribute below 2 for LDD, found 2");
  ConDSOptions options;
  options.ldd_ratio = .5;
  EXPECT_EQ(said({}, options), "plan_conds: ldd_ratio: expected a number of at least 1, found 0.5");
  options = {};
  options.counterexamples = std::nan("");
  EXPECT_EQ(said({}, options), "plan_conds: counterexamples: expected a share from 0 to 1, found nan");
  const Made other(full_table(2, {2}, 50));
  EXPECT_REFUSED(ConDSSampler(other.table, other.cells, 0).draw(made.plan({})),
                 "ConDSSampler::draw: plan: expected 4 cells, found 9");
}

TEST(ConDS, AllCasesOfASeedShareTheTestSet) {
  const Made made(full_table(3, {3, 3, 3}, 130));
  const ConDSSampler sampler(made.table, made.cells, 4);
  ConDSOptions options;
  options.seed = 4;
  const auto first = sampler.draw(made.plan({}, options));
  for (const ConDSCase& one : all_cases(3)) EXPECT_EQ(sampler.draw(made.plan(one, options)).test, first.test);
  EXPECT_NE(ConDSSampler(made.table, made.cells, 5).draw(made.plan({}, options)).test, first.test);
}

// A table, options and a case drawn with the seed.
class AnyTable : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  AnyTable() {
    for (std::size_t kind = 0; kind < 8; ++kind) {
      options.counts.train[kind] = drawn(1, 9);
      options.counts.validation[kind] = drawn(0, 4);
    }
    options.counts.test = drawn(1, 4);
    options.ldd_ratio = static_cast<double>(drawn(1, 5));
    options.counterexamples = static_cast<double>(drawn(0, 10)) / 100;
    options.seed = GetParam();
  }
  std::size_t drawn(std::size_t low, std::size_t end) { return low + random_.below(end - low); }

  Random random_{GetParam(), stream("any table")};
  const std::size_t labels = drawn(2, 5);
  const std::vector<std::size_t> values{drawn(2, 5), drawn(2, 5), drawn(2, 5)};
  const ConDSCase one = all_cases(3).at(drawn(0, all_cases(3).size()));
  ConDSOptions options;
};

INSTANTIATE_TEST_SUITE_P(Seeds, AnyTable, testing::Range<std::uint64_t>(0, 100));

TEST_P(AnyTable, SourceAndTargetAreWhatTheShiftsSay) {
  const Made made(full_table(labels, values, 20));
  const ConDSSplit split = made.draw(one, options);
  const auto& table = made.table;
  const auto cell_of = made.cells.of_rows(table);
  const auto code = [&](const std::optional<std::size_t>& attribute, std::size_t row) {
    return static_cast<std::size_t>(table.attributes[*attribute].codes[row]);
  };
  const auto last = [&](const std::optional<std::size_t>& attribute, std::size_t row) {
    return code(attribute, row) + 1 == values[*attribute];
  };
  // The target is uniform, and no row is in two sets or twice in one.
  std::map<std::uint32_t, std::size_t> tested;
  for (const std::size_t row : split.test) ++tested[cell_of[row]];
  EXPECT_EQ(tested.size(), made.cells.size());
  for (const auto& [cell, count] : tested) EXPECT_EQ(count, options.counts.test);
  std::set<std::size_t> rows;
  for (const auto* set : {&split.train, &split.validation, &split.test})
    rows.insert(set->begin(), set->end());
  EXPECT_EQ(rows.size(), split.train.size() + split.validation.size() + split.test.size());
  // SC: the share of other cells is what was asked for, in training alone.
  std::size_t off_diagonal = 0;
  std::vector<std::map<std::uint32_t, std::size_t>> cells(2);
  for (const auto* set : {&split.train, &split.validation})
    for (const std::size_t row : *set) {
      EXPECT_FALSE(one.uds && last(one.uds, row)) << "UDS: absent";
      const std::size_t pairs = one.sc ? std::min(labels, values[*one.sc]) : 1;
      if (one.sc && code(one.sc, row) % pairs != table.label.codes[row] % pairs) {
        EXPECT_EQ(set, &split.train);
        ++off_diagonal;
        continue;
      }
      EXPECT_FALSE(one.ldd && last(one.ldd, row) && table.label.codes[row] + 1u == labels);
      ++cells[set == &split.train ? 0 : 1][cell_of[row]];
    }
  const auto base = static_cast<double>(split.train.size() - off_diagonal);
  EXPECT_EQ(static_cast<double>(off_diagonal),
            (one.sc ? std::ceil(options.counterexamples * base - 1e-9) : 0));
  // LDD: the last value is rarer by the ratio.
  const std::size_t kind = one.kind();
  for (const auto& [cell, count] : cells[0]) {
    const auto codes = made.cells.codes(cell);
    const bool rare = one.ldd && codes[*one.ldd + 1] + 1 == values[*one.ldd];
    const auto common = static_cast<double>(options.counts.train[kind]);
    EXPECT_EQ(static_cast<double>(count),
              (rare ? std::max(1., std::round(common / options.ldd_ratio)) : common));
  }
}

TEST_P(AnyTable, OrderOfRowsDoesNotMatter) {
  const AttributeTable table = full_table(labels, values, 20);
  const auto order = random_order(table.n(), GetParam());
  const Made made(table), permuted(take(table, order));
  const ConDSSplit split = made.draw(one, options), other = permuted.draw(one, options);
  const ConDSSplit again = made.draw(one, options);
  EXPECT_TRUE(split.train == again.train && split.validation == again.validation && split.test == again.test);
  const auto original = [&](std::vector<std::size_t> rows) {
    for (std::size_t& row : rows) row = order[row];
    std::ranges::sort(rows);
    return rows;
  };
  EXPECT_EQ(original(other.train), split.train);
  EXPECT_EQ(original(other.validation), split.validation);
  EXPECT_EQ(original(other.test), split.test);
}

// Rows that nothing tells apart: the same number of each kind, and not simply the first ones.
TEST_P(AnyTable, EqualRowsAreDrawnInEqualNumbers) {
  AttributeTable table = full_table(2, {2}, 60);
  for (std::size_t row = 0; row < table.n(); ++row)
    table.identities[row] = row % 4 * 3 + row / 4 % 3;  // 20 each
  const auto order = random_order(table.n(), GetParam());
  const Made made(table), permuted(take(table, order));
  const ConDSOptions plain{.seed = GetParam()};
  const auto identities = [](const Made& of, const std::vector<std::size_t>& rows) {
    std::multiset<std::uint64_t> result;
    for (const std::size_t row : rows) result.insert(of.table.identities[row]);
    return result;
  };
  const auto a = made.draw({}, plain), b = permuted.draw({}, plain);
  EXPECT_EQ(identities(made, a.train), identities(permuted, b.train));
  EXPECT_EQ(identities(made, a.test), identities(permuted, b.test));
}

TEST(ConDS, RowsWithoutIdentityAreDrawnAtRandom) {
  AttributeTable table = full_table(2, {2}, 1000);
  table.identities.clear();
  const Made made(std::move(table));
  double sum = 0;
  const auto split = made.draw({});
  for (const std::size_t row : split.test) sum += static_cast<double>(row) / 4000;
  EXPECT_NEAR(sum / 40, .5, 4 * std::sqrt(1. / 12 / 40));  // means of 40 uniform numbers
  EXPECT_EQ(std::set<std::size_t>(split.test.begin(), split.test.end()).size(), 40u);
}

}  // namespace leeway::conds::conds_test
