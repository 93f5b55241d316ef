// Functions whose times on a CUDA device are measured, of sizes that fill one.
#ifndef KERATIN_BENCHMARKS_DEVICECASES_H
#define KERATIN_BENCHMARKS_DEVICECASES_H

#include "codegen/Float32Products.h"

#include <keratin/function.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace keratin::bench {

// What most of a case is computed in.
enum class Numbers { Float32, Tf32, Float16, BFloat16, Float64 };
const char *nameOf(Numbers numbers); // "f32", "tf32", …

struct DeviceCase {
  std::string name, caseName;
  Numbers numbers = Numbers::Float32;
  double flops = 0; // of products; 0 where memory is what is waited for
  // The function, with new variables, for inputs with so many rows in their first dimension.
  std::function<Function(int64_t rows)> make;
  int64_t rows = 0;
  // So many rows are computed on the CPU, too. Those of the results are the first of all rows.
  int64_t checkedRows = 0;
  double low = -1, high = 1; // of inputs of floats
  int64_t integers = 1;      // inputs of integers are less than this
};

// The more elements a case has, the more its sizes are divided, so that an emulator can run it.
std::vector<DeviceCase> deviceCases(int64_t scale);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICECASES_H
