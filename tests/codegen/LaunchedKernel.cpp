#include "tests/codegen/LaunchedKernel.h"

#include "compiler/driver/Compiler.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::tests;

void LaunchedKernel::compile(const std::string &function) {
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(function, &context);
  REQUIRE(module);
  compiler::CompileOptions options;
  options.target = KERATIN_CUDA_DEVICE;
  auto compiled = compiler::compile(*module, options);
  REQUIRE(compiled.ok());
  const keratin_device_code_t &code = *(*compiled)->descriptor().device_code;
  REQUIRE(code.num_kernels == 1);
  name = code.kernels[0];
  for (int64_t i = 0; i < code.num_images; ++i) {
    const keratin_image_t &image = code.images[i];
    if (image.kind == std::string(KERATIN_CUDA_IMAGE_PTX))
      ptx = static_cast<const char *>(image.data);
    if (image.kind == std::string(KERATIN_CUDA_IMAGE_KERNELS))
      launch = *static_cast<const keratin_cuda_kernel_t *>(image.data);
  }
}

std::string LaunchedKernel::problem(const std::string &text, ptx::Order order) const {
  for (size_t first : {0u, 1u}) {
    ptx::Launcher on(text);
    on.options.blocks = on.options.warps = order;
    on.options.maxInstructions = 1 << 22;
    std::vector<float> x(size + 1);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i * 7 % 13) - 6;
    Bytes results = expected(x.data() + first);
    uint64_t xAt = on.upload(x) + 4 * first, y = on.memory->allocate(results.size());
    uint64_t parts = on.memory->allocate(size_t{launch.unit_bytes} * units);
    uint64_t counters = on.upload(std::vector<uint32_t>(KERATIN_CUDA_COUNTERS_OF_CALL));
    uint64_t failure = on.upload(std::vector<uint32_t>{KERATIN_CUDA_NO_FAILURE, 0});
    for (int time = 0; time < 2; ++time) {
      ptx::Arguments arguments;
      for (uint64_t argument :
           {xAt, y, uint64_t{units}, uint64_t{1}, failure, uint64_t{0}, parts, counters})
        arguments.add(argument);
      auto fault = on.run(name, {blocks}, {launch.block_threads}, arguments, launch.shared_bytes);
      if (fault)
        return fault->message;
      if (on.download<char>(y, results.size()) != results)
        return "other results";
    }
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> LaunchedKernel::mutants() const {
  std::vector<std::pair<std::string, std::string>> wrong;
  for (const ptx::Mutant &mutant : ptx::mutants(ptx))
    if (mutant.kind == ptx::Mutant::Barrier)
      wrong.push_back({"line " + std::to_string(mutant.line) + ": " + mutant.what, mutant.text});
  const std::string fence = "membar.gl;";
  for (size_t at = 0; (at = ptx.find(fence, at)) != std::string::npos; ++at)
    wrong.push_back({"fence at " + std::to_string(at),
                     std::string(ptx).replace(at, fence.size(), fence.size(), ' ')});
  return wrong;
}

std::vector<std::string> LaunchedKernel::unnoticed() const {
  std::vector<std::string> names;
  for (const auto &[what, text] : mutants())
    if (problem(text, ptx::Order::Fixed) + problem(text, ptx::Order::Reversed) == "")
      names.push_back(what);
  return names;
}
