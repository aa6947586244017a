// Runs the command on files that are bad, and makes such files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/npy.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"
#include "tests/core/zip_maker.h"

namespace leeway::testing {

// Address space of a run, where no sanitizer needs more: what a file claims must not be allocated.
#ifdef LEEWAY_SANITIZED
inline const std::string limits;
#else
inline const std::string limits = "ulimit -v 1000000; ";
#endif

inline const Array good_logits = make_array<float>({4, 3}, {2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0});

inline Outcome run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_command(folder.path(), arguments + " --threads 1", limits);
}

inline void expect_refused(const Outcome& outcome, const std::string& file, const std::string& words) {
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  ASSERT_FALSE(outcome.err.empty());
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;  // one line, and only one
  EXPECT_THAT(outcome.err, ::testing::HasSubstr(file));
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("expected "));
  EXPECT_THAT(outcome.err, ::testing::HasSubstr(words));
}

// Files from arrays.
template <class T>
std::string npy(std::vector<std::size_t> shape, std::vector<T> values) {
  return npy_bytes(make_array(std::move(shape), std::move(values)));
}

inline std::string npz(const ArrayMap& arrays) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, array] : arrays) entries.push_back(stored_entry(name + ".npy", npy_bytes(array)));
  return make_zip(entries);
}

inline std::string npz_with(const std::string& name, const Array& array) {
  return npz({{"logits", good_logits}, {name, array}});
}

inline Array i64(std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  return make_array({size}, std::move(values));
}

inline Array probs(std::vector<double> first_row) {
  const std::size_t k = first_row.size();
  std::vector<double> values = std::move(first_row);
  values.resize(4 * k, 1.0 / static_cast<double>(k));
  return make_array({4, k}, std::move(values));
}

inline std::string good_with(std::size_t index, float value) {
  std::vector<float> values = values_of<float>(good_logits);
  values[index] = value;
  return npy<float>({4, 3}, values);
}

inline std::string header(std::string_view descr, std::string_view shape) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': " + std::string(shape) +
         ", }\n";
}

inline const std::string good = npy_bytes(good_logits);  // 128 bytes of header, 48 of data
inline constexpr float inf = std::numeric_limits<float>::infinity();

inline const std::string idx_labels{"\0\0\x08\x01\0\0\0\x04\x00\x01\x02\x00", 12};

}  // namespace leeway::testing
