// The options of the engine: their names, ranges and values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rules.h"
#include "play/engine_model.h"

namespace baghzero {

struct UgiValues {
  std::string model = kBuiltInModel;  // a file, or see engine_model.h
  ThinkingSettings thinking;
  Rules rules;  // of positions set from now on
  int lines = 1;
  std::uint32_t visits = 800;       // of a `go` that names no limit
  std::int64_t move_overhead = 10;  // milliseconds
};

enum class UgiChange : std::uint8_t {
  Nothing,   // the next search or position looks at the value by itself
  Model,     // another file
  Thinking,  // evaluators and tree are to be made anew
};

// Declarations, one line each: "option name Threads type spin default 1 min 1 max 64".
std::vector<std::string> describe_ugi_options(const UgiValues& defaults);

// Sets an option from the words after "setoption", "name N value V"; case does not matter in names.
// Throws std::invalid_argument with a sentence that says what is wrong; `values` is unchanged then.
UgiChange set_ugi_option(std::string_view text, UgiValues& values);

}  // namespace baghzero
