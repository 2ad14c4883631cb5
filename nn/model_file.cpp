#include "nn/model_file.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "engine/durable_file.h"
#include "engine/random.h"
#include "nn/encoding.h"
#include "nn/frozen_network.h"
#include "nn/network_json.h"

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "model files are copied byte by byte");
constexpr std::string_view kMagic = "BZNMODEL";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kActionOrder =
    "placements by point, then steps, then jumps, both by (from, to); points row by row from the "
    "top left";

struct Preamble {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t tensor_bytes;
};
static_assert(sizeof(Preamble) == 24);

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& fault) {
  throw std::runtime_error("Model file " + file.string() + " " + fault);
}

// ---------------------------------------------------------------------------------------------
// Check positions

constexpr int kChecks = 8;
constexpr double kCheckTolerance = 1e-3;  // processors differ in rounding, by far less than this

Json points_to_json(Bitboard points) {
  Json list = Json::array();
  while (points) list.push_back(int{pop_lowest(points)});
  return list;
}

Bitboard points_from_json(const Json& list) {
  Bitboard points = 0;
  for (const Json& point : list) {
    const auto index = point.get<unsigned>();
    if (index >= kPointCount) throw std::out_of_range("point");
    points |= bit(static_cast<Point>(index));
  }
  return points;
}

// Positions of one game at random, some plies apart: both sides, both phases.
std::vector<Query> check_queries(const Rules& rules) {
  Random random(1);
  Game game(rules);
  std::vector<Query> queries;
  for (int ply = 0; std::ssize(queries) < kChecks; ++ply) {
    if (game.over()) game = Game(rules);
    if (ply % 9 == 0) queries.push_back(make_query(game));
    const int choice = static_cast<int>(random.below(static_cast<unsigned>(game.legal().size())));
    game.play(game.legal()[choice]);
  }
  return queries;
}

std::unique_ptr<Evaluator> make_checker(NetworkPtr network) {
  return make_network_evaluator(std::move(network), {.device = "cpu", .max_batch = kChecks});
}

Json checks_to_json(const NetworkPtr& network, const Rules& rules) {
  const std::vector<Query> queries = check_queries(rules);
  std::vector<Evaluation> answers(queries.size());
  make_checker(network)->evaluate(queries, answers);
  Json checks = Json::array();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Position& position = queries[i].position;
    const Wdl& wdl = answers[i].wdl;
    Json check;
    check["tigers"] = points_to_json(position.tigers());
    check["goats"] = points_to_json(position.goats());
    check["goats_in_hand"] = position.goats_in_hand();
    check["captured"] = position.captured();
    check["tiger_to_move"] = position.side_to_move() == Side::Tiger;
    check["limit_proximity"] = int{queries[i].limit_proximity};
    check["wdl"] = {wdl.win, wdl.draw, wdl.loss};
    for (int k = 0; k < queries[i].legal.size(); ++k) {
      check["legal"].push_back(int{queries[i].legal[k]});
      check["policy"].push_back(answers[i].policy[k]);
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

void replay_checks(const Json& checks, const NetworkPtr& network,
                   const std::filesystem::path& file) {
  const auto checker = make_checker(network);
  for (const Json& check : checks) {
    const auto legal = check.at("legal").get<std::vector<unsigned>>();
    const auto policy = check.at("policy").get<std::vector<float>>();
    const auto wdl = check.at("wdl").get<std::array<float, 3>>();
    Query query;
    query.position =
        Position(points_from_json(check.at("tigers")), points_from_json(check.at("goats")),
                 check.at("goats_in_hand"), check.at("captured"),
                 check.at("tiger_to_move").get<bool>() ? Side::Tiger : Side::Goat);
    query.limit_proximity = check.at("limit_proximity");
    if (legal.size() > kMaxLegalActions || legal.size() != policy.size())
      throw std::out_of_range("legal");
    for (unsigned action : legal) {
      if (action >= kActionCount) throw std::out_of_range("action");
      query.legal.push_back(static_cast<Action>(action));
    }
    Evaluation answer;
    checker->evaluate({&query, 1}, {&answer, 1});
    double worst = std::abs(answer.wdl.win - wdl[0]) + std::abs(answer.wdl.draw - wdl[1]) +
                   std::abs(answer.wdl.loss - wdl[2]);
    for (std::size_t i = 0; i < policy.size(); ++i)
      worst = std::max<double>(worst, std::abs(answer.policy[i] - policy[i]));
    if (!(worst < kCheckTolerance))
      fail(file, "does not give the answers stored with it (off by " + std::to_string(worst) +
                     "); this program computes the network differently.");
  }
}

// ---------------------------------------------------------------------------------------------
// Header

Json header_to_json(const NetworkPtr& network, const ModelFacts& facts) {
  Json header = model_description(*network, facts);
  header["tensors"] = Json::array();
  for (const TensorSpec& spec : tensor_specs(network->architecture()))
    header["tensors"].push_back({{"name", spec.name}, {"shape", spec.shape}});
  header["checks"] = checks_to_json(network, facts.rules);
  return header;
}

ModelFacts facts_from_json(const Json& header) {
  const Json& rules = header.at("rules");
  ModelFacts facts;
  facts.rules.goats = rules.at("goats");
  facts.rules.captures_to_win = rules.at("captures_to_win");
  facts.rules.repetition = repetition_from_string(rules.at("repetition").get<std::string>());
  facts.rules.no_capture_limit = rules.at("no_capture_limit");
  facts.rules.max_plies = rules.at("max_plies");
  check_rules(facts.rules);
  header.at("provenance").get_to(facts.provenance);
  return facts;
}

NetworkSettings settings_from_json(const Json& architecture) {
  const auto settings = architecture.get<NetworkSettings>();
  check_network_settings(settings);
  return settings;
}

// ---------------------------------------------------------------------------------------------
// Bytes

std::string pack(const NetworkPtr& network, const ModelFacts& facts) {
  const std::string header = header_to_json(network, facts).dump(1);
  std::string tensors;
  for (const std::vector<float>& tensor : weights_of(*network).tensors())
    tensors.append(std::bit_cast<const char*>(tensor.data()), tensor.size() * sizeof(float));
  Preamble preamble{{}, kVersion, static_cast<std::uint32_t>(header.size()), tensors.size()};
  std::ranges::copy(kMagic, preamble.magic.begin());
  std::string bytes(std::bit_cast<const char*>(&preamble), sizeof preamble);
  bytes += header;
  bytes += tensors;
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(std::bit_cast<const char*>(&checksum), sizeof checksum);
  return bytes;
}

std::string read_bytes(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) fail(file, "is a folder.");
  // A device may have no end, a pipe nobody who writes.
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    fail(file, "is no regular file.");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, "cannot be read: " + std::string(std::strerror(errno)) + ".");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Parts {
  Json header;
  std::string_view tensors;
};

// Checks everything that does not need the header's meaning.
Parts take_apart(std::string_view bytes, const std::filesystem::path& file) {
  Preamble preamble;
  if (!bytes.starts_with(kMagic.substr(0, bytes.size())) || bytes.empty())
    fail(file, "is not a BaghZero model (it does not begin with " + std::string(kMagic) + ").");
  if (bytes.size() < sizeof preamble) fail(file, "is truncated within its first bytes.");
  std::memcpy(&preamble, bytes.data(), sizeof preamble);
  if (preamble.version > kVersion)
    fail(file, "has format version " + std::to_string(preamble.version) +
                   ", newer than this program reads (" + std::to_string(kVersion) +
                   "); use a newer program.");
  if (preamble.version == 0) fail(file, "has format version 0, which does not exist.");
  const std::uint64_t promised =
      sizeof preamble + preamble.header_bytes + preamble.tensor_bytes + sizeof(std::uint64_t);
  if (bytes.size() != promised)
    fail(file, "has " + std::to_string(bytes.size()) + " bytes instead of " +
                   std::to_string(promised) + "; it is truncated or damaged.");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, content.data() + content.size(), sizeof checksum);
  if (checksum != XXH3_64bits(content.data(), content.size()))
    fail(file, "is damaged: its checksum does not match.");
  const std::string_view header = content.substr(sizeof preamble, preamble.header_bytes);
  return {Json::parse(header), content.substr(sizeof preamble + preamble.header_bytes)};
}

NetworkPtr build(const Parts& parts, const std::filesystem::path& file) {
  const NetworkSettings settings = settings_from_json(parts.header.at("architecture"));
  if (parts.header.at("input_planes") != Json(kPlaneNames))
    fail(file, "was made for other input planes than this program's.");
  if (parts.header.at("actions").at("count") != kActionCount)
    fail(file, "was made for another board or another order of actions.");
  const std::vector<TensorSpec> specs = tensor_specs(settings);
  const Json& listed = parts.header.at("tensors");
  if (listed.size() != specs.size())
    fail(file, "lists " + std::to_string(listed.size()) + " tensors where its architecture has " +
                   std::to_string(specs.size()) + ".");
  std::vector<std::vector<float>> tensors;
  std::string_view left = parts.tensors;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (listed[i].at("name") != specs[i].name || listed[i].at("shape") != Json(specs[i].shape))
      fail(file, "holds tensor " + listed[i].dump() + " where its architecture has " +
                     specs[i].name + " " + Json(specs[i].shape).dump() + ".");
    const auto size = static_cast<std::size_t>(specs[i].size());
    if (left.size() < size * sizeof(float)) fail(file, "ends within tensor " + specs[i].name + ".");
    std::vector<float>& tensor = tensors.emplace_back(size);
    std::memcpy(tensor.data(), left.data(), size * sizeof(float));
    left.remove_prefix(size * sizeof(float));
  }
  if (!left.empty())
    fail(file, "holds " + std::to_string(left.size()) + " bytes after its last tensor.");
  return std::make_shared<FrozenWeights>(settings, parts.header.at("generation").get<int>(),
                                         std::move(tensors));
}

}  // namespace

Json model_description(const FrozenNetwork& network, const ModelFacts& facts) {
  Json description;
  description["architecture"] = network.architecture();
  description["generation"] = network.generation();
  description["rules"] = {{"goats", facts.rules.goats},
                          {"captures_to_win", facts.rules.captures_to_win},
                          {"repetition", std::string(to_string(facts.rules.repetition))},
                          {"no_capture_limit", facts.rules.no_capture_limit},
                          {"max_plies", facts.rules.max_plies}};
  description["provenance"] = facts.provenance;
  description["input_planes"] = kPlaneNames;
  description["actions"] = {{"count", kActionCount}, {"order", kActionOrder}};
  return description;
}

std::string model_file_bytes(const FrozenNetwork& network, const ModelFacts& facts) {
  return pack(with_generation(network, network.generation()), facts);
}

void save_network(const FrozenNetwork& network, const std::filesystem::path& file,
                  const ModelFacts& facts) {
  write_durably(file, model_file_bytes(network, facts));
}

LoadedModel parse_model(std::string_view bytes, const std::filesystem::path& file) {
  try {
    const Parts parts = take_apart(bytes, file);
    LoadedModel model{build(parts, file), facts_from_json(parts.header)};
    replay_checks(parts.header.at("checks"), model.network, file);
    return model;
  } catch (const std::logic_error& error) {
    fail(file, std::string("has a header or tensors that make no sense: ") + error.what());
  } catch (const Json::exception& error) {
    fail(file, std::string("has a header that cannot be understood: ") + error.what() + ".");
  }
}

LoadedModel load_model(const std::filesystem::path& file) {
  return parse_model(read_bytes(file), file);
}

NetworkPtr load_network(const std::filesystem::path& file) { return load_model(file).network; }

}  // namespace baghzero
