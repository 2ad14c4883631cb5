#include "web/board_api.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/notation.h"
#include "play/analysis_text.h"
#include "web/board_json.h"

namespace baghzero {
namespace {

using Answer = nlohmann::ordered_json;
using Request = nlohmann::json;

constexpr int kNotUnderstood = 400;
constexpr int kOutOfPlace = 409;
constexpr int kImpossible = 422;

constexpr std::uint64_t kProbeSearch = 100'000;  // positions; about a tenth of a second

// A member of the request, or nothing if it is not there.
template <class T>
std::optional<T> member(const Request& request, const char* name, T low, T high) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  const bool fits = std::is_integral_v<T> ? found->is_number_integer() : found->is_number();
  const double value = fits ? found->template get<double>() : 0;
  if (!fits || !(value >= static_cast<double>(low) && value <= static_cast<double>(high)))
    throw RequestFault(kNotUnderstood, std::string(name) + " must be a number from " +
                                           Request(low).dump() + " to " + Request(high).dump());
  return found->template get<T>();
}

std::optional<std::string> text_member(const Request& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  if (!found->is_string())
    throw RequestFault(kNotUnderstood, std::string(name) + " must be a text");
  return found->get<std::string>();
}

std::string needed_text(const Request& request, const char* name) {
  if (auto text = text_member(request, name)) return *std::move(text);
  throw RequestFault(kNotUnderstood, std::string("the request needs \"") + name + "\"");
}

void expect_version(const Request& request, const Session& session) {
  const auto version =
      member<std::uint64_t>(request, "version", 0, std::numeric_limits<std::uint32_t>::max());
  if (!version) throw RequestFault(kNotUnderstood, "the request needs \"version\"");
  if (*version != session.version)
    throw RequestFault(kOutOfPlace, "the game has changed since, perhaps in another window");
}

PlaySettings read_settings(const Request& request, PlaySettings settings) {
  if (const auto side = text_member(request, "side")) settings.persons = persons_from_string(*side);
  settings.visits =
      member<std::uint32_t>(request, "visits", 1, kMostBoardVisits).value_or(settings.visits);
  settings.seconds = member<double>(request, "seconds", kLeastBoardSeconds, kMostBoardSeconds)
                         .value_or(settings.seconds);
  return settings;
}

Rules read_rules(const Request& request, Rules rules) {
  constexpr int kMost = 25;
  rules.goats = member<int>(request, "goats", 1, kMost).value_or(rules.goats);
  rules.captures_to_win =
      member<int>(request, "captures_to_win", 1, kMost).value_or(rules.captures_to_win);
  if (const auto repetition = text_member(request, "repetition"))
    rules.repetition = repetition_from_string(*repetition);
  check_rules(rules);
  return rules;
}

void start_new(const Request& request, Session& session) {
  const PlaySettings settings = read_settings(request, session.settings);
  session.game = Game(read_rules(request, session.game.rules()));
  session.settings = settings;
}

void change_settings(const Request& request, Session& session) {
  session.settings = read_settings(request, session.settings);
}

void play_move(const Request& request, Session& session) {
  Game& game = session.game;
  const Side side = game.side_to_move();
  const std::string text = needed_text(request, "move");
  if (game.over()) throw RequestFault(kOutOfPlace, "the game is over");
  if (!plays(session.settings.persons, side))
    throw RequestFault(kOutOfPlace, "it is the engine's turn");
  const Action action = parse_move(side, text);
  const std::string fault = game.why_illegal(action);
  if (!fault.empty())
    throw RequestFault(kImpossible, format_move(side, action) + " is not possible: " + fault);
  game.play(action);
}

void undo(const Request& /*request*/, Session& session) {
  take_back(session.game, session.settings.persons);
}

void import_text(const Request& request, Session& session) {
  const std::string text = needed_text(request, "text");
  const Rules& rules = session.game.rules();
  const bool is_fen = std::ranges::count(text, '/') == BaghChalBoard::kRows - 1 &&
                      text.find('[') == std::string::npos;
  session.game = is_fen ? game_from_fen(text, rules) : parse_game(text, rules);
}

using Change = void (*)(const Request&, Session&);
constexpr std::array<std::pair<std::string_view, Change>, 5> kChanges = {{
    {"new", start_new},
    {"settings", change_settings},
    {"move", play_move},
    {"undo", undo},
    {"import", import_text},
}};

AnalysisLimits limits_of(const PlaySettings& settings) {
  return {.visits = settings.visits, .seconds = settings.seconds};
}

[[noreturn]] void refuse_as_busy() {
  throw RequestFault(kBusy, "the engine is busy with other games; try again");
}

// The analysis, or the fault that there is none.
const Analysis& present(const std::optional<Analysis>& analysis) {
  if (!analysis) refuse_as_busy();
  return *analysis;
}

// Counts itself as long as it exists.
class Place {
 public:
  explicit Place(std::atomic<int>& taken) : taken_(taken), before_(taken++) {}
  ~Place() { --taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  int before() const { return before_; }  // how many there were

 private:
  std::atomic<int>& taken_;
  const int before_;
};

}  // namespace

BoardApi::BoardApi(Thinkers& thinkers, std::shared_ptr<const SolvedDatabase> database)
    : thinkers_(thinkers),
      probe_(database ? std::make_unique<SolvedProbe>(std::move(database), kProbeSearch)
                      : nullptr) {}

std::span<const std::string_view> BoardApi::names() {
  static constexpr std::array<std::string_view, 9> kNames = {
      "game", "new", "settings", "move", "reply", "undo", "import", "evaluation", "hint"};
  return kNames;
}

Answer BoardApi::answer(std::string_view name, const Request& request, Session& session) {
  try {
    if (name == "reply") return reply(request, session);
    if (name == "evaluation") return evaluation(request, session);
    if (name == "hint") return hint(request, session);
    const std::lock_guard lock(session.mutex);
    if (name != "game") {
      expect_version(request, session);
      std::ranges::find(kChanges, name, &decltype(kChanges)::value_type::first)
          ->second(request, session);
      ++session.version;
    }
    return describe(session);
  } catch (const std::invalid_argument& error) {
    throw RequestFault(kImpossible, error.what());
  }
}

Answer BoardApi::describe(const Session& session) const {
  Answer json = game_as_json(session);
  const EngineModel& model = thinkers_.model();
  json["engine"] = model.network ? model.name : "a search without a network";
  json["network"] = model.network != nullptr;
  json["solved"] = probe_ != nullptr && is_solved_game(session.game.rules());
  json["lines"] = lines_as_json();
  return json;
}

Answer BoardApi::reply(const Request& request, Session& session) {
  std::unique_lock lock(session.mutex);
  expect_version(request, session);
  if (session.game.over()) throw RequestFault(kOutOfPlace, "the game is over");
  if (plays(session.settings.persons, session.game.side_to_move()))
    throw RequestFault(kOutOfPlace, "it is your turn");
  const Game game = session.game;
  const AnalysisLimits limits = limits_of(session.settings);
  lock.unlock();
  const auto analysis = thinkers_.analyse(game, limits, 1);
  const Action action = present(analysis).lines.front().action;
  lock.lock();
  expect_version(request, session);
  session.game.play(action);
  ++session.version;
  return describe(session);
}

Answer BoardApi::evaluation(const Request& request, Session& session) {
  std::unique_lock lock(session.mutex);
  expect_version(request, session);
  const Game game = session.game;
  lock.unlock();
  Answer json = {{"network", nullptr}, {"perfect", nullptr}};
  if (game.over()) return json;
  if (thinkers_.model().network) {
    const AnalysisLimits once = {.visits = 1, .seconds = kMostBoardSeconds};
    const auto analysis = thinkers_.analyse(game, once, kMaxLegalActions);
    json["network"] = network_as_json(game, present(analysis));
  }
  if (probe_ && is_solved_game(game.rules())) json["perfect"] = solved(game);
  return json;
}

Answer BoardApi::solved(const Game& game) {
  const Place place(probing_);
  if (place.before() >= kMostProbing) refuse_as_busy();
  const std::lock_guard lock(probe_mutex_);
  const Position& position = game.position();
  return solved_as_json(position.side_to_move(), probe_->value(position), probe_->moves(position));
}

Answer BoardApi::hint(const Request& request, Session& session) {
  std::unique_lock lock(session.mutex);
  expect_version(request, session);
  const Game game = session.game;
  const AnalysisLimits limits = limits_of(session.settings);
  lock.unlock();
  if (game.over()) throw RequestFault(kOutOfPlace, "the game is over");
  constexpr int kHints = 3;
  return analysis_as_json(game, present(thinkers_.analyse(game, limits, kHints)));
}

}  // namespace baghzero
