#include "nn/gemm.h"

#include <array>
#include <utility>

namespace baghzero {
namespace {

// Rows of c whose sums are kept in registers at a time.
constexpr int kBlockRows = kLanes == 16 ? 12 : 6;

template <int Rows>
void multiply_block(const float* a, int a_stride, const float* panel, float* c, int c_stride,
                    int depth) {
  Vec left[Rows] = {};
  Vec right[Rows] = {};
  for (int k = 0; k < depth; ++k) {
    const Vec b_left = load(panel + k * kPanel);
    const Vec b_right = load(panel + k * kPanel + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      const Vec factor = broadcast(a[row * a_stride + k]);
      left[row] += factor * b_left;
      right[row] += factor * b_right;
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    store(c + row * c_stride, left[row]);
    store(c + row * c_stride + kLanes, right[row]);
  }
}

using Block = void (*)(const float*, int, const float*, float*, int, int);
template <int... I>
constexpr std::array<Block, sizeof...(I)> make_blocks(std::integer_sequence<int, I...>) {
  return {multiply_block<I + 1>...};
}
constexpr auto kBlocks = make_blocks(std::make_integer_sequence<int, kBlockRows>{});

}  // namespace

void pack_panels(std::span<const float> matrix, int depth, int columns, std::span<float> packed) {
  std::size_t next = 0;
  for (int first = 0; first < columns; first += kPanel)
    for (int k = 0; k < depth; ++k)
      for (int column = first; column < first + kPanel; ++column)
        packed[next++] = column < columns ? matrix[k * columns + column] : 0;
}

void multiply(const float* a, int a_stride, const float* packed_b, float* c, int c_stride, int rows,
              int depth, int columns) {
  const int blocks = (rows + kBlockRows - 1) / kBlockRows;
  for (int column = 0; column < columns; column += kPanel) {
    const float* panel = packed_b + column * depth;
    for (int block = 0, row = 0; block < blocks; ++block) {
      const int height = (rows - row + blocks - block - 1) / (blocks - block);
      kBlocks[height - 1](a + row * a_stride, a_stride, panel, c + row * c_stride + column,
                          c_stride, depth);
      row += height;
    }
  }
}

}  // namespace baghzero
