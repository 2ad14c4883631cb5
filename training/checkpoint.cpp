#include "training/checkpoint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <ios>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "engine/durable_file.h"
#include "nn/network_json.h"

namespace baghzero {
namespace {

static_assert(std::endian::native == std::endian::little, "state files are little-endian");

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<char, 8> kMagic = {'B', 'Z', 'N', 'S', 'T', 'A', 'T', 'E'};
constexpr std::uint32_t kFormat = 1;
constexpr std::string_view kPrefix = "state-";
constexpr std::string_view kSuffix = ".bzs";

constexpr std::size_t kDigits = 8;
constexpr std::size_t kMostDigits = 18;  // of a number that can still be counted up

// A file that cannot be used although the program knows its format.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

json manifest_of(const RunState& state) {
  const TrainerState& t = state.trainer;
  return {{"identity", state.identity},
          {"network", state.network},
          {"sizes",
           {t.weights.size(), t.average.size(), t.first_moment.size(), t.second_moment.size()}},
          {"steps", t.steps},
          {"samples", t.samples},
          {"random", t.random},
          {"next", static_cast<int>(state.next)},
          {"last_game", state.last_game},
          {"games_before_iteration", state.games_before_iteration},
          {"total_rows", state.total_rows},
          {"sample_credit", state.sample_credit},
          {"generation", state.generation},
          {"iteration", state.iteration},
          {"iterations_ungated", state.iterations_ungated},
          {"seconds", state.seconds}};
}

RunState state_of(const json& manifest) {
  RunState state;
  state.identity = manifest.value("identity", "");
  manifest.at("network").get_to(state.network);
  const auto sizes = manifest.at("sizes").get<std::array<std::size_t, 4>>();
  state.trainer.weights.resize(sizes[0]);
  state.trainer.average.resize(sizes[1]);
  state.trainer.first_moment.resize(sizes[2]);
  state.trainer.second_moment.resize(sizes[3]);
  manifest.at("steps").get_to(state.trainer.steps);
  manifest.at("samples").get_to(state.trainer.samples);
  manifest.at("random").get_to(state.trainer.random);
  state.next = static_cast<RunStep>(manifest.at("next").get<int>());
  manifest.at("last_game").get_to(state.last_game);
  manifest.at("games_before_iteration").get_to(state.games_before_iteration);
  manifest.at("total_rows").get_to(state.total_rows);
  manifest.at("sample_credit").get_to(state.sample_credit);
  manifest.at("generation").get_to(state.generation);
  manifest.at("iteration").get_to(state.iteration);
  manifest.at("iterations_ungated").get_to(state.iterations_ungated);
  manifest.at("seconds").get_to(state.seconds);
  return state;
}

template <class State>
auto vectors_of(State& trainer) {
  return std::array{&trainer.weights, &trainer.average, &trainer.first_moment,
                    &trainer.second_moment};
}

template <class T>
void append(std::string& out, const T* data, std::size_t count) {
  out.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

std::string serialise(const RunState& state) {
  const std::string manifest = manifest_of(state).dump();
  const auto length = static_cast<std::uint32_t>(manifest.size());
  std::string out;
  append(out, kMagic.data(), kMagic.size());
  append(out, &kFormat, 1);
  append(out, &length, 1);
  out += manifest;
  for (const std::vector<float>* vector : vectors_of(state.trainer))
    append(out, vector->data(), vector->size());
  const std::uint64_t checksum = XXH3_64bits(out.data(), out.size());
  append(out, &checksum, 1);
  return out;
}

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

RunState parse(std::string_view bytes) {
  constexpr std::size_t kHead = kMagic.size() + 2 * sizeof(std::uint32_t);
  constexpr std::size_t kTail = sizeof(std::uint64_t);
  if (bytes.size() < kHead + kTail) throw Damaged("it is cut short");
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    throw Damaged("it is no state file");
  const auto format = number_at<std::uint32_t>(bytes, kMagic.size());
  if (XXH3_64bits(bytes.data(), bytes.size() - kTail) !=
      number_at<std::uint64_t>(bytes, bytes.size() - kTail))
    throw Damaged("its checksum does not match");
  if (format > kFormat)
    throw std::runtime_error("it has format " + std::to_string(format) +
                             ", but this program knows formats up to " + std::to_string(kFormat) +
                             ": use a newer program");
  const auto length = number_at<std::uint32_t>(bytes, kMagic.size() + sizeof(std::uint32_t));
  if (length > bytes.size() - kHead - kTail) throw Damaged("its manifest is cut short");
  RunState state;
  try {
    state = state_of(json::parse(bytes.substr(kHead, length)));
  } catch (const json::exception& error) {
    throw Damaged(std::string("its manifest cannot be read (") + error.what() + ")");
  }
  std::size_t offset = kHead + length;
  for (std::vector<float>* vector : vectors_of(state.trainer)) {
    const std::size_t size = vector->size() * sizeof(float);
    if (size > bytes.size() - kTail - offset) throw Damaged("its vectors are cut short");
    if (size > 0) std::memcpy(vector->data(), bytes.data() + offset, size);
    offset += size;
  }
  return state;
}

// The number in the name of a state; nothing if it is the name of something else.
std::optional<std::int64_t> state_number(const std::string& name) {
  if (name.size() < kPrefix.size() + kSuffix.size() || !name.starts_with(kPrefix) ||
      !name.ends_with(kSuffix))
    return std::nullopt;
  const std::string_view digits =
      std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  if (digits.size() < kDigits || digits.size() > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0)
    return std::nullopt;
  return number;
}

// Whatever is called like a state, by number.
std::vector<std::pair<std::int64_t, fs::path>> numbered_entries(const fs::path& folder) {
  std::vector<std::pair<std::int64_t, fs::path>> entries;
  if (!fs::is_directory(folder)) return entries;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const auto number = state_number(entry.path().filename().string()))
      entries.emplace_back(*number, entry.path());
  std::ranges::sort(entries);
  return entries;
}

fs::path next_state_file(const fs::path& folder) {
  const auto entries = numbered_entries(folder);
  std::string digits = std::to_string(entries.empty() ? 1 : entries.back().first + 1);
  digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
  return folder / (std::string(kPrefix) + digits + std::string(kSuffix));
}

std::string read_file(const fs::path& file) {
  if (!fs::is_regular_file(file)) throw Damaged("it is no file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Damaged("it cannot be read: " + std::generic_category().message(errno));
  try {
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure& fault) {  // a failing disk; thrown whatever in asks for
    throw Damaged("it cannot be read: " + fault.code().message());
  }
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

std::vector<fs::path> state_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& [number, path] : numbered_entries(folder)) {
    std::error_code unknown;
    const fs::file_type type = fs::status(path, unknown).type();
    // What a failing disk says nothing of is a state that cannot be read.
    if (type == fs::file_type::regular || type == fs::file_type::none) files.push_back(path);
  }
  std::ranges::reverse(files);
  return files;
}

RunState load_state(const fs::path& file) { return parse(read_file(file)); }

fs::path save_state(const fs::path& folder, const RunState& state, int keep) {
  for (const std::vector<float>* vector : vectors_of(state.trainer))
    if (!all_finite(*vector))
      throw std::runtime_error("the trainer's state is not finite and was not saved in " +
                               folder.string() +
                               "; those that are there were saved before: lower "
                               "training.learning_rate and go on with --resume");
  fs::create_directories(folder);
  fs::path file = next_state_file(folder);
  write_durably(file, serialise(state));
  const std::vector<fs::path> files = state_files(folder);
  for (std::size_t i = static_cast<std::size_t>(std::max(1, keep)); i < files.size(); ++i)
    fs::remove(files[i]);
  return file;
}

LoadedState load_newest_state(const fs::path& folder) {
  LoadedState loaded;
  for (const fs::path& file : state_files(folder)) {
    try {
      loaded.state = load_state(file);
      loaded.file = file;
      return loaded;
    } catch (const Damaged& fault) {
      loaded.damaged.push_back({file, file.string() + " is damaged (" + fault.what() +
                                          ") and was passed over for the state before it"});
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("cannot use " + file.string() + ": " + error.what());
    }
  }
  return loaded;
}

std::string set_aside(const DamagedState& damaged) {
  const fs::path aside = damaged.file.string() + ".damaged";
  std::error_code fault;
  fs::rename(damaged.file, aside, fault);
  if (fault) return damaged.sentence + "; it could not be renamed: " + fault.message();
  return damaged.sentence + "; it is now called " + aside.filename().string();
}

}  // namespace baghzero
