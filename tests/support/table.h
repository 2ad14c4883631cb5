// Tables of expected values among the tests' data.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace baghzero::test {

// The rows of `file` in tests/data, their fields separated by semicolons; empty lines and those
// that begin with '#' are left out. Throws std::runtime_error if it cannot be read.
inline std::vector<std::vector<std::string>> read_table(const std::string& file) {
  const std::string path = std::string(BAGHZERO_TEST_DATA) + "/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto& row = rows.emplace_back();
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find(';', begin)) != std::string::npos; begin = end + 1)
      row.push_back(line.substr(begin, end - begin));
    row.push_back(line.substr(begin));
  }
  return rows;
}

}  // namespace baghzero::test
