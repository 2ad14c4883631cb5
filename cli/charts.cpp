#include "cli/charts.h"

#include <algorithm>
#include <cmath>

#include "cli/html.h"

namespace baghzero {
namespace {

constexpr double kLeft = 52;
constexpr double kRight = 16;
constexpr double kBottom = 26;
constexpr double kLegendRow = 18;
constexpr double kAxisLabel = 16;  // room for the label of an axis
constexpr double kLetter = 6.7;    // width of a letter of a label, about

// 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::string mark_text(double value, double step, AxisText kind) {
  if (std::abs(value) < step * 1e-6) value = 0;
  if (kind == AxisText::Percent) return formatted("%.4g %%", 100 * value);
  const double size = std::abs(value);
  if (size >= 1e6) return formatted("%.4gM", value / 1e6);
  if (size >= 1e4) return formatted("%.4gk", value / 1e3);
  return formatted("%.4g", value);
}

struct Bounds {
  double low = INFINITY;
  double high = -INFINITY;

  void add(double value, double error = 0) {
    low = std::min(low, value - error);
    high = std::max(high, value + error);
  }
};

double legend_width(const ChartSeries& series) {
  return 26 + kLetter * static_cast<double>(series.label.size());
}

// Labels that do not fit into one row go on in the next.
std::string legend(const std::vector<ChartSeries>& series, double left, double right, int& rows) {
  std::string text;
  double x = left;
  rows = 1;
  for (const ChartSeries& one : series) {
    if (x > left && x + legend_width(one) > right) {
      x = left;
      ++rows;
    }
    const double y = 10 + kLegendRow * (rows - 1);
    text +=
        "<circle class=\"" + one.style + formatted("\" cx=\"%.0f\" cy=\"%.0f\" r=\"4\"/>", x, y) +
        formatted("<text x=\"%.0f\" y=\"%.0f\">", x + 9, y + 4) + escaped(one.label) + "</text>\n";
    x += legend_width(one);
  }
  return text;
}

std::string axis_labels(const Scale& x, const Scale& y, const LineChart& chart) {
  std::string svg;
  if (!chart.x_label.empty())
    svg += formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (x.begin + x.end) / 2,
                     chart.height - 4) +
           escaped(chart.x_label) + "</text>\n";
  if (!chart.y_label.empty())
    svg += formatted("<text transform=\"translate(11 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                     (y.begin + y.end) / 2) +
           escaped(chart.y_label) + "</text>\n";
  return svg;
}

std::string grid(const Scale& x, const Scale& y, const LineChart& chart) {
  std::string svg = axis_labels(x, y, chart);
  for (double value = y.low; value <= y.high + y.step / 2; value += y.step) {
    svg += formatted("<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                     x.begin, x.end, y.at(value), y.at(value));
    svg += formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x.begin - 6,
                     y.at(value) + 4) +
           mark_text(value, y.step, chart.y_text) + "</text>\n";
  }
  for (double value = std::ceil(x.low / x.step - 1e-9) * x.step; value <= x.high + x.step * 1e-6;
       value += x.step)
    svg += formatted("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x.at(value),
                     y.begin + kBottom - 6) +
           mark_text(value, x.step, AxisText::Number) + "</text>\n";
  return svg;
}

std::string curve(const ChartSeries& series, const Scale& x, const Scale& y, bool dots) {
  std::string path;
  std::string marks;
  // A line of one point cannot be seen.
  const bool show_dots = dots || series.points.size() == 1;
  for (const ChartPoint& point : series.points) {
    path += formatted("%s%.1f %.1f", path.empty() ? "M" : " L", x.at(point.x), y.at(point.y));
    if (!show_dots) continue;
    if (point.error > 0)
      marks += "<line class=\"" + series.style +
               formatted("\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x.at(point.x),
                         x.at(point.x), y.at(point.y - point.error), y.at(point.y + point.error));
    marks += "<circle class=\"" + series.style +
             formatted("\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x.at(point.x), y.at(point.y));
  }
  return "<path class=\"" + series.style + " line\" style=\"fill:none\" d=\"" + path + "\"/>\n" +
         marks;
}

}  // namespace

Scale make_scale(double low, double high, double begin, double end, int marks, double least_step) {
  Scale scale{.low = low, .high = high, .begin = begin, .end = end, .step = 1};
  // A flat line lies in the middle of something.
  const double spread = std::max({high - low, std::abs(high) * 1e-3, 1e-9});
  scale.step = std::max(least_step, round_step(spread / marks));
  scale.low = scale.step * std::floor(low / scale.step + 1e-9);
  scale.high =
      scale.step * std::max(std::ceil(high / scale.step - 1e-9), scale.low / scale.step + 1);
  return scale;
}

std::string chart_legend(const std::vector<ChartSeries>& series, double x) {
  int rows = 1;
  return legend(series, x, INFINITY, rows);
}

std::string line_chart(const LineChart& chart) {
  Bounds xs;
  Bounds ys;
  for (const ChartSeries& series : chart.series)
    for (const ChartPoint& point : series.points) {
      xs.add(point.x);
      ys.add(point.y, point.error);
    }
  if (xs.low > xs.high) return "";
  int rows = 1;
  const double left = kLeft + (chart.y_label.empty() ? 0 : kAxisLabel);
  const double bottom = kBottom + (chart.x_label.empty() ? 0 : kAxisLabel);
  const std::string labels = legend(chart.series, left, chart.width - kRight, rows);
  Scale y = make_scale(chart.low.value_or(ys.low), chart.high.value_or(ys.high),
                       chart.height - bottom, 14 + kLegendRow * rows, 5);
  Scale x = make_scale(xs.low, xs.high, left, chart.width - kRight, 6, chart.least_x_step);
  // The curves fill the width; only the marks are round.
  x.low = xs.low;
  x.high = std::max(xs.high, xs.low + x.step * 1e-3);
  std::string svg = formatted("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n", chart.width,
                              chart.height, chart.width) +
                    labels + grid(x, y, chart);
  for (const ChartSeries& series : chart.series) svg += curve(series, x, y, chart.dots);
  return svg + "</svg>\n";
}

}  // namespace baghzero
