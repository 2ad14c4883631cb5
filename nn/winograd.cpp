#include "nn/winograd.h"

namespace baghzero {
namespace {

// Three weights, last first (a convolution), at the seven spots, each times half the factor that
// the interpolation's Lagrange polynomials share.
std::array<double, kSpots> filter_at_spots(double w0, double w1, double w2) {
  constexpr std::array<double, kSpots> kScale = {8.0 / 45, 8.0 / 45, -2.0 / 9, -2.0 / 9,
                                                 2.0 / 45, 2.0 / 45, 1};
  constexpr std::array<double, kSpots - 1> kAt = {0.5, -0.5, 1, -1, 2, -2};
  std::array<double, kSpots> out{};
  for (int i = 0; i < kSpots - 1; ++i)
    out[i] = kScale[i] * (w2 + w1 * kAt[i] + w0 * kAt[i] * kAt[i]);
  out[kSpots - 1] = kScale[kSpots - 1] * w0;
  return out;
}

}  // namespace

std::array<float, kFrequencies> transform_filter(std::span<const float, 9> filter) {
  std::array<std::array<double, kSpots>, 3> rows{};
  for (int row = 0; row < 3; ++row)
    rows[row] = filter_at_spots(filter[row * 3], filter[row * 3 + 1], filter[row * 3 + 2]);
  std::array<float, kFrequencies> out{};
  for (int column = 0; column < kSpots; ++column) {
    const auto spots = filter_at_spots(rows[0][column], rows[1][column], rows[2][column]);
    for (int row = 0; row < kSpots; ++row)
      out[row * kSpots + column] = static_cast<float>(spots[row]);
  }
  return out;
}

}  // namespace baghzero
