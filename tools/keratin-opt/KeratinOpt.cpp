// Runs passes on textual IR, as mlir-opt does.
#include "tools/keratin-opt/OptMain.h"

int main(int argc, char **argv) { return keratin::tools::optMain(argc, argv); }
