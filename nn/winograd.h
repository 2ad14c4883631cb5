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
#include <cstddef>

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

// Products at the seven spots (scaled by filter_at_spots) -> coefficients 1..5.
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

// The transposes of the two maps above, for gradients.
[[gnu::always_inline]] inline void interpolate_transposed(const std::array<Vec, 5>& g,
                                                          std::array<Vec, kSpots>& out) {
  const Vec half_sum = g[3] - g[1] * 5.0F;
  const Vec half_difference = g[0] * 8.0F - g[2] * 10.0F + g[4] * 2.0F;
  const Vec one_sum = g[3] - g[1] * 4.25F;
  const Vec one_difference = g[0] - g[2] * 4.25F + g[4];
  const Vec two_sum = g[3] - g[1] * 1.25F;
  const Vec two_difference = g[0] * 0.125F - g[2] * 0.625F + g[4] * 0.5F;
  out = {half_sum + half_difference, half_sum - half_difference, one_sum + one_difference,
         one_sum - one_difference,   two_sum + two_difference,   two_sum - two_difference,
         (g[1] - g[3]) * 5.25F};
}
[[gnu::always_inline]] inline void evaluate_at_spots_transposed(const std::array<Vec, kSpots>& g,
                                                                std::array<Vec, 5>& out) {
  const Vec half_even = g[0] + g[1];
  const Vec half_odd = g[0] - g[1];
  const Vec one_even = g[2] + g[3];
  const Vec one_odd = g[2] - g[3];
  const Vec two_even = g[4] + g[5];
  const Vec two_odd = g[4] - g[5];
  out[0] = half_even + one_even + two_even;
  out[1] = half_odd * 0.5F + one_odd + two_odd * 2.0F;
  out[2] = half_even * 0.25F + one_even + two_even * 4.0F;
  out[3] = half_odd * 0.125F + one_odd + two_odd * 8.0F;
  out[4] = half_even * 0.0625F + one_even + two_even * 16.0F + g[6];
}

// Three weights, last first (a convolution), at the seven spots, each times half the factor that
// the interpolation's Lagrange polynomials share; and the transpose.
[[gnu::always_inline]] inline void filter_at_spots(const std::array<Vec, 3>& w,
                                                   std::array<Vec, kSpots>& out) {
  const Vec half_even = (w[2] + w[0] * 0.25F) * (8.0F / 45);
  const Vec half_odd = w[1] * (4.0F / 45);
  const Vec one_even = (w[2] + w[0]) * (-2.0F / 9);
  const Vec one_odd = w[1] * (-2.0F / 9);
  const Vec two_even = (w[2] + w[0] * 4.0F) * (2.0F / 45);
  const Vec two_odd = w[1] * (4.0F / 45);
  out = {half_even + half_odd,
         half_even - half_odd,
         one_even + one_odd,
         one_even - one_odd,
         two_even + two_odd,
         two_even - two_odd,
         w[0]};
}
[[gnu::always_inline]] inline void filter_at_spots_transposed(const std::array<Vec, kSpots>& g,
                                                              std::array<Vec, 3>& out) {
  const Vec half_even = (g[0] + g[1]) * (8.0F / 45);
  const Vec half_odd = (g[0] - g[1]) * (4.0F / 45);
  const Vec one_even = (g[2] + g[3]) * (-2.0F / 9);
  const Vec one_odd = (g[2] - g[3]) * (-2.0F / 9);
  const Vec two_even = (g[4] + g[5]) * (2.0F / 45);
  const Vec two_odd = (g[4] - g[5]) * (4.0F / 45);
  out[0] = half_even * 0.25F + one_even + two_even * 4.0F + g[6];
  out[1] = half_odd + one_odd + two_odd;
  out[2] = half_even + one_even + two_even;
}

// Applies `map`, which takes kIn vectors to kOut, along the columns and then along the rows of a
// square: get(i) gives the kIn * kIn inputs row by row, put(i, vector) takes the kOut * kOut
// outputs.
template <std::size_t kIn, std::size_t kOut, class Map, class Get, class Put>
[[gnu::always_inline]] inline void transform_square(Map map, Get get, Put put) {
  std::array<std::array<Vec, kIn>, kOut> halfway;  // [row of the output][column of the input]
  for (std::size_t column = 0; column < kIn; ++column) {
    std::array<Vec, kIn> in;
    for (std::size_t row = 0; row < kIn; ++row) in[row] = get(static_cast<int>(row * kIn + column));
    std::array<Vec, kOut> out;
    map(in, out);
    for (std::size_t row = 0; row < kOut; ++row) halfway[row][column] = out[row];
  }
  for (std::size_t row = 0; row < kOut; ++row) {
    std::array<Vec, kOut> out;
    map(halfway[row], out);
    for (std::size_t column = 0; column < kOut; ++column)
      put(static_cast<int>(row * kOut + column), out[column]);
  }
}

// One vector of channels of one row: 25 points, `stride` floats apart -> 49 frequencies,
// `frequency_stride` floats apart.
[[gnu::always_inline]] inline void transform_input(const float* points, int stride, float* out,
                                                   int frequency_stride) {
  transform_square<5, kSpots>([](const auto& in, auto& mapped) { evaluate_at_spots(in, mapped); },
                              [&](int point) { return load(points + point * stride); },
                              [&](int f, Vec v) { store(out + f * frequency_stride, v); });
}

// The way back: calls put(point, vector) for each of the 25 points.
template <class Put>
[[gnu::always_inline]] inline void transform_output(const float* frequencies, int frequency_stride,
                                                    Put put) {
  transform_square<kSpots, 5>([](const auto& in, auto& mapped) { interpolate(in, mapped); },
                              [&](int f) { return load(frequencies + f * frequency_stride); }, put);
}

// One vector of filters: nine weights row by row as a correlation, `stride` floats apart -> 49
// factors, `frequency_stride` floats apart.
[[gnu::always_inline]] inline void transform_filter(const float* weights, int stride, float* out,
                                                    int frequency_stride) {
  transform_square<3, kSpots>([](const auto& in, auto& mapped) { filter_at_spots(in, mapped); },
                              [&](int tap) { return load(weights + tap * stride); },
                              [&](int f, Vec v) { store(out + f * frequency_stride, v); });
}

// Gradients: of the frequencies after the products from those of the outputs, of the inputs and of
// the filters from those of the frequencies before the products.
[[gnu::always_inline]] inline void transform_output_gradient(const float* points, int stride,
                                                             float* out, int frequency_stride) {
  transform_square<5, kSpots>(
      [](const auto& in, auto& mapped) { interpolate_transposed(in, mapped); },
      [&](int point) { return load(points + point * stride); },
      [&](int f, Vec v) { store(out + f * frequency_stride, v); });
}
[[gnu::always_inline]] inline void transform_input_gradient(const float* frequencies,
                                                            int frequency_stride, float* out,
                                                            int stride) {
  transform_square<kSpots, 5>(
      [](const auto& in, auto& mapped) { evaluate_at_spots_transposed(in, mapped); },
      [&](int f) { return load(frequencies + f * frequency_stride); },
      [&](int point, Vec v) { store(out + point * stride, v); });
}
[[gnu::always_inline]] inline void transform_filter_gradient(const float* frequencies,
                                                             int frequency_stride, float* out,
                                                             int stride) {
  transform_square<kSpots, 3>(
      [](const auto& in, auto& mapped) { filter_at_spots_transposed(in, mapped); },
      [&](int f) { return load(frequencies + f * frequency_stride); },
      [&](int tap, Vec v) { store(out + tap * stride, v); });
}

}  // namespace baghzero
