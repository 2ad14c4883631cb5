#include "nn/gemm.h"

#include <array>
#include <utility>

namespace baghzero {
namespace {

// Rows of c whose sums are kept in registers at a time.
constexpr int kBlockRows = kLanes == 16 ? 12 : 6;

struct Operands {
  const float* a;
  int a_row;    // distance between rows of c in a
  int a_depth;  // distance between terms of the sum in a
  const float* b;
  int b_depth;
  float* c;
  int c_row;
  int depth;
};

template <int kRows>
void multiply_block(const Operands& in) {
  Vec left[kRows] = {};
  Vec right[kRows] = {};
  const float* a = in.a;
  const float* b = in.b;
  for (int k = 0; k < in.depth; ++k, a += in.a_depth, b += in.b_depth) {
    const Vec b_left = load(b);
    const Vec b_right = load(b + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const Vec factor = broadcast(a[row * in.a_row]);
      left[row] += factor * b_left;
      right[row] += factor * b_right;
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    store(in.c + row * in.c_row, left[row]);
    store(in.c + row * in.c_row + kLanes, right[row]);
  }
}

using Block = void (*)(const Operands&);
template <int... kIndex>
constexpr std::array<Block, sizeof...(kIndex)> make_blocks(std::integer_sequence<int, kIndex...>) {
  return {multiply_block<kIndex + 1>...};
}
constexpr auto kBlocks = make_blocks(std::make_integer_sequence<int, kBlockRows>{});

// One panel of c.
void multiply_panel(Operands at, int rows) {
  const int blocks = (rows + kBlockRows - 1) / kBlockRows;
  for (int left = blocks; left > 0; --left) {
    const int height = (rows + left - 1) / left;
    kBlocks[height - 1](at);
    at.a += height * at.a_row;
    at.c += height * at.c_row;
    rows -= height;
  }
}

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
  for (int column = 0; column < columns; column += kPanel)
    multiply_panel({a, a_stride, 1, packed_b + column * depth, kPanel, c + column, c_stride, depth},
                   rows);
}

void multiply_plain(const float* a, int a_stride, const float* b, int b_stride, float* c,
                    int c_stride, int rows, int depth, int columns) {
  for (int column = 0; column < columns; column += kPanel)
    multiply_panel({a, a_stride, 1, b + column, b_stride, c + column, c_stride, depth}, rows);
}

void multiply_transposed(const float* a, int a_stride, const float* b, int b_stride, float* c,
                         int c_stride, int rows, int depth, int columns) {
  for (int column = 0; column < columns; column += kPanel)
    multiply_panel({a, 1, a_stride, b + column, b_stride, c + column, c_stride, depth}, rows);
}

}  // namespace baghzero
