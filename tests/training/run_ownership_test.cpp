// States and models of another run in the folder of this one: a resume refuses them, a check names
// them.
#include "training/run_ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/frozen_network.h"
#include "nn/model_file.h"
#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run_check.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::one_generation_run;
using testing::run_to_end;
using testing::TemporaryFolder;

class RunOwnership : public ::testing::Test {
 protected:
  RunOwnership() : config_(one_generation_run()), root_(folder_ / "run") {
    run_to_end(config_, root_);
    config_.run.generations = 2;
  }

  std::vector<std::string> faults() const {
    return check_stored_run(root_, [](std::int64_t, std::int64_t) {}).faults;
  }
  std::string refusal() const {
    return message_of([&] { run_to_end(config_, root_, true); });
  }
  // Puts a changed copy of the newest state in front of it.
  template <class Change>
  std::filesystem::path add_state(Change change) const {
    RunState state = *load_newest_state(root_ / "state").state;
    change(state);
    return save_state(root_ / "state", state, 9);
  }

  RunConfig config_;
  TemporaryFolder folder_;
  std::filesystem::path root_;
};

TEST_F(RunOwnership, AWholeRunHasNoFault) {
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_EQ(load_newest_state(root_ / "state").state->identity, run_identity(config_));
}

TEST_F(RunOwnership, AStateOfAnotherRunIsRefused) {
  RunConfig other = one_generation_run();
  other.run.seed = 12;  // vectors of the same sizes
  run_to_end(other, folder_ / "other");
  const auto file = root_ / "state" / "state-00000099.bzs";
  std::filesystem::copy_file(state_files(folder_ / "other" / "state").front(), file);
  const auto before = state_files(root_ / "state");
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr(file.string() + " is a state of a run with " + run_identity(other) +
                              ", but this run has " + run_identity(config_)),
                    HasSubstr("move the file away")));
  EXPECT_EQ(state_files(root_ / "state"), before);
  EXPECT_THAT(faults(),
              Contains(AllOf(HasSubstr(file.string() + " is of another run"),
                             HasSubstr("run.seed = 12, but"), HasSubstr("run.seed = 1"))));
  std::filesystem::remove(file);
  EXPECT_EQ(run_to_end(config_, root_, true).generation, 2);
}

TEST_F(RunOwnership, AStateOfAnOlderProgramIsJudgedByItsNetwork) {
  const auto file = add_state([](RunState& state) {
    state.identity = "";
    state.network.squeeze_channels = 0;
  });
  EXPECT_THAT(refusal(), AllOf(HasSubstr(file.string() + " is a state of a run with network"),
                               HasSubstr("network.squeeze_channels = 0"),
                               HasSubstr("network.squeeze_channels = 4")));
  EXPECT_THAT(faults(), Contains(HasSubstr(file.string() + " is of another run")));
  std::filesystem::remove(file);
  add_state([](RunState& state) { state.identity = ""; });
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_EQ(run_to_end(config_, root_, true).generation, 2);
  EXPECT_EQ(load_newest_state(root_ / "state").state->identity, run_identity(config_));
}

TEST_F(RunOwnership, AModelThatIsNotTheGenerationsIsRefused) {
  const auto file = root_ / RunFolder::model_name(1);
  const auto put = [&](const NetworkSettings& network, const Rules& rules, int generation) {
    const NetworkPtr random = make_random_network(network, 1);
    save_network(*with_generation(*random, generation), file, {rules, {}});
  };
  const auto refused = [&](const std::string& found, const std::string& own) {
    EXPECT_THAT(refusal(), AllOf(HasSubstr(file.string()), HasSubstr(found), HasSubstr(own),
                                 HasSubstr("restore the model of this run")));
    EXPECT_THAT(faults(), Contains(AllOf(HasSubstr(file.string()), HasSubstr(found))));
  };
  put(config_.network, config_.rules, 7);
  refused("holds generation 7", "generation 1");
  NetworkSettings wide = config_.network;
  wide.channels = 12;
  put(wide, config_.rules, 1);
  refused("network.channels = 12", "network.channels = 8");
  Rules rules = config_.rules;
  rules.max_plies = 41;
  put(config_.network, rules, 1);
  refused("rules.max_plies = 41", "rules.max_plies = 40");
  put(config_.network, config_.rules, 1);
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_EQ(run_to_end(config_, root_, true).generation, 2);
}

TEST_F(RunOwnership, AStateThatKnowsMoreThanTheDatabaseIsNamed) {
  const std::int64_t games = load_newest_state(root_ / "state").state->last_game;
  const auto file = add_state([](RunState& state) {
    ++state.last_game;
    state.generation = 5;
  });
  EXPECT_THAT(faults(),
              ::testing::UnorderedElementsAre(
                  file.string() + " knows of game " + std::to_string(games + 1) +
                      ", but the database ends with " + std::to_string(games) + ": some are lost",
                  file.string() + " knows of generation 5, but the database ends with 1: some are "
                                  "lost"));
}

}  // namespace
}  // namespace baghzero
