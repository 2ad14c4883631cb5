#include "training/batch.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace baghzero {
namespace {

constexpr std::array<std::size_t, kBatchSections> kWidths = {
    kInputSize, kActionCount, kActionCount, 3, 1, kPointCount, 1, 1, 1, 1};

class RowWriter {
 public:
  RowWriter(std::span<float> out, std::size_t rows, std::size_t row)
      : out_(out), rows_(rows), row_(row) {}
  std::span<float> section(BatchSection section) const {
    const std::size_t width = section_width(section);
    return out_.subspan(section_offset(section, rows_) + row_ * width, width);
  }

 private:
  std::span<float> out_;
  std::size_t rows_;
  std::size_t row_;
};

void fill_policy(const Query& query, const TrainingRow& row, int symmetry, const RowWriter& out) {
  const std::span<float> bias = out.section(BatchSection::LegalBias);
  const std::span<float> policy = out.section(BatchSection::Policy);
  std::ranges::fill(bias, kIllegalLogit);
  std::ranges::fill(policy, 0.0F);
  for (int i = 0; i < query.legal.size(); ++i) {
    const Action image = apply_symmetry_to_action(symmetry, query.legal[i]);
    bias[image] = 0;
    policy[image] = static_cast<float>(row.policy[i]) / kShareUnit;
  }
}

void fill_occupancy(const TrainingRow& row, int symmetry, std::span<float> out) {
  for (int p = 0; p < kPointCount; ++p) {
    const auto point = static_cast<Point>(p);
    const bool goat = (row.final_goats & bit(point)) != 0;
    const bool tiger = (row.final_tigers & bit(point)) != 0;
    out[apply_symmetry(symmetry, point)] = tiger ? 2.0F : goat ? 1.0F : 0.0F;
  }
}

void fill_row(const TrainingRow& row, int symmetry, const RowWriter& out) {
  const Query query = unpack_query(row.query);
  encode(apply_symmetry(symmetry, query),
         out.section(BatchSection::Planes).first<static_cast<std::size_t>(kInputSize)>());
  fill_policy(query, row, symmetry, out);
  fill_occupancy(row, symmetry, out.section(BatchSection::Occupancy));
  const Wdl value = row.value();
  const std::span<float> wdl = out.section(BatchSection::Value);
  wdl[0] = value.win;
  wdl[1] = value.draw;
  wdl[2] = value.loss;
  out.section(BatchSection::Captures)[0] =
      static_cast<float>(std::min<int>(row.final_captured, kCapturesClasses - 1));
  out.section(BatchSection::PliesLeft)[0] = std::log1p(static_cast<float>(row.plies_left));
  const bool has_reply = row.reply != kNoAction;
  out.section(BatchSection::Reply)[0] =
      has_reply ? static_cast<float>(apply_symmetry_to_action(symmetry, row.reply)) : 0.0F;
  out.section(BatchSection::HasReply)[0] = has_reply ? 1.0F : 0.0F;
  out.section(BatchSection::FullSearch)[0] = row.full_search ? 1.0F : 0.0F;
}

}  // namespace

std::size_t section_width(BatchSection section) {
  return kWidths[static_cast<std::size_t>(section)];
}

std::size_t section_offset(BatchSection section, std::size_t rows) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(section); ++i) offset += kWidths[i] * rows;
  return offset;
}

std::size_t batch_floats(std::size_t rows) {
  std::size_t width = 0;
  for (const std::size_t section : kWidths) width += section;
  return width * rows;
}

void fill_batch(const ReplayWindow& window, std::span<const RowChoice> choices,
                std::span<float> out) {
  assert(out.size() == batch_floats(choices.size()));
  for (std::size_t i = 0; i < choices.size(); ++i)
    fill_row(window.row(choices[i].slot), choices[i].symmetry, RowWriter(out, choices.size(), i));
}

}  // namespace baghzero
