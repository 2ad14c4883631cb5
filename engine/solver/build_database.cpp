#include "engine/solver/build_database.h"

#include <array>
#include <bit>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engine/solver/database.h"
#include "engine/solver/packed_layer.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

void load_placement(PlacementLayer& layer, int placed, const fs::path& file,
                    const SolveControl& control) {
  const CompressedFile stored(file, placement_shape(placed));
  layer.placed = placed;
  parallel_blocks(control, stored.shape().streams, 16,
                  [&](int, std::size_t begin, std::size_t end) {
                    std::vector<std::uint8_t> stream(stored.shape().stream_bytes);
                    for (std::size_t c = begin; c < end; ++c) {
                      stored.read_stream(c, stream);
                      unpack_class(stream, placed, layer.verdicts(static_cast<int>(c)));
                    }
                  });
}

// How much work a layer is, roughly in seconds of one core; only progress depends on it.
double movement_work(int captured) {
  constexpr std::array<double, kSolvedCaptures> kWork = {0.1, 0.3, 2, 12, 33};
  return kWork[captured];
}
double placement_work(int placed) {
  std::uint64_t words = 0;
  for (int goats = placed - kSolvedCaptures + 1; goats <= placed; ++goats)
    if (goats >= 0) words += kBinomials[kFreePoints][goats];
  constexpr double kPerBillion = 3.2;
  return 1 + kPerBillion * 1666e-9 * static_cast<double>(words);
}

class Builder {
 public:
  Builder(const fs::path& folder, const BuildSettings& settings,
          const std::function<void(const BuildProgress&)>& progress)
      : folder_(folder), settings_(settings), progress_(progress) {
    control_.threads = settings.threads;
    control_.stop = settings.stop;
    control_.progress = [this](double share) { tell(share); };
    for (int captured = 0; captured < kSolvedCaptures; ++captured) work_ += movement_work(captured);
    for (int placed = settings.last_placed; placed < kSolvedGoats && !settings.movement_only;
         ++placed)
      work_ += placement_work(placed);
  }

  BuildResult build() {
    result_.finished = movement() && (settings_.movement_only || placement());
    return result_;
  }

 private:
  void begin(std::string detail, double work) {
    detail_ = std::move(detail);
    layer_work_ = work;
    tell(0);
  }
  void end() {
    done_ += layer_work_;
    layer_work_ = 0;
    tell(0);
  }
  void tell(double share) const {
    if (progress_) progress_({(done_ + share * layer_work_) / work_, detail_});
  }

  bool movement() {
    for (int captured = kSolvedCaptures - 1; captured >= 0; --captured) {
      begin("movement, " + std::to_string(captured) + " captured", movement_work(captured));
      const fs::path file = movement_file(folder_, captured);
      if (fs::exists(file)) {
        load_movement_layer(folder_, captured, movement_);
        ++result_.kept;
      } else {
        if (!solve_movement_layer(movement_, captured, control_)) return false;
        store_movement_layer(folder_, captured, movement_, control_.threads);
        ++result_.solved;
      }
      end();
    }
    return true;
  }

  bool placement() {
    for (int placed = kSolvedGoats - 1; placed >= settings_.last_placed; --placed) {
      begin("placement, " + std::to_string(placed) + " goats placed", placement_work(placed));
      const fs::path file = placement_file(folder_, placed);
      if (fs::exists(file)) {
        CompressedFile(file, placement_shape(placed)).verify();
        ++result_.kept;
      } else {
        if (!solve_placement(placed, file)) return false;
        ++result_.solved;
      }
      end();
    }
    return true;
  }

  bool solve_placement(int placed, const fs::path& file) {
    if (!layer_) layer_ = std::make_unique<PlacementLayer>();
    CompressedFileWriter writer(placement_shape(placed));
    const auto store = [&](int tiger_class, ConstClassVerdicts verdicts) {
      thread_local std::vector<std::uint8_t> packed;
      packed.resize(packed_bytes(placed));
      pack_class(verdicts, placed, packed);
      writer.set_stream(static_cast<std::uint64_t>(tiger_class), packed);
    };
    const bool last = placed == kSolvedGoats - 1;
    if (!last && !bring_later(placed + 1)) return false;
    const bool done = last ? solve_last_placement(movement_, *layer_, control_, store)
                           : solve_placement_before(*later_, *layer_, control_, store);
    if (!done) return false;
    writer.write(file);
    std::swap(layer_, later_);
    return true;
  }

  // The layer that the next one is solved from: the one just made, or read from its file.
  bool bring_later(int placed) {
    if (!later_) later_ = std::make_unique<PlacementLayer>();
    if (later_->placed == placed) return true;
    SolveControl quiet = control_;
    quiet.progress = {};
    load_placement(*later_, placed, placement_file(folder_, placed), quiet);
    return !control_.stopped();
  }

  const fs::path folder_;
  const BuildSettings settings_;
  const std::function<void(const BuildProgress&)>& progress_;
  SolveControl control_;
  BuildResult result_;
  double work_ = 0;
  double done_ = 0;
  double layer_work_ = 0;
  std::string detail_;
  MovementTable movement_;
  std::unique_ptr<PlacementLayer> layer_;
  std::unique_ptr<PlacementLayer> later_;
};

}  // namespace

BuildResult build_database(const fs::path& folder, const BuildSettings& settings,
                           const std::function<void(const BuildProgress&)>& progress) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error("cannot create the folder " + folder.string() + ": " +
                             error.message());
  return Builder(folder, settings, progress).build();
}

}  // namespace baghzero
