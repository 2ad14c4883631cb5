// 3x3 convolutions on the 5x5 board with 49 multiplications per pair of channels instead of the 169
// that a direct convolution needs.
//
// A row of 5 points convolved with 3 weights is a polynomial product of degree 6 of which the
// middle five coefficients are wanted. Toom and Cook: evaluate both factors at seven points,
// multiply, interpolate; once along rows and once along columns (Winograd 1980; Lavin and Gray
// 2016). At the points +-1/2, +-1, +-2 and infinity the error in fp32 is about 4e-6 of the size of
// the outputs. The interpolation's common factors are folded into the transformed weights, so that
// the transforms below need few multiplications.
//
// The multiplications are then 49 independent matrix products over the rows of a batch.
#pragma once

#include <array>
#include <span>

#include "engine/board.h"
#include "nn/simd.h"

namespace baghzero {

static_assert(BaghChalBoard::kRows == 5 && BaghChalBoard::kColumns == 5,
              "the transforms below are for five points");
inline constexpr int kSpots = 7;  // evaluation points: 1/2, -1/2, 1, -1, 2, -2, infinity
inline constexpr int kFrequencies = kSpots * kSpots;

// Five values -> their polynomial at the seven spots.
[[gnu::always_inline]] inline void evaluate_at_spots(const std::array<Vec, 5>& x,
                                                     std::array<Vec, kSpots>& out) {
  const Vec half_even = x[0] + x[2] * 0.25F + x[4] * 0.0625F;
  const Vec half_odd = x[1] * 0.5F + x[3] * 0.125F;
  const Vec one_even = x[0] + x[2] + x[4];
  const Vec one_odd = x[1] + x[3];
  const Vec two_even = x[0] + x[2] * 4.0F + x[4] * 16.0F;
  const Vec two_odd = x[1] * 2.0F + x[3] * 8.0F;
  out = {half_even + half_odd,
         half_even - half_odd,
         one_even + one_odd,
         one_even - one_odd,
         two_even + two_odd,
         two_even - two_odd,
         x[4]};
}

// Products at the seven spots (scaled by transform_filter) -> coefficients 1..5.
[[gnu::always_inline]] inline void interpolate(const std::array<Vec, kSpots>& y,
                                               std::array<Vec, 5>& out) {
  const Vec half_sum = y[0] + y[1];
  const Vec half_difference = y[0] - y[1];
  const Vec one_sum = y[2] + y[3];
  const Vec one_difference = y[2] - y[3];
  const Vec two_sum = y[4] + y[5];
  const Vec two_difference = y[4] - y[5];
  out[0] = half_difference * 8.0F + one_difference + two_difference * 0.125F;
  out[1] = y[6] * 5.25F - half_sum * 5.0F - one_sum * 4.25F - two_sum * 1.25F;
  out[2] = -(half_difference * 10.0F + one_difference * 4.25F + two_difference * 0.625F);
  out[3] = half_sum + one_sum + two_sum - y[6] * 5.25F;
  out[4] = half_difference * 2.0F + one_difference + two_difference * 0.5F;
}

// One 3x3 filter (row by row, as a correlation) -> its 49 factors.
std::array<float, kFrequencies> transform_filter(std::span<const float, 9> filter);

// One vector of channels of one row: 25 points, `stride` floats apart -> 49 frequencies,
// `frequency_stride` floats apart.
[[gnu::always_inline]] inline void transform_input(const float* points, int stride, float* out,
                                                   int frequency_stride) {
  std::array<std::array<Vec, 5>, kSpots> halfway;  // [row spot][column]
  for (int column = 0; column < 5; ++column) {
    std::array<Vec, 5> x;
    for (int row = 0; row < 5; ++row) x[row] = load(points + (row * 5 + column) * stride);
    std::array<Vec, kSpots> y;
    evaluate_at_spots(x, y);
    for (int spot = 0; spot < kSpots; ++spot) halfway[spot][column] = y[spot];
  }
  for (int spot = 0; spot < kSpots; ++spot) {
    std::array<Vec, kSpots> y;
    evaluate_at_spots(halfway[spot], y);
    for (int i = 0; i < kSpots; ++i) store(out + (spot * kSpots + i) * frequency_stride, y[i]);
  }
}

// The way back: calls put(point, vector) for each of the 25 points.
template <class Put>
[[gnu::always_inline]] inline void transform_output(const float* frequencies, int frequency_stride,
                                                    Put put) {
  std::array<std::array<Vec, kSpots>, 5> halfway;  // [row][column spot]
  for (int column = 0; column < kSpots; ++column) {
    std::array<Vec, kSpots> y;
    for (int row = 0; row < kSpots; ++row)
      y[row] = load(frequencies + (row * kSpots + column) * frequency_stride);
    std::array<Vec, 5> x;
    interpolate(y, x);
    for (int row = 0; row < 5; ++row) halfway[row][column] = x[row];
  }
  for (int row = 0; row < 5; ++row) {
    std::array<Vec, 5> x;
    interpolate(halfway[row], x);
    for (int column = 0; column < 5; ++column) put(row * 5 + column, x[column]);
  }
}

}  // namespace baghzero
