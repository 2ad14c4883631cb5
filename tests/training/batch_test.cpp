#include "training/batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "training/batch_feed.h"
#include "training/benchmark.h"

namespace baghzero {
namespace {

ReplayWindow random_window(int games) {
  TrainingSettings settings;
  settings.window_min_rows = 100;
  ReplayWindow window(settings);
  std::vector<TrainingRow> rows;
  for (int seed = 0; seed < games; ++seed)
    append_rows(make_random_game({}, static_cast<std::uint64_t>(seed)), 0.3, rows);
  window.add(rows);
  return window;
}

class OneRow {
 public:
  OneRow(const ReplayWindow& window, std::uint32_t slot, int symmetry) : floats_(batch_floats(1)) {
    const RowChoice choice{slot, static_cast<std::uint8_t>(symmetry)};
    fill_batch(window, {&choice, 1}, floats_);
  }
  std::span<const float> operator[](BatchSection section) const {
    return std::span(floats_).subspan(section_offset(section, 1), section_width(section));
  }

 private:
  std::vector<float> floats_;
};

// Filling under a symmetry is the same as filling and then moving every number to its image.
TEST(Batch, AugmentationCommutesWithEveryTarget) {
  const ReplayWindow window = random_window(8);
  for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(window.size()); slot += 7) {
    const OneRow plain(window, slot, 0);
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      const OneRow image(window, slot, symmetry);
      for (int p = 0; p < kPointCount; ++p) {
        const int q = apply_symmetry(symmetry, static_cast<Point>(p));
        ASSERT_EQ(image[BatchSection::Occupancy][q], plain[BatchSection::Occupancy][p]);
        for (int plane = 0; plane < kInputPlanes; ++plane)
          ASSERT_EQ(image[BatchSection::Planes][q * kInputPlanes + plane],
                    plain[BatchSection::Planes][p * kInputPlanes + plane])
              << "plane " << plane << " symmetry " << symmetry;
      }
      for (int a = 0; a < kActionCount; ++a) {
        const int b = apply_symmetry_to_action(symmetry, static_cast<Action>(a));
        ASSERT_EQ(image[BatchSection::LegalBias][b], plain[BatchSection::LegalBias][a]);
        ASSERT_EQ(image[BatchSection::Policy][b], plain[BatchSection::Policy][a]);
      }
      ASSERT_EQ(image[BatchSection::HasReply][0], plain[BatchSection::HasReply][0]);
      if (plain[BatchSection::HasReply][0] != 0) {
        ASSERT_EQ(
            static_cast<int>(image[BatchSection::Reply][0]),
            apply_symmetry_to_action(symmetry, static_cast<Action>(plain[BatchSection::Reply][0])));
      }
      for (const BatchSection same : {BatchSection::Value, BatchSection::Captures,
                                      BatchSection::PliesLeft, BatchSection::FullSearch})
        ASSERT_TRUE(std::ranges::equal(image[same], plain[same]));
    }
  }
}

TEST(Batch, TargetsAreThoseOfTheRow) {
  const ReplayWindow window = random_window(3);
  for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(window.size()); ++slot) {
    const TrainingRow& row = window.row(slot);
    const OneRow batch(window, slot, 0);
    const Query query = unpack_query(row.query);
    const auto policy = batch[BatchSection::Policy];
    const auto bias = batch[BatchSection::LegalBias];
    EXPECT_NEAR(std::accumulate(policy.begin(), policy.end(), 0.0), row.full_search ? 1 : 0, 1e-5);
    for (int a = 0; a < kActionCount; ++a)
      ASSERT_EQ(bias[a] == 0, query.legal.contains(static_cast<Action>(a)));
    EXPECT_EQ(batch[BatchSection::Value][0], row.value().win);
    EXPECT_EQ(batch[BatchSection::Value][2], row.value().loss);
    EXPECT_EQ(batch[BatchSection::Captures][0], std::min<int>(row.final_captured, 5));
    EXPECT_FLOAT_EQ(batch[BatchSection::PliesLeft][0],
                    std::log1p(static_cast<float>(row.plies_left)));
    const auto occupancy = batch[BatchSection::Occupancy];
    EXPECT_EQ(std::ranges::count(occupancy, 2.0F), kTigerCount);
    EXPECT_EQ(std::ranges::count(occupancy, 1.0F), std::popcount(row.final_goats));
  }
}

TEST(Batch, RowsLieWhereTheSectionsSay) {
  const ReplayWindow window = random_window(3);
  const std::vector<RowChoice> choices = {{5, 1}, {9, 4}, {2, 7}};
  std::vector<float> floats(batch_floats(3));
  fill_batch(window, choices, floats);
  for (std::size_t i = 0; i < 3; ++i) {
    const OneRow alone(window, choices[i].slot, choices[i].symmetry);
    for (int s = 0; s < kBatchSections; ++s) {
      const auto section = static_cast<BatchSection>(s);
      const std::size_t width = section_width(section);
      EXPECT_TRUE(std::ranges::equal(
          std::span(floats).subspan(section_offset(section, 3) + i * width, width),
          alone[section]));
    }
  }
}

TEST(BatchFeed, AThreadAheadPreparesTheSameBatches) {
  const ReplayWindow window = random_window(5);
  constexpr int kRows = 16;
  constexpr int kBatches = 9;
  std::vector<std::vector<float>> storage(4, std::vector<float>(batch_floats(kRows)));
  BatchFeed inline_feed(window, Random(4), kRows, {storage[0], storage[1]}, kBatches, false);
  BatchFeed ahead_feed(window, Random(4), kRows, {storage[2], storage[3]}, kBatches, true);
  for (int i = 0; i < kBatches; ++i) {
    const PreparedBatch& a = inline_feed.next();
    const PreparedBatch& b = ahead_feed.next();
    EXPECT_EQ(a.random_after, b.random_after);
    EXPECT_EQ(storage[a.buffer], storage[2 + b.buffer]);
  }
}

TEST(BatchFeed, MayEndBeforeItsLastBatch) {
  const ReplayWindow window = random_window(2);
  std::vector<std::vector<float>> storage(2, std::vector<float>(batch_floats(8)));
  for (int taken = 0; taken < 4; ++taken) {
    BatchFeed feed(window, Random(1), 8, {storage[0], storage[1]}, 50, true);
    for (int i = 0; i < taken; ++i) feed.next();
  }
}

}  // namespace
}  // namespace baghzero
