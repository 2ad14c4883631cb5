// Charts as inline SVG, in the classes of html.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baghzero {

// A linear scale from values to picture coordinates, with round marks at multiples of `step`.
struct Scale {
  double low = 0;
  double high = 1;
  double begin = 0;
  double end = 1;
  double step = 1;

  double at(double value) const { return begin + (value - low) / (high - low) * (end - begin); }
};
// Holds low..high, widened to marks; at most about `marks` of them, `least_step` apart or more.
Scale make_scale(double low, double high, double begin, double end, int marks,
                 double least_step = 0);

struct ChartPoint {
  double x = 0;
  double y = 0;
  double error = 0;  // half an interval
};
struct ChartSeries {
  std::string style;  // a class
  std::string label;
  std::vector<ChartPoint> points;  // ascending in x
};

// Circles and labels in a row from `x` on.
std::string chart_legend(const std::vector<ChartSeries>& series, double x);

enum class AxisText : std::uint8_t { Number, Percent };
struct LineChart {
  std::vector<ChartSeries> series;
  double width = 440;
  double height = 240;
  std::string x_label = {};  // what the axes count; empty: said elsewhere
  std::string y_label = {};
  AxisText y_text = AxisText::Number;
  std::optional<double> low = {};  // of the y axis, instead of what the points need
  std::optional<double> high = {};
  double least_x_step = 0;  // 1 where x counts
  bool dots = false;        // at every point, with its error bar
};
// Nothing if no series has a point.
std::string line_chart(const LineChart& chart);

}  // namespace baghzero
