#include "engine/search/tree_memory.h"

#include "engine/search/arena.h"

namespace baghzero {

std::size_t usual_search_bytes(std::uint32_t visits) {
  return search_detail::Arena::usual_bytes(visits);
}

}  // namespace baghzero
