// The distribution of shot noise.
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "leeway/shift/corruption.h"

namespace leeway::shift {
namespace {

// Chi-squared against the Poisson probabilities, classes of at least 20; levels, and values between levels.
TEST(ShotNoise, IsPoisson) {
  struct Row {
    ConstantSet set;
    int severity;
    double photons;
  };
  constexpr double n = 250000;
  for (const auto& [set, severity, photons] : {Row{ConstantSet::cifar, 1, 500},
                                               {ConstantSet::cifar, 3, 100},
                                               {ConstantSet::tiny, 5, 15},
                                               {ConstantSet::imagenet, 5, 3}})
    for (const float v : {1.f / 255, 77.4f / 255, .6249f, 1.f}) {
      const double mean = photons * v;
      std::vector<float> values(250000, v);
      Random random(7, stream("shot-noise"), 0);
      corruption("shot-noise").change({values, 1, 500, 500}, {severity, {set, 1}}, random);
      std::map<long, double> counts;
      for (const float x : values) {
        ASSERT_NEAR(x * photons, std::round(x * photons), 1e-3);
        counts[std::lround(x * photons)] += 1;
      }
      double statistic = 0, expected = 0, found = 0, left = n, not_found = n, classes = 0;
      for (long k = 0; left > 40 && k < 2000; ++k) {
        expected += n * std::exp(static_cast<double>(k) * std::log(mean) - mean -
                                 std::lgamma(static_cast<double>(k) + 1));
        found += counts.contains(k) ? counts[k] : 0;
        if (expected < 20) continue;
        statistic += (found - expected) * (found - expected) / expected;
        left -= expected, not_found -= found, classes += 1;
        expected = found = 0;
      }
      if (left > 0) statistic += (not_found - left) * (not_found - left) / left;
      ASSERT_GT(classes, 0);
      EXPECT_GT(boost::math::cdf(boost::math::complement(boost::math::chi_squared(classes), statistic)), 1e-5)
          << "photons " << photons << " value " << v;
    }
}

}  // namespace
}  // namespace leeway::shift
