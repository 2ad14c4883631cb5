// How metrics name the earlier generations that an evaluation plays against.
#pragma once

#include <string>
#include <string_view>

namespace baghzero {

// "previous" for 1 generation before, "2_before" for 2, and so on.
std::string evaluation_label(int distance);
// The other way round; 0 for the label of a fixed opponent.
int evaluation_distance(std::string_view label);

}  // namespace baghzero
