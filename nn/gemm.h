// Small matrix products for the CPU: the size of network layers, single-threaded, without set-up.
// All matrices are row-major; strides are in floats. An output is always the sum over depth in
// ascending order, so it does not depend on the rows computed with it.
#pragma once

#include <span>

#include "nn/simd.h"

namespace baghzero {

// Output columns come in panels of this width.
inline constexpr int kPanel = 2 * kLanes;

// Rearranges a [depth, columns] matrix into panels: [columns / kPanel][depth][kPanel], with zeros
// for columns beyond. `packed` holds depth * round_up(columns, kPanel) floats.
void pack_panels(std::span<const float> matrix, int depth, int columns, std::span<float> packed);

// c = a b for a [rows, depth], packed b [depth, columns], c [rows, columns]; columns is a multiple
// of kPanel.
void multiply(const float* a, int a_stride, const float* packed_b, float* c, int c_stride, int rows,
              int depth, int columns);

// The same for b as it is.
void multiply_plain(const float* a, int a_stride, const float* b, int b_stride, float* c,
                    int c_stride, int rows, int depth, int columns);

// c = (transposed a) b for a [depth, rows], b [depth, columns].
void multiply_transposed(const float* a, int a_stride, const float* b, int b_stride, float* c,
                         int c_stride, int rows, int depth, int columns);

}  // namespace baghzero
