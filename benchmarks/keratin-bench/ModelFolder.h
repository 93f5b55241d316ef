// Functions of the frontend on their way to the compiler: through files of a folder that lives as
// long as this.
#ifndef KERATIN_BENCHMARKS_MODELFOLDER_H
#define KERATIN_BENCHMARKS_MODELFOLDER_H

#include "compiler/driver/Compiler.h"
#include "tools/keratin-run/Program.h"

#include <keratin/function.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace keratin::bench {

class ModelFolder {
public:
  ModelFolder();
  ~ModelFolder();
  ModelFolder(const ModelFolder &) = delete;
  ModelFolder &operator=(const ModelFolder &) = delete;

  // The function, compiled with these options, on the device of this name.
  std::unique_ptr<tools::Program> compile(const Function &function,
                                          const compiler::CompileOptions &options,
                                          const std::string &device) const;

private:
  std::string path;
};

// What is not OK becomes a std::runtime_error.
void check(const absl::Status &status);
template <typename Value> Value checked(absl::StatusOr<Value> value) {
  check(value.status());
  return *std::move(value);
}

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_MODELFOLDER_H
