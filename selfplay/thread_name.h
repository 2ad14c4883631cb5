// Names for the calling thread, as tools such as top, gdb and perf show them.
#pragma once

#include <string>

#include <pthread.h>

namespace baghzero {

// Linux keeps the first 15 characters.
inline void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace baghzero
