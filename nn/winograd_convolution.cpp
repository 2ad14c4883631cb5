#include "nn/winograd_convolution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "nn/gemm.h"
#include "nn/winograd.h"

namespace baghzero {
namespace {

constexpr int kPoints = 25;
constexpr int kTileRows = 32;
constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

// Frequencies of `rows` rows: [49][rows][channels], each frequency a cache line more than it needs
// (nn/cpu_network.h says why).
struct Spectrum {
  Spectrum(int row_count, int channel_count)
      : rows(row_count),
        channels(channel_count),
        stride(rows * channels + 16),
        memory(at::empty({kFrequencies, stride}, at::kFloat)) {}
  float* at_row(int row) const { return memory.data_ptr<float>() + row * channels; }
  float* frequency(int f) const { return memory.data_ptr<float>() + f * stride; }

  int rows;
  int channels;
  int stride;
  at::Tensor memory;
};

// Filters [rows, 3, 3, columns] -> 49 matrices [rows, columns].
at::Tensor transform_filters(const at::Tensor& filters) {
  const int rows = static_cast<int>(filters.size(0));
  const int columns = static_cast<int>(filters.size(3));
  at::Tensor matrices = at::empty({kFrequencies, rows, columns}, at::kFloat);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; column += kLanes)
      transform_filter(filters.data_ptr<float>() + row * 9 * columns + column, columns,
                       matrices.data_ptr<float>() + row * columns + column, rows * columns);
  return matrices;
}

// Calls work(first row, rows) for tiles of the batch, on several threads.
template <class Work>
void for_each_tile(int rows, Work work) {
  const int tiles = (rows + kTileRows - 1) / kTileRows;
  at::parallel_for(0, tiles, 1, [&](std::int64_t begin, std::int64_t end) {
    for (int tile = static_cast<int>(begin); tile < static_cast<int>(end); ++tile)
      work(tile * kTileRows, std::min(kTileRows, rows - tile * kTileRows));
  });
}

class Convolution : public torch::autograd::Function<Convolution> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x_any,
                            const at::Tensor& weight, const at::Tensor& bias) {
    const at::Tensor x = x_any.contiguous(kChannelsLast);
    const int rows = static_cast<int>(x.size(0));
    const int inputs = static_cast<int>(x.size(1));
    const int outputs = static_cast<int>(weight.size(0));
    const at::Tensor filters = transform_filters(weight.permute({1, 2, 3, 0}).contiguous());
    at::Tensor y = at::empty({rows, outputs, 5, 5}, x.options().memory_format(kChannelsLast));
    for_each_tile(rows, [&](int first, int count) {
      const Spectrum before(count, inputs);
      const Spectrum after(count, outputs);
      for (int row = 0; row < count; ++row)
        for (int c = 0; c < inputs; c += kLanes)
          transform_input(x.data_ptr<float>() + (first + row) * kPoints * inputs + c, inputs,
                          before.at_row(row) + c, before.stride);
      for (int f = 0; f < kFrequencies; ++f)
        multiply_plain(before.frequency(f), inputs,
                       filters.data_ptr<float>() + f * inputs * outputs, outputs,
                       after.frequency(f), outputs, count, inputs, outputs);
      for (int row = 0; row < count; ++row)
        for (int c = 0; c < outputs; c += kLanes) {
          const Vec shift = load(bias.data_ptr<float>() + c);
          float* const out = y.data_ptr<float>() + (first + row) * kPoints * outputs + c;
          transform_output(after.at_row(row) + c, after.stride,
                           [&](int point, Vec v) { store(out + point * outputs, v + shift); });
        }
    });
    context->save_for_backward({x, weight});
    context->saved_data["x_needs_gradient"] = x_any.requires_grad();
    return y;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const bool x_needs_gradient = context->saved_data["x_needs_gradient"].toBool();
    const at::Tensor gradient = gradients[0].contiguous(kChannelsLast);
    const int rows = static_cast<int>(x.size(0));
    const int inputs = static_cast<int>(x.size(1));
    const int outputs = static_cast<int>(weight.size(0));
    const Spectrum before(rows, inputs);
    const Spectrum after(rows, outputs);
    at::Tensor x_gradient;
    at::Tensor filters;  // [49][outputs, inputs]
    if (x_needs_gradient) {
      x_gradient = at::empty_like(x, x.options().memory_format(kChannelsLast));
      filters = transform_filters(weight.permute({0, 2, 3, 1}).contiguous());
    }
    for_each_tile(rows, [&](int first, int count) {
      for (int row = first; row < first + count; ++row) {
        for (int c = 0; c < inputs; c += kLanes)
          transform_input(x.data_ptr<float>() + row * kPoints * inputs + c, inputs,
                          before.at_row(row) + c, before.stride);
        for (int c = 0; c < outputs; c += kLanes)
          transform_output_gradient(gradient.data_ptr<float>() + row * kPoints * outputs + c,
                                    outputs, after.at_row(row) + c, after.stride);
      }
      if (!x_needs_gradient) return;
      const Spectrum back(count, inputs);
      for (int f = 0; f < kFrequencies; ++f)
        multiply_plain(after.frequency(f) + first * outputs, outputs,
                       filters.data_ptr<float>() + f * inputs * outputs, inputs, back.frequency(f),
                       inputs, count, outputs, inputs);
      for (int row = 0; row < count; ++row)
        for (int c = 0; c < inputs; c += kLanes)
          transform_input_gradient(
              back.at_row(row) + c, back.stride,
              x_gradient.data_ptr<float>() + (first + row) * kPoints * inputs + c, inputs);
    });
    return {x_gradient, weight_gradient(before, after), gradient.sum({0, 2, 3})};
  }

 private:
  static at::Tensor weight_gradient(const Spectrum& before, const Spectrum& after) {
    const int inputs = before.channels;
    const int outputs = after.channels;
    const at::Tensor products = at::empty({kFrequencies, inputs, outputs}, at::kFloat);
    at::parallel_for(0, kFrequencies, 1, [&](std::int64_t begin, std::int64_t end) {
      for (int f = static_cast<int>(begin); f < static_cast<int>(end); ++f)
        multiply_transposed(before.frequency(f), inputs, after.frequency(f), outputs,
                            products.data_ptr<float>() + f * inputs * outputs, outputs, inputs,
                            before.rows, outputs);
    });
    const at::Tensor filters = at::empty({inputs, 3, 3, outputs}, at::kFloat);
    for (int input = 0; input < inputs; ++input)
      for (int c = 0; c < outputs; c += kLanes)
        transform_filter_gradient(products.data_ptr<float>() + input * outputs + c,
                                  inputs * outputs,
                                  filters.data_ptr<float>() + input * 9 * outputs + c, outputs);
    return filters.permute({3, 0, 1, 2}).contiguous(kChannelsLast);
  }
};

}  // namespace

torch::Tensor convolve_3x3(const torch::Tensor& x, const torch::Tensor& weight,
                           const torch::Tensor& bias) {
  // A gradient for x needs products with `inputs` columns.
  const int input_unit = x.requires_grad() ? kPanel : kLanes;
  if (x.is_cpu() && x.scalar_type() == at::kFloat && x.size(1) % input_unit == 0 &&
      weight.size(0) % kPanel == 0)
    return Convolution::apply(x, weight, bias);
  return at::conv2d(x, weight, bias, 1, 1);
}

}  // namespace baghzero
