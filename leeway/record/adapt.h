// The record of leeway adapt: a model whose statistics became those of other images. docs/schema/adapt.md lists the keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/record/envelope.h"

namespace leeway::record {

inline constexpr std::string_view adapt_schema = "leeway.adapt/3";

struct AdaptOptions {
  std::string method = "batchnorm";
};

struct AdaptedLayer {
  std::string name;
  std::size_t channels = 0;
  double mean_shift = 0, variance_ratio = 1;
};

struct AdaptedModel {
  std::string model, data, out;  // files, as they were given; empty: none
  std::size_t n = 0;
  double mean_shift = 0, variance_ratio = 1;
  std::vector<AdaptedLayer> layers;
};

using Adapt = RecordOf<adapt_schema, AdaptOptions, AdaptedModel>;

void fields(AdaptOptions& options, Fields& f);
void fields(AdaptedModel& model, Fields& f);

// How many layers have new statistics, and how far these are from the old ones; which layer moved most.
[[nodiscard]] std::string headline_of(const Adapt& record);
[[nodiscard]] std::vector<std::string> findings_of(const Adapt& record);

}  // namespace leeway::record
