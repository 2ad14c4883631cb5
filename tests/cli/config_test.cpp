#include "cli/config.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config_table.h"
#include "tests/cli/program.h"

namespace baghzero {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(std::string_view toml) {
  try {
    parse_config(toml, "my.toml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string override_error(const std::string& text) {
  RunConfig config;
  const std::vector<std::string> overrides = {text};
  try {
    apply_overrides(config, overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

// Other values than the defaults for as many keys as possible, within all checks.
RunConfig scrambled(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RunConfig config;
  for (const ConfigKey& key : config_table()) {
    RunConfig trial = config;
    const auto [low, high] = key.range;
    ConfigValue value;
    switch (key.type()) {
      case ConfigType::Boolean:
        value = random() % 2 == 0;
        break;
      case ConfigType::Integer: {
        const auto span = static_cast<std::uint64_t>(high - low) + 1;
        value = static_cast<std::int64_t>(low) + static_cast<std::int64_t>(random() % span);
        break;
      }
      case ConfigType::Number:
        value = std::uniform_real_distribution<double>(low, high)(random);
        break;
      case ConfigType::Text:
        value = std::string("cuda:3");
        break;
      case ConfigType::Choice:
        value = std::string(key.choices()[random() % key.choices().size()]);
        break;
    }
    try {
      assign(key, trial, value);
      check_config(trial);
      config = trial;
    } catch (const std::exception&) {
      continue;  // contradicts a key before it
    }
  }
  return config;
}

TEST(Config, NothingGivenMeansDefaults) {
  EXPECT_TRUE(differing_keys(parse_config("", "my.toml"), RunConfig{}).empty());
  EXPECT_TRUE(differing_keys(parse_config("[rules]\n[run]\n", "my.toml"), RunConfig{}).empty());
}

TEST(Config, ListsOfAgentsAreChecked) {
  for (const char* good : {"", "greedy", " random ; alphabeta:4 ", "net:x.bzn,visits=20"})
    EXPECT_EQ(error_of(std::string("[evaluation]\nopponents = \"") + good + "\"\n"), "") << good;
  for (const char* empty : {";", ";;", "greedy;", ";greedy", "greedy; ;random"})
    EXPECT_THAT(error_of(std::string("[evaluation]\nopponents = \"") + empty + "\"\n"),
                HasSubstr("must be agents with a semicolon between two"))
        << empty;
  EXPECT_THAT(error_of("[evaluation]\nopponents = \"greedy;gready\"\n"),
              AllOf(HasSubstr("greedy;gready"), HasSubstr("agents with a semicolon between two")));
}

TEST(Config, TextsOfAnyCharactersAreWrittenSoThatTheyAreReadBack) {
  RunConfig config;
  config.evaluation.opponents = "net:a\n\x1b\x7f\t\"\\.bzn";
  EXPECT_EQ(parse_config(to_toml(config), "x").evaluation.opponents, config.evaluation.opponents);
  const std::vector<std::string> foreign = {"evaluation.opponents=net:\xe9.bzn"};
  EXPECT_THROW(apply_overrides(config, foreign), ConfigError);
}

TEST(Config, ReadsEveryType) {
  const RunConfig config = parse_config(
      "[training]\n"
      "schedule = \"overlap\"\nlearning_rate = 1e-3\nclip_norm = 2\nbatch = 1_024\n"
      "device = \"cuda:1\"\n"
      "[search]\ncpuct = 1.5\nroot_policy = \"gumbel\"\n"
      "[run]\nsample_budget = 5_000_000\n"
      "[rules]\nrepetition = \"threefold\"\n",
      "my.toml");
  EXPECT_EQ(config.training.schedule, Schedule::Overlap);
  EXPECT_EQ(config.training.learning_rate, 1e-3);
  EXPECT_EQ(config.training.clip_norm, 2.0);
  EXPECT_EQ(config.training.batch, 1024);
  EXPECT_EQ(config.training.device, "cuda:1");
  EXPECT_EQ(config.selfplay.search.cpuct, 1.5F);
  EXPECT_EQ(config.selfplay.search.root_policy, RootPolicy::Gumbel);
  EXPECT_EQ(config.run.sample_budget, 5'000'000);
  EXPECT_EQ(config.rules.repetition, Repetition::Threefold);
  EXPECT_TRUE(parse_config("run.reproducible = true\n", "my.toml").run.reproducible);
}

TEST(Config, ResolvedConfigurationRoundTripsExactly) {
  EXPECT_TRUE(differing_keys(parse_config(to_toml(RunConfig{}), "x"), RunConfig{}).empty());
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunConfig config = scrambled(seed);
    EXPECT_GT(differing_keys(config, RunConfig{}).size(), config_table().size() / 2);
    for (const bool documented : {false, true})
      EXPECT_THAT(differing_keys(parse_config(to_toml(config, documented), "x"), config),
                  testing::IsEmpty())
          << to_toml(config);
  }
}

TEST(Config, UnknownKeyNamesFileLineAndNearestKey) {
  EXPECT_EQ(error_of("[training]\n\nbach = 3\n"),
            "my.toml:3: unknown key \"training.bach\"; did you mean \"training.batch\"?");
  EXPECT_EQ(error_of("[gate]\nvisit = 3\n"),
            "my.toml:2: unknown key \"gate.visit\"; did you mean \"gate.visits\"?");
}

TEST(Config, KeyInTheWrongSectionIsFound) {
  EXPECT_EQ(error_of("[selfplay]\ncpuct = 3\n"),
            "my.toml:2: unknown key \"selfplay.cpuct\"; did you mean \"search.cpuct\"?");
  EXPECT_EQ(error_of("learning_rate = 3\n"),
            "my.toml:1: unknown key \"learning_rate\"; did you mean \"training.learning_rate\"?");
}

TEST(Config, UnknownSectionNamesTheNearestOrAll) {
  EXPECT_EQ(error_of("[rules]\n[trainning]\nbatch = 3\n"),
            "my.toml:2: unknown section [trainning]; did you mean [training]?");
  EXPECT_THAT(error_of("[zzzzzzzzzz]\n"),
              AllOf(StartsWith("my.toml:1: "), HasSubstr("[rules], [network]")));
}

TEST(Config, TheFirstFaultOfTheFileIsReported) {
  EXPECT_THAT(error_of("[run]\nzebra = 1\napple = 1\n[gate]\nalpha = 7\n"),
              StartsWith("my.toml:2: unknown key \"run.zebra\""));
}

TEST(Config, WrongTypeAndRangeNameLineAndWhatIsAllowed) {
  EXPECT_EQ(error_of("[training]\nbatch = \"many\"\n"),
            "my.toml:2: training.batch is \"many\", but must be an integer from 2 to 65536 (rows)");
  EXPECT_EQ(error_of("[rules]\n# none\ngoats = 22\n"),
            "my.toml:3: rules.goats is 22, but must be an integer from 1 to 21 (goats)");
  EXPECT_EQ(error_of("[rules]\nrepetition = \"twofold\"\n"),
            "my.toml:2: rules.repetition is \"twofold\", but must be one of \"forbidden\", "
            "\"threefold\", \"off\"");
  EXPECT_THAT(error_of("[rules]\ngoats = [1, 2]\n"),
              AllOf(StartsWith("my.toml:2: rules.goats"), HasSubstr("an integer")));
  EXPECT_THAT(error_of("[training]\nlearning_rate = inf\n"), StartsWith("my.toml:2: "));
  EXPECT_THAT(error_of("training = 3\n"), HasSubstr("is a section"));
}

TEST(Config, BrokenTomlNamesTheLine) {
  EXPECT_THAT(error_of("[rules]\ngoats 20\n"), StartsWith("my.toml:2: "));
  EXPECT_THAT(error_of("[rules]\ngoats = 20\ngoats = 19\n"), StartsWith("my.toml:3: "));
}

TEST(Config, ContradictionsNameTheLaterLineAndBothValues) {
  EXPECT_EQ(error_of("[gate]\nelo0 = 50\n\nelo1 = 20\n"),
            "my.toml:4: gate.elo1 must be larger than gate.elo0, but gate.elo1 = 20.0, "
            "gate.elo0 = 50.0");
  for (const char* toml :
       {"[rules]\ngoats = 3\ncaptures_to_win = 4\n",
        "[network]\nchannels = 8\nsqueeze_channels = 16\n", "[selfplay]\ncheap_visits = 300\n",
        "[selfplay]\ntemperature_start = 0.1\n",
        "[search]\nmax_nodes = 2000\n[selfplay]\nfull_visits = 3000\n",
        "[training]\nwindow_max_rows = 1000\n",
        "[training]\nbatch = 2000\nwindow_min_rows = 1000\n",
        "[run]\nreproducible = true\n[training]\nschedule = \"overlap\"\n",
        "[run]\nreproducible = true\n[selfplay]\nworkers = 2\n"})
    EXPECT_THAT(error_of(toml), AllOf(StartsWith("my.toml:"), HasSubstr(", but "))) << toml;
}

TEST(Config, OverridesAreCheckedLikeTheFileAndNameThemselves) {
  RunConfig config;
  const std::vector<std::string> overrides = {
      "training.schedule=overlap", "training.device=\"cuda:0\"",
      "training.batch=1_000",      "search.cpuct=2",
      "run.reproducible=false",    "run.minutes=1.5"};
  apply_overrides(config, overrides);
  EXPECT_EQ(config.training.schedule, Schedule::Overlap);
  EXPECT_EQ(config.training.device, "cuda:0");
  EXPECT_EQ(config.training.batch, 1000);
  EXPECT_EQ(config.selfplay.search.cpuct, 2.0F);
  EXPECT_EQ(config.run.minutes, 1.5);

  EXPECT_EQ(override_error("training.bach=3"),
            "--set training.bach=3: unknown key \"training.bach\"; did you mean "
            "\"training.batch\"?");
  EXPECT_EQ(override_error("training.batch=many"),
            "--set training.batch=many: training.batch is \"many\", but must be an integer from 2 "
            "to 65536 (rows)");
  EXPECT_THAT(override_error("training.batch=1"), StartsWith("--set training.batch=1: "));
  EXPECT_THAT(override_error("training.batch="), StartsWith("--set training.batch=: "));
  EXPECT_THAT(override_error("training.batch=3\ngate.visits=4"), StartsWith("--set "));
  EXPECT_THAT(override_error("trainning.batch=3"), HasSubstr("did you mean \"training.batch\"?"));
  EXPECT_THAT(override_error("batch=3"), HasSubstr("section.key=value"));
  EXPECT_THAT(override_error("batch"), HasSubstr("section.key=value"));
  EXPECT_THAT(override_error("gate.elo1=-5"), StartsWith("after --set: gate.elo1"));
}

TEST(Config, LaterOverridesWin) {
  RunConfig config;
  const std::vector<std::string> overrides = {"run.seed=3", "run.seed=4"};
  apply_overrides(config, overrides);
  EXPECT_EQ(config.run.seed, 4U);
}

TEST(Config, AnEmptyFileLeavesAllDefaults) {
  const auto file = test::fresh_folder("empty") / "empty.toml";
  std::ofstream(file).close();
  EXPECT_EQ(to_toml(load_config(file)), to_toml(RunConfig{}));
}

TEST(Config, MissingFileIsNamed) {
  try {
    load_config("no/such.toml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot read the configuration file no/such.toml"));
  }
  EXPECT_THROW(load_config(std::filesystem::temp_directory_path()), ConfigError);
}

TEST(Config, ShippedPresetsAreValid) {
  int presets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BAGHZERO_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(load_config(entry.path())) << entry.path();
    ++presets;
  }
  EXPECT_GE(presets, 3);
}

}  // namespace
}  // namespace baghzero
