#include "training/rejected_step.h"

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/architecture.h"
#include "training/batch.h"
#include "training/benchmark.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kRows = 8;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A batch of which every part is finite until a test changes it.
class RejectedStep : public ::testing::Test {
 protected:
  RejectedStep() : floats_(batch_floats(kRows)) {
    ReplayWindow window(settings_);
    std::vector<TrainingRow> rows;
    append_rows(make_random_game({}, 1), 0.3, rows);
    window.add(rows);
    std::vector<RowChoice> choices(kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) choices[i].slot = i;
    fill_batch(window, choices, floats_);
    heads_ = {at::zeros({kRows, kActionCount}),
              at::zeros({kRows, 3}),
              at::zeros({kRows, kCapturesClasses}),
              at::zeros({kRows, kPointCount, kOccupancyClasses}),
              at::zeros({kRows}),
              at::zeros({kRows, kActionCount})};
  }

  // The last number of a row's part in a section.
  float& target(BatchSection section, std::size_t row) {
    return floats_[section_offset(section, kRows) + (row + 1) * section_width(section) - 1];
  }
  std::string describe() const {
    return describe_rejection(
        {floats_, heads_, kRows, [](std::size_t row) { return "row " + std::to_string(row); }},
        settings_);
  }

  TrainingSettings settings_;
  std::vector<float> floats_;
  HeadOutputs heads_;
};

TEST_F(RejectedStep, NamesTheRowsOfEveryInputAndTarget) {
  const std::array<std::pair<BatchSection, const char*>, kBatchSections> sections = {
      {{BatchSection::Planes, "input"},
       {BatchSection::LegalBias, "legal moves"},
       {BatchSection::Policy, "policy target"},
       {BatchSection::Value, "value target"},
       {BatchSection::Captures, "captures target"},
       {BatchSection::Occupancy, "occupancy target"},
       {BatchSection::PliesLeft, "plies-left target"},
       {BatchSection::Reply, "reply target"},
       {BatchSection::HasReply, "mark of a reply"},
       {BatchSection::FullSearch, "mark of a full search"}}};
  for (const auto& [section, name] : sections) {
    const float whole = std::exchange(target(section, 5), kNaN);
    EXPECT_THAT(describe(), AllOf(HasSubstr("the " + std::string(name) +
                                            " is not finite for 1 of 8 rows, such as \"row 5\";"),
                                  HasSubstr("baghzero check")));
    target(section, 5) = whole;
  }
}

TEST_F(RejectedStep, NamesTheRowsOfEveryAnswer) {
  for (const auto& [head, name] : {std::pair{&HeadOutputs::policy, "policy"},
                                   {&HeadOutputs::value, "value"},
                                   {&HeadOutputs::captures, "captures"},
                                   {&HeadOutputs::occupancy, "occupancy"},
                                   {&HeadOutputs::plies_left, "plies-left"},
                                   {&HeadOutputs::reply_policy, "reply-policy"}}) {
    const at::Tensor whole = heads_.*head;
    heads_.*head = whole.clone();
    for (const int row : {2, 6})
      (heads_.*head)[row].view({-1})[0] = std::numeric_limits<float>::infinity();
    EXPECT_THAT(
        describe(),
        AllOf(HasSubstr("the network's " + std::string(name) +
                        " answer is not finite for 2 of 8 rows, such as \"row 2\", \"row 6\";"),
              HasSubstr("lower training.learning_rate"),
              HasSubstr("move the newest file in state/ away")));
    heads_.*head = whole;
  }
}

// Logits so far apart that the logarithm of the lesser probability is infinite.
TEST_F(RejectedStep, NamesTheRowsWhoseLossAloneIsNotFinite) {
  heads_.value[3][0] = 3e38F;
  heads_.value[3][1] = -3e38F;
  heads_.value[3][2] = -3e38F;
  EXPECT_THAT(describe(),
              AllOf(HasSubstr("the loss is not finite for 1 of 8 rows, such as \"row 3\""),
                    HasSubstr("lower training.learning_rate")));
}

TEST_F(RejectedStep, SaysWhenNoRowIsAtFault) {
  EXPECT_THAT(describe(), AllOf(HasSubstr("the gradient or the sum of the losses is not finite"),
                                HasSubstr("lower training.learning_rate")));
}

}  // namespace
}  // namespace baghzero
