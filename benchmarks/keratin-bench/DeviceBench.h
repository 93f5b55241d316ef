// keratin-bench --device=emulated: what kernels for CUDA devices do, counted by an emulator. No
// time is measured.
#ifndef KERATIN_BENCHMARKS_DEVICEBENCH_H
#define KERATIN_BENCHMARKS_DEVICEBENCH_H

#include "codegen/Float32Products.h"

#include <string>
#include <vector>

namespace keratin::bench {

// The rows of these names, all without any, as a table or as JSON. Returns how many failed.
int runDeviceRows(const std::vector<std::string> &names, bool json,
                  codegen::Float32Products float32Products);
// Writes the models of all rows to a folder, as <name>.ktg.
void saveDeviceModels(const std::string &folder);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICEBENCH_H
