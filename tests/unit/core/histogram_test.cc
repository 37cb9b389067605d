// SPDX-License-Identifier: Apache-2.0
#include "core/histogram.h"

#include <gmock/gmock.h>

#include <cmath>

namespace ckpt {
namespace {

constexpr std::array<double, 3> kBounds{1, 2, 5};

TEST(Histogram, PutsAValueOnItsUpperBound) {
  Histogram<kBounds> histogram;
  for (const double value : {-1.0, 0.5, 1.0, 1.001, 2.0, 5.0, 5.1, 1e9}) histogram.Observe(value);
  const HistogramView view = histogram.View();
  EXPECT_THAT(view.counts, ::testing::ElementsAre(3, 2, 1, 2));
  EXPECT_EQ(view.count, 8U);
  EXPECT_DOUBLE_EQ(view.sum, -1.0 + 0.5 + 1.0 + 1.001 + 2.0 + 5.0 + 5.1 + 1e9);
}

TEST(Histogram, PassesOverNoNumber) {
  Histogram<kBounds> histogram;
  histogram.Observe(std::nan(""));
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.View().sum, 0);
}

}  // namespace
}  // namespace ckpt
