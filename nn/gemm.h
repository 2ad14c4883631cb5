// Small matrix products for the CPU: the size of network layers, single-threaded, without set-up.
#pragma once

#include <span>

#include "nn/simd.h"

namespace baghzero {

// Output columns come in panels of this width.
inline constexpr int kPanel = 2 * kLanes;

// Rearranges a row-major [depth, columns] matrix into panels: [columns / kPanel][depth][kPanel],
// with zeros for columns beyond. `packed` holds depth * round_up(columns, kPanel) floats.
void pack_panels(std::span<const float> matrix, int depth, int columns, std::span<float> packed);

// c = a b for a [rows, depth], packed b [depth, columns], c [rows, columns]; columns is a multiple
// of kPanel; strides in floats. An output does not depend on the other rows: it is always the sum
// over depth in ascending order.
void multiply(const float* a, int a_stride, const float* packed_b, float* c, int c_stride, int rows,
              int depth, int columns);

}  // namespace baghzero
