// Functions whose kernels for CUDA devices are measured by what they do, so small that an emulator
// runs each in a few seconds.
#ifndef KERATIN_BENCHMARKS_DEVICEMODELS_H
#define KERATIN_BENCHMARKS_DEVICEMODELS_H

#include <keratin/function.h>

#include <string>
#include <vector>

namespace keratin::bench {

struct DeviceModel {
  std::string name, caseName;
  Function (*make)(); // with new variables
};

const std::vector<DeviceModel> &deviceModels();

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICEMODELS_H
