// Replaces the global operator new by one that counts.
#pragma once

namespace baghzero::search_test {

// Calls of any operator new in this program so far.
long allocations();

}  // namespace baghzero::search_test
