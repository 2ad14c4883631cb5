#include "selfplay/game_file.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/random.h"
#include "selfplay/match_file.h"
#include "selfplay/openings.h"

namespace baghzero {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Game random_game(std::uint64_t seed, const Game& start = Game()) {
  Random random(seed);
  Game game = start;
  while (!game.over()) {
    const auto choice = random.below(static_cast<std::uint32_t>(game.legal().size()));
    game.play(game.legal()[static_cast<int>(choice)]);
  }
  return game;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(GameFile, ReadsBackWhatItWrites) {
  Rules rules;
  rules.repetition = Repetition::Threefold;
  rules.captures_to_win = 3;
  std::string text;
  std::vector<FiledGame> written;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Game start = seed % 3 == 0   ? Game(rules)
                       : seed % 3 == 1 ? game_from_fen("BG2B/1G3/5/2G2/B3B B 3")
                                       : Game();
    written.push_back({.tags = {{"Round", std::to_string(seed)}, {"Goats", "someone, \"else\""}},
                       .game = random_game(seed, start)});
    text += format_filed_game(written.back());
  }
  const std::vector<FiledGame> read = parse_game_file(text, "games.txt");
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].tag("Round"), std::to_string(i + 1));
    EXPECT_EQ(read[i].tag("Goats"), "someone, 'else'");
    EXPECT_EQ(read[i].tag("Nothing"), "");
    EXPECT_EQ(format_game(read[i].game), format_game(written[i].game));
    EXPECT_EQ(read[i].game.rules(), written[i].game.rules());
    EXPECT_EQ(read[i].game.termination(), written[i].game.termination());
  }
}

TEST(GameFile, SplitsWhatOthersWrite) {
  const auto games = split_games(
      "[Event \"a\"]\n[Site \"b\"]\n\n1. G33 B1122\n2. G44 *\n\n\n1. G12 *\n[Event \"c\"]\n1. G13 "
      "*");
  ASSERT_EQ(games.size(), 3U);
  EXPECT_THAT(std::string(games[0].text), StartsWith("[Event \"a\"]"));
  EXPECT_THAT(std::string(games[0].text), HasSubstr("2. G44 *"));
  EXPECT_EQ(games[1].text, "1. G12 *\n");
  EXPECT_EQ(games[1].line, 8);
  EXPECT_TRUE(games[1].closed);
  EXPECT_EQ(games[2].line, 9);
  EXPECT_FALSE(games[2].closed);
  EXPECT_TRUE(split_games("").empty());
  EXPECT_TRUE(split_games("\n \n").empty());
}

TEST(GameFile, TakesBlanksBeforeTheNameOfATag) {
  const auto games = parse_game_file("[ \t Event  \"a\"]\n1. G33 *\n", "x.txt");
  ASSERT_EQ(games.size(), 1U);
  EXPECT_EQ(games[0].tag("Event"), "a");
  // What is written of it can be read again.
  EXPECT_EQ(parse_game_file(format_filed_game(games[0]), "x.txt")[0].tags, games[0].tags);
  EXPECT_THAT(error_of([] { parse_game_file("[ \"nameless\"]\n1. G33 *\n", "x.txt"); }),
              StartsWith("x.txt:1: "));
}

TEST(GameFile, ErrorsNameFileAndLine) {
  EXPECT_THAT(error_of([] { parse_game_file("1. G33 *\n\n1. G11 *\n", "x.txt"); }),
              StartsWith("x.txt:3: game text: in move 1, G11 is illegal"));
  EXPECT_THAT(error_of([] { parse_game_file("[Rules \"gots=3\"]\n1. G33 *\n", "x.txt"); }),
              AllOf(StartsWith("x.txt:1: "), HasSubstr("unknown rule \"gots\"")));
  EXPECT_THAT(error_of([] { parse_game_file("[Rules \"goats=99\"]\n1. G33 *\n", "x.txt"); }),
              StartsWith("x.txt:1: "));
  EXPECT_THROW(read_text_file("no/such/file"), std::runtime_error);
}

struct Played {
  std::vector<Game> openings = make_openings({}, 4, 7);
  std::vector<MatchGame> games;
  std::string text;
  Played() {
    for (int i = 0; i < 8; ++i) {
      const auto& opening = openings[static_cast<std::size_t>(i / 2)];
      games.push_back({i / 2, i % 2 != 0, random_game(static_cast<std::uint64_t>(i), opening)});
      text += format_filed_game(file_match_game(games.back(), "A", "B"));
    }
  }
};

TEST(MatchFile, GoesOnAfterTheLastCompletePair) {
  const Played played;
  // Cut anywhere, what is read is the beginning of what was written.
  for (std::size_t length = 0; length <= played.text.size(); length += 37) {
    const std::string_view cut = std::string_view(played.text).substr(0, length);
    const StoredMatch stored = read_match(cut, "m.txt", "A", "B", played.openings);
    ASSERT_EQ(stored.games.size() % 2, 0U);
    ASSERT_LE(stored.length, length);
    std::string again;
    for (const MatchGame& game : stored.games)
      again += format_filed_game(file_match_game(game, "A", "B"));
    ASSERT_EQ(again, played.text.substr(0, stored.length));
    const std::size_t next_pair = stored.games.size() + 2;
    if (next_pair > played.games.size()) continue;
    for (std::size_t i = stored.games.size(); i < next_pair; ++i)
      again += format_filed_game(file_match_game(played.games[i], "A", "B"));
    ASSERT_GT(again.size(), length) << "a complete pair was not taken";
  }
  const StoredMatch all = read_match(played.text, "m.txt", "A", "B", played.openings);
  EXPECT_EQ(all.games.size(), 8U);
  EXPECT_EQ(all.length, played.text.size());
  EXPECT_TRUE(all.games[5].first_is_tiger);
  EXPECT_EQ(all.games[5].pair, 2);
}

TEST(MatchFile, KnowsForfeitsAndPlayersWhateverTheirNames) {
  const std::vector<Game> openings = make_openings({}, 1, 7);
  const std::string first = "ugi:sh -c \"exec engine\"";
  MatchGame as_goat{0, false, openings[0], "the player '" + first + "' forfeits"};
  as_goat.game.forfeit(Side::Goat);
  const MatchGame as_tiger{0, true, random_game(1, openings[0])};
  const std::string text = format_filed_game(file_match_game(as_goat, first, "B")) +
                           format_filed_game(file_match_game(as_tiger, first, "B"));
  EXPECT_THAT(text, HasSubstr("[Termination \"forfeit\"]\n"));
  const StoredMatch stored = read_match(text, "m.txt", first, "B", openings);
  ASSERT_EQ(stored.games.size(), 2U);
  EXPECT_EQ(stored.games[0].game.termination(), Termination::Forfeit);
  EXPECT_EQ(stored.games[0].game.outcome(), Outcome::TigersWin);
  EXPECT_EQ(stored.games[1].game.termination(), as_tiger.game.termination());
}

TEST(MatchFile, RefusesGamesOfAnotherMatch) {
  const Played played;
  const auto error = [&](const char* first, const std::vector<Game>& openings) {
    return error_of([&] { read_match(played.text, "m.txt", first, "B", openings); });
  };
  EXPECT_THAT(error("C", played.openings), AllOf(StartsWith("m.txt:1: "), HasSubstr("\"A\"")));
  EXPECT_THAT(error("A", make_openings({}, 4, 8)), HasSubstr("the seed or the openings differ"));
  EXPECT_THAT(error("A", make_openings({}, 2, 7)), HasSubstr("ask for more pairs"));
  Rules rules;
  rules.max_plies = 77;
  EXPECT_THAT(error("A", make_openings(rules, 4, 7)), HasSubstr("other rules"));
}

TEST(OpeningFile, TakesMovesPositionsAndGames) {
  const auto openings = parse_openings(
      "# a comment\nG33 B1122\n\n  1. G12 B1122 2. G13\nB3B/5/2G2/5/B3B B 1\n", "o.txt", {});
  ASSERT_EQ(openings.size(), 3U);
  EXPECT_EQ(openings[0].plies(), 2);
  EXPECT_EQ(openings[1].plies(), 3);
  EXPECT_EQ(openings[2].plies(), 0);
  EXPECT_EQ(openings[2].side_to_move(), Side::Tiger);

  std::string games;
  for (const Game& game : make_openings({}, 5, 3))
    games += format_filed_game({.tags = {{"Round", "1"}}, .game = game});
  EXPECT_EQ(parse_openings(games, "o.txt", {}).size(), 5U);
}

TEST(OpeningFile, RefusesWhatIsNoSetOfOpenings) {
  const auto error = [](const char* text) {
    return error_of([&] { parse_openings(text, "o.txt", {}); });
  };
  EXPECT_THAT(error("G33\nG33 B1112\nG33 B5554\n"),
              AllOf(StartsWith("o.txt:3: "), HasSubstr("line 2")));
  EXPECT_THAT(error("G33\nB33\n"), StartsWith("o.txt:2: "));
  EXPECT_THAT(error("B3B/5/5/5/B3B G 5"), StartsWith("o.txt:1: "));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("no opening"));
}

}  // namespace
}  // namespace baghzero
