// The page that is served: HTML with its style and script, from the files in web/page.
#pragma once

#include <string_view>

namespace baghzero {

std::string_view board_page();

}  // namespace baghzero
