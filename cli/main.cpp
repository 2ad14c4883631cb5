#include "cli/app.h"

int main(int argc, char** argv) { return baghzero::run_app(argc, argv); }
