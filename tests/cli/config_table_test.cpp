#include "cli/config_table.h"

#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config.h"
#include "cli/config_listing.h"

namespace baghzero {
namespace {

using testing::HasSubstr;

// Converts to anything, so that an aggregate can be asked how many members it has.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class T, class... Args>
concept BraceConstructible = requires {
  T{std::declval<Args>()...};
};

template <class T, class... Args>
constexpr int member_count() {
  if constexpr (BraceConstructible<T, Args..., Anything>)
    return member_count<T, Args..., Anything>();
  else
    return static_cast<int>(sizeof...(Args));
}

int keys_in(std::string_view section) {
  int count = 0;
  for (const ConfigKey& key : config_table()) count += key.section == section ? 1 : 0;
  return count;
}

TEST(ConfigTable, EveryMemberOfEverySettingHasAKey) {
  EXPECT_EQ(keys_in("rules"), member_count<Rules>());
  EXPECT_EQ(keys_in("network"), member_count<NetworkSettings>());
  EXPECT_EQ(keys_in("inference"), member_count<InferenceSettings>());
  EXPECT_EQ(keys_in("search"),
            member_count<SearchSettings>() - 1);  // `solved` is what solver.db holds
  EXPECT_EQ(keys_in("selfplay"), member_count<SelfPlaySettings>() - 1);  // its search is a section
  EXPECT_EQ(keys_in("training"), member_count<TrainingSettings>());
  EXPECT_EQ(keys_in("gate"), member_count<GateSettings>());
  EXPECT_EQ(keys_in("evaluation"), member_count<EvaluationSettings>());
  EXPECT_EQ(keys_in("run"), member_count<RunSettings>());
  EXPECT_EQ(keys_in("solver"), member_count<SolverSettings>());
}

TEST(ConfigTable, KeysAreDistinctAndPointToDistinctMembers) {
  RunConfig config;
  std::set<std::string> names;
  std::set<const void*> members;
  for (const ConfigKey& key : config_table()) {
    EXPECT_TRUE(names.insert(key.full_name()).second) << key.full_name();
    const void* member =
        std::visit([](auto* field) -> const void* { return field; }, key.field(config));
    EXPECT_TRUE(members.insert(member).second) << key.full_name();
    EXPECT_EQ(find_config_key(key.full_name()), &key);
  }
}

TEST(ConfigTable, EveryKeyIsDocumentedInAKnownSection) {
  std::set<std::string_view> sections;
  for (const ConfigSection& section : config_sections()) sections.insert(section.name);
  for (const ConfigKey& key : config_table()) {
    EXPECT_TRUE(sections.contains(key.section)) << key.full_name();
    EXPECT_GE(key.help.size(), 10U) << key.full_name();
    EXPECT_EQ(key.help.back(), '.') << key.full_name();
    EXPECT_FALSE(describe_allowed(key).empty()) << key.full_name();
    if (key.type() == ConfigType::Text) {
      EXPECT_FALSE(key.pattern.empty()) << key.full_name();
      EXPECT_NE(key.accepts_text, nullptr) << key.full_name();
    }
  }
}

TEST(ConfigTable, DefaultsComeFromTheStructsAndAreAllowed) {
  const RunConfig defaults;
  for (const ConfigKey& key : config_table()) {
    RunConfig config;
    EXPECT_NO_THROW(assign(key, config, value_of(key, defaults))) << key.full_name();
    EXPECT_EQ(value_of(key, config), value_of(key, defaults)) << key.full_name();
  }
  EXPECT_EQ(std::get<std::int64_t>(value_of(*find_config_key("training.batch"), defaults)),
            TrainingSettings{}.batch);
  EXPECT_NO_THROW(check_config(defaults));
}

TEST(ConfigTable, RangesAreEnforcedAtBothEndsAndFitTheirMembers) {
  for (const ConfigKey& key : config_table()) {
    RunConfig config;
    const auto [low, high] = key.range;
    if (key.type() == ConfigType::Integer) {
      EXPECT_LT(low, high) << key.full_name();
      const auto lowest = static_cast<std::int64_t>(low);
      const auto highest = static_cast<std::int64_t>(high);
      for (const std::int64_t value : {lowest, highest}) {
        assign(key, config, value);
        EXPECT_EQ(std::get<std::int64_t>(value_of(key, config)), value) << key.full_name();
      }
      EXPECT_THROW(assign(key, config, lowest - 1), std::invalid_argument) << key.full_name();
      // A double cannot tell the integer beyond the largest seed from it.
      EXPECT_THROW(assign(key, config, highest + 2), std::invalid_argument) << key.full_name();
      EXPECT_THROW(assign(key, config, 2.5), std::invalid_argument) << key.full_name();
    }
    if (key.type() == ConfigType::Number) {
      EXPECT_LT(low, high) << key.full_name();
      assign(key, config, low);
      assign(key, config, high);
      EXPECT_THROW(assign(key, config, high * 1.01), std::invalid_argument) << key.full_name();
      EXPECT_THROW(assign(key, config, std::numeric_limits<double>::quiet_NaN()),
                   std::invalid_argument)
          << key.full_name();
    }
  }
}

TEST(ConfigTable, NoRangeAdmitsWhatAModuleRefuses) {
  for (const ConfigKey& key : config_table()) {
    if (key.type() != ConfigType::Integer && key.type() != ConfigType::Number) continue;
    for (const double bound : {key.range.low, key.range.high}) {
      RunConfig config;
      if (key.type() == ConfigType::Integer)
        assign(key, config, static_cast<std::int64_t>(bound));
      else
        assign(key, config, bound);
      try {
        check_config(config);
      } catch (const ConfigError& error) {
        // Only because of another key.
        int others = 0;
        for (const ConfigKey& other : config_table())
          others += &other != &key &&
                    std::string(error.what()).find(other.full_name()) != std::string::npos;
        EXPECT_GT(others, 0) << error.what();
      }
    }
  }
}

TEST(ConfigTable, WrongTypesAreRefused) {
  for (const ConfigKey& key : config_table()) {
    RunConfig config;
    if (key.type() == ConfigType::Boolean) {
      EXPECT_THROW(assign(key, config, std::int64_t{1}), std::invalid_argument);
      EXPECT_THROW(assign(key, config, std::string("true")), std::invalid_argument);
    } else {
      EXPECT_THROW(assign(key, config, true), std::invalid_argument) << key.full_name();
      const bool is_path = key.full_name() == "solver.db" || key.full_name() == "solver.suite";
      const ConfigValue wrong =
          is_path ? ConfigValue(std::int64_t{1}) : ConfigValue(std::string("no such value"));
      EXPECT_THROW(assign(key, config, wrong), std::invalid_argument) << key.full_name();
    }
  }
}

TEST(ConfigTable, ChoicesAreTheNamesUsedElsewhere) {
  const ConfigKey& key = *find_config_key("rules.repetition");
  RunConfig config;
  for (const std::string_view name : key.choices()) {
    assign(key, config, std::string(name));
    EXPECT_EQ(to_string(config.rules.repetition), name);
  }
  for (const ConfigKey& each : config_table()) {
    if (each.type() != ConfigType::Choice) continue;
    for (const std::string_view name : each.choices()) {
      assign(each, config, std::string(name));
      EXPECT_EQ(std::get<std::string>(value_of(each, config)), name);
    }
  }
}

TEST(ConfigTable, DevicesHaveAForm) {
  const ConfigKey& key = *find_config_key("inference.device");
  RunConfig config;
  for (const char* good : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"})
    EXPECT_NO_THROW(assign(key, config, std::string(good))) << good;
  for (const char* bad : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU"})
    EXPECT_THROW(assign(key, config, std::string(bad)), std::invalid_argument) << bad;
}

TEST(ConfigTable, MessagesNameKeyValueAndWhatIsAllowed) {
  RunConfig config;
  try {
    assign(*find_config_key("training.schedule"), config, std::string("both"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "training.schedule is \"both\", but must be one of \"alternate\", \"overlap\"");
  }
  try {
    assign(*find_config_key("gate.max_pairs"), config, std::int64_t{0});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "gate.max_pairs is 0, but must be an integer from 1 to 100000 (pairs)");
  }
}

TEST(ConfigListing, EveryFormNamesEveryKey) {
  RunConfig config;
  config.training.batch = 77;
  const std::string text = config_as_text(config);
  const std::string markdown = config_as_markdown();
  const std::string json = config_as_json(config);
  for (const ConfigKey& key : config_table()) {
    EXPECT_THAT(text, HasSubstr("  " + std::string(key.name) + " = "));
    EXPECT_THAT(markdown, HasSubstr("| `" + std::string(key.name) + "` |"));
    EXPECT_THAT(json, HasSubstr("\"" + key.full_name() + "\""));
  }
  EXPECT_THAT(text, HasSubstr("batch = 77   (default 256)"));
}

TEST(ConfigListing, DocumentationIsUpToDate) {
  std::ifstream file(BAGHZERO_SOURCE_DIR "/docs/configuration.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), config_as_markdown())
      << "write it anew: baghzero config --markdown > docs/configuration.md";
}

}  // namespace
}  // namespace baghzero
