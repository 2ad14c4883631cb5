#include "nn/winograd_convolution.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "nn/network.h"

namespace baghzero {
namespace {

struct Shape {
  int rows, inputs, outputs;
  bool input_gradient;
};

class WinogradConvolution : public testing::TestWithParam<Shape> {};

// y, and the gradients of sum(y * g) for x, weight and bias.
struct Results {
  at::Tensor y, x, weight, bias;
};

template <class Convolve>
Results differentiate(const Shape& shape, Convolve convolve) {
  at::manual_seed(1);
  at::Tensor x = at::randn({shape.rows, 5, 5, shape.inputs}).permute({0, 3, 1, 2});
  x = x.detach().set_requires_grad(shape.input_gradient);
  const at::Tensor weight =
      at::randn({shape.outputs, shape.inputs, 3, 3}).div_(10).set_requires_grad(true);
  const at::Tensor bias = at::randn({shape.outputs}).set_requires_grad(true);
  const at::Tensor g = at::randn({shape.rows, shape.outputs, 5, 5});
  const at::Tensor y = convolve(x, weight, bias);
  (y * g).sum().backward();
  return {y.detach(), x.grad(), weight.grad(), bias.grad()};
}

void expect_close(const at::Tensor& a, const at::Tensor& b, const char* what) {
  ASSERT_EQ(a.sizes(), b.sizes()) << what;
  const auto worst = (a - b).abs().max().item<float>() / b.std().item<float>();
  EXPECT_LT(worst, 2e-4F) << what;
}

TEST_P(WinogradConvolution, IsLibTorchsConvolution) {
  const Results own = differentiate(GetParam(), convolve_3x3);
  const Results reference =
      differentiate(GetParam(), [](const auto& x, const auto& weight, const auto& bias) {
        return at::conv2d(x, weight, bias, 1, 1);
      });
  expect_close(own.y, reference.y, "output");
  expect_close(own.weight, reference.weight, "gradient of the weights");
  expect_close(own.bias, reference.bias, "gradient of the bias");
  if (GetParam().input_gradient) expect_close(own.x, reference.x, "gradient of the input");
}

INSTANTIATE_TEST_SUITE_P(Shapes, WinogradConvolution,
                         testing::Values(Shape{1, 32, 32, true}, Shape{70, 32, 64, true},
                                         Shape{33, 64, 32, true}, Shape{5, 24, 32, false},
                                         Shape{4, 9, 32, false}, Shape{4, 24, 33, true}));

TEST(WinogradConvolution, DoesNotDependOnThreads) {
  const Shape shape{100, 32, 32, true};
  const auto run = [&](int threads) {
    const IntraOpThreads guard(threads);
    return differentiate(shape, convolve_3x3);
  };
  const Results one = run(1);
  const Results three = run(3);
  EXPECT_TRUE(at::equal(one.y, three.y));
  EXPECT_TRUE(at::equal(one.x, three.x));
  EXPECT_TRUE(at::equal(one.weight, three.weight));
}

}  // namespace
}  // namespace baghzero
