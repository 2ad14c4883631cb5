// board_fixture FOLDER: writes a model (model.bzn) and a solved game, both made up, to play with.
#include <iostream>

#include "nn/model_file.h"
#include "tests/nn/sample_networks.h"
#include "tests/support/drawn_database.h"

int main(int argc, char** argv) {
  using namespace baghzero;
  if (argc != 2) {
    std::cerr << "usage: board_fixture FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  save_network(*make_lively_network(kSmallNetwork, 1), folder / "model.bzn");
  test::make_drawn_movement(folder);
  return 0;
}
