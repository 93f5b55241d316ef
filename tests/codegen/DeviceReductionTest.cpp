// Reductions, arg-reductions and scans on the device "cuda", at sizes around warps and blocks:
// what the interpreter has within its bounds, and the same bits in any order of blocks and warps.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/Interpreter.h"
#include "runtime/abi/keratin_cuda_abi.h"
#include "tests/cuda/Launcher.h"
#include "tests/cuda/Mutants.h"
#include "tests/cuda/driver/EmulatedDriver.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;

namespace {

using Dims = std::vector<int64_t>;

// A function of one input, x.
class OnDevice {
public:
  OnDevice(const std::string &type, const std::string &body)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    emulator();
    std::string text = "func.func @main(%x: " + type + ") -> " + body;
    INFO(text);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    function = module->lookupSymbol<mlir::func::FuncOp>("main");
    compiler::CompileOptions options;
    options.target = KERATIN_CUDA_DEVICE;
    runner = std::make_unique<CompiledRunner>(function, options);
    REQUIRE(runner->error == "");
  }

  // Sizes of x that are not known are symbols, in their order.
  void check(const HostTensor &x, std::vector<int64_t> symbols = {}) {
    ir::EvaluationContext evaluation;
    for (size_t i = 0; i < symbols.size(); ++i)
      evaluation.symbols[int64_t(i)] = symbols[i];
    auto expected = ir::interpretWithBounds(function, x, evaluation);
    INFO(evaluation.error);
    REQUIRE(succeeded(expected));
    std::optional<std::vector<HostTensor>> first;
    for (const char *order : {"order=fixed", "order=reversed", "seed=7"}) {
      INFO(order);
      emulator().set(order);
      auto actual = runner->run(x);
      emulator().set("order=fixed");
      INFO(runner->error);
      REQUIRE(actual);
      for (size_t i = 0; i < actual->size(); ++i) {
        CHECK(ir::findMismatch((*actual)[i], (*expected)[i]).value_or("") == "");
        CHECK((!first || areIdentical((*actual)[i], (*first)[i])));
      }
      first = actual;
    }
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry result;
    compiler::registerDialects(result);
    return result;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<CompiledRunner> runner;
};

HostTensor random(Dims dims, keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32) {
  return *randomTensor(dtype, std::move(dims), 5);
}

const char *const anySizes = "tensor<?x?xf32, #keratin.dims<d0, d1>>";
const std::vector<Dims> sizesAroundWarps = {{1, 1},  {3, 31},  {2, 32},  {5, 33},   {70, 5},
                                            {33, 2}, {9, 257}, {300, 3}, {2, 1025}, {0, 4}};

// softmax along an axis of x, of type `type`.
std::string softmax(const std::string &type, const std::string &row, int axis) {
  std::string reduce = " axes = [" + std::to_string(axis) + "] : (" + type + ") -> " + row + "\n";
  std::string back = " dims = [" + std::to_string(1 - axis) + "] : (" + row + ") -> " + type + "\n";
  std::string two = " : (" + type + ", " + type + ") -> " + type + "\n";
  return type + " {\n  %m = keratin.reduce_max %x" + reduce + "  %mb = keratin.broadcast %m" +
         back + "  %c = keratin.sub %x, %mb" + two + "  %e = keratin.exp %c : (" + type + ") -> " +
         type + "\n  %s = keratin.reduce_sum %e" + reduce + "  %sb = keratin.broadcast %s" + back +
         "  %y = keratin.div %e, %sb" + two + "  return %y : " + type + "\n}\n";
}

} // namespace

TEST_CASE("rows, columns and whole tensors of any size", "[device]") {
  OnDevice all(
      anySizes,
      R"((tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>) {
    %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
    %1 = keratin.reduce_max %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
    %2 = keratin.reduce_sum %x axes = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<f32>
    return %0, %1, %2 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>
  })");
  for (const Dims &dims : sizesAroundWarps)
    all.check(random(dims), dims);
}

TEST_CASE("long sums are divided over blocks, which meet in order", "[device]") {
  OnDevice whole("tensor<?xf32, #keratin.dims<d0>>", R"(tensor<f32> {
    %0 = keratin.reduce_sum %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
  for (int64_t size : {0, 1, 255, 2048, 2049, 30000})
    whole.check(random({size}), {size});
  OnDevice columns("tensor<?x12xf32, #keratin.dims<d0, 12>>", R"(tensor<12xf32> {
    %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x12xf32, #keratin.dims<d0, 12>>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  })");
  for (int64_t size : {1, 63, 520, 3000})
    columns.check(random({size, 12}), {size});
}

TEST_CASE("softmax along either axis, in registers and not", "[device]") {
  for (auto [rows, columns] : std::vector<std::pair<int, int>>{
           {5, 8}, {40, 5}, {3, 100}, {2, 1000}, {2, 999}, {300, 12}, {7, 64}, {100, 3}}) {
    std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    INFO(type);
    HostTensor x = random({rows, columns});
    OnDevice(type, softmax(type, "tensor<" + std::to_string(rows) + "xf32>", 1)).check(x);
    OnDevice(type, softmax(type, "tensor<" + std::to_string(columns) + "xf32>", 0)).check(x);
  }
}

// The largest of each row or column, and the sum of the squares of distances from it.
static std::string distances(const std::string &type, const std::string &row, int axis) {
  std::string reduce = " axes = [" + std::to_string(axis) + "] : (" + type + ") -> " + row + "\n";
  std::string back = " dims = [" + std::to_string(1 - axis) + "] : (" + row + ") -> " + type + "\n";
  std::string two = " : (" + type + ", " + type + ") -> " + type + "\n";
  return "(" + row + ", " + row + ") {\n  %m = keratin.reduce_max %x" + reduce +
         "  %mb = keratin.broadcast %m" + back + "  %c = keratin.sub %x, %mb" + two +
         "  %q = keratin.mul %c, %c" + two + "  %v = keratin.reduce_sum %q" + reduce +
         "  return %m, %v : " + row + ", " + row + "\n}\n";
}

TEST_CASE("reductions of several passes are divided over blocks, one pass after the other",
          "[device]") {
  for (auto [rows, columns] : std::vector<std::pair<int, int>>{{2, 17409}, {1, 40000}}) {
    std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    std::string row = "tensor<" + std::to_string(rows) + "xf32>";
    INFO(type);
    HostTensor x = random({rows, columns});
    OnDevice(type, softmax(type, row, 1)).check(x);
    OnDevice(type, distances(type, row, 1)).check(x);
  }
  // Few columns of known and unknown length, and loose ones among them.
  for (int columns : {8, 33}) {
    std::string type = "tensor<1200x" + std::to_string(columns) + "xf32>";
    std::string row = "tensor<" + std::to_string(columns) + "xf32>";
    INFO(type);
    HostTensor x = random({1200, columns});
    OnDevice(type, softmax(type, row, 0)).check(x);
    OnDevice(type, distances(type, row, 0)).check(x);
  }
  std::string any = "tensor<?x20xf32, #keratin.dims<d0, 20>>";
  OnDevice columns(any, softmax(any, "tensor<20xf32>", 0));
  for (int64_t size : {0, 1, 700})
    columns.check(random({size, 20}), {size});
}

TEST_CASE("several reduced loops, with a value of each", "[device]") {
  OnDevice batch("tensor<9x5x14xf32>", R"(tensor<5xf32> {
    %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<9x5x14xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  })");
  batch.check(random({9, 5, 14}));
  OnDevice outer("tensor<17x3x40x6xf32>", R"(tensor<3x6xf32> {
    %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<17x3x40x6xf32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  })");
  outer.check(random({17, 3, 40, 6}));
}

TEST_CASE("the first of the largest, and of those that are not numbers", "[device]") {
  OnDevice rows(anySizes, R"(tensor<?xi64, #keratin.dims<d0>> {
    %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xi64, #keratin.dims<d0>>
    return %0 : tensor<?xi64, #keratin.dims<d0>>
  })");
  OnDevice columns(anySizes, R"(tensor<?xi64, #keratin.dims<d1>> {
    %0 = keratin.arg_min %x {axis = 0 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xi64, #keratin.dims<d1>>
    return %0 : tensor<?xi64, #keratin.dims<d1>>
  })");
  for (const Dims &dims : sizesAroundWarps) {
    HostTensor x = random(dims);
    for (size_t i = 7; i < x.floats.size(); i += 61)
      x.floats[i] = std::numeric_limits<double>::quiet_NaN();
    rows.check(x, dims);
    if (dims[0])
      columns.check(x, dims);
  }
  OnDevice whole("tensor<20000xf32>", R"(tensor<i64> {
    %0 = keratin.arg_max %x {axis = 0 : i64} : (tensor<20000xf32>) -> tensor<i64>
    return %0 : tensor<i64>
  })");
  whole.check(random({20000})); // many are the largest
}

TEST_CASE("scans along either axis, from both ends", "[device]") {
  for (const char *op : {"cumsum", "cumprod"})
    for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"})
      for (int axis : {0, 1}) {
        std::string type = anySizes;
        std::string text = std::string("keratin.") + op + " %x {axis = " + std::to_string(axis) +
                           " : i64" + flags + "} : (" + type + ") -> " + type;
        INFO(text);
        OnDevice scan(type, type + " {\n  %y = " + text + "\n  return %y : " + type + "\n}\n");
        for (const Dims &dims : {Dims{1, 1}, Dims{3, 31}, Dims{33, 33}, Dims{2, 300}, Dims{40, 3}})
          scan.check(random(dims), dims);
      }
  OnDevice longLine("tensor<2x3000xi32>", R"(tensor<2x3000xi32> {
    %y = keratin.cumsum %x {axis = 1 : i64} : (tensor<2x3000xi32>) -> tensor<2x3000xi32>
    return %y : tensor<2x3000xi32>
  })");
  longLine.check(random({2, 3000}, KERATIN_DTYPE_INT32));
}

TEST_CASE("few long lines are scanned by several blocks, in order", "[device]") {
  auto scanOf = [](const std::string &type, const std::string &op, const std::string &flags) {
    return type + " {\n  %y = keratin." + op + " %x {axis = 1 : i64" + flags + "} : (" + type +
           ") -> " + type + "\n  return %y : " + type + "\n}\n";
  };
  // A tile a part, which stays in registers, of 4 elements a thread and of 8.
  for (const char *flags : {"", ", exclusive", ", reverse", ", exclusive, reverse"})
    for (int64_t size : {8193, 10240}) {
      std::string type = "tensor<3x" + std::to_string(size) + "xf32>";
      OnDevice(type, scanOf(type, "cumsum", flags)).check(random({3, size}));
    }
  std::string many = "tensor<60x9000xi8>";
  OnDevice(many, scanOf(many, "cumprod", "")).check(random({60, 9000}, KERATIN_DTYPE_INT8));
  // Several tiles a part.
  std::string tiles = "tensor<64x40000xi32>";
  OnDevice(tiles, scanOf(tiles, "cumsum", ", reverse"))
      .check(random({64, 40000}, KERATIN_DTYPE_INT32));
  std::string any = "tensor<2x?xf64, #keratin.dims<2, d0>>";
  OnDevice scan(any, scanOf(any, "cumsum", ", exclusive"));
  for (int64_t size : {0, 1, 1024, 1025, 300000})
    scan.check(random({2, size}, KERATIN_DTYPE_FLOAT64), {size});
}

namespace {

// A kernel from x to y whose units need each other, as the runtime launches it, but by a few
// blocks, which come again and again.
struct Divided {
  using Floats = std::vector<float>;

  // Of so many elements of x, what y is of them, and so many units.
  Divided(const std::string &function, size_t size, std::function<Floats(const float *x)> expected,
          uint32_t units, uint32_t blocks = 3)
      : size(size), units(units), blocks(blocks), expected(std::move(expected)) {
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

  // What keeps the kernel of this text from giving y, twice; "" if nothing does. From the first
  // element, and from the second, which is no multiple of 16 bytes.
  std::string problem(const std::string &text, ptx::Order order) const {
    for (size_t first : {0u, 1u}) {
      ptx::Launcher on(text);
      on.options.blocks = on.options.warps = order;
      on.options.maxInstructions = 1 << 22;
      Floats x(size + 1);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = float(i * 7 % 13) - 6;
      Floats results = expected(x.data() + first);
      uint64_t xAt = on.upload(x) + 4 * first, y = on.memory->allocate(4 * results.size());
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
        if (on.download<float>(y, results.size()) != results)
          return "other results";
      }
    }
    return "";
  }

  // What is missing, and the text without: each barrier, and each fence.
  std::vector<std::pair<std::string, std::string>> mutants() const {
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

  size_t size;
  uint32_t units, blocks;
  std::function<Floats(const float *x)> expected;
  std::string ptx, name;
  keratin_cuda_kernel_t launch = {};
};

} // namespace

// Sums of columns, in two stretches of ten parts each.
TEST_CASE("blocks that meet need each of their barriers and fences", "[device]") {
  Divided divided(
      R"(func.func @main(%x: tensor<600x136xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<136xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %0 = keratin.reduce_sum %x axes = [0] : (tensor<600x136xf32>) -> tensor<136xf32>
           return %0 : tensor<136xf32>
         })",
      600 * 136,
      [](const float *x) {
        Divided::Floats sums(136);
        for (size_t i = 0; i < 600 * 136; ++i)
          sums[i % 136] += x[i];
        return sums;
      },
      20);
  REQUIRE(divided.launch.unit_bytes > 0);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(divided.problem(divided.ptx, order) == "");
  auto wrong = divided.mutants();
  CHECK(wrong.size() == 12);
  // The emulator has one clock for the lanes of a warp, and takes a barrier of a block for a fence
  // of the device: it does not miss the barrier between the lanes that leave parts and the one that
  // counts, nor the fence behind the counter. There are two versions of the code.
  int barriers = 0, fences = 0;
  for (const auto &[what, text] : wrong)
    if (divided.problem(text, ptx::Order::Fixed) + divided.problem(text, ptx::Order::Reversed) ==
        "") {
      INFO(what);
      CHECK(++(what.find("fence") == 0 ? fences : barriers) <= 2);
    }
}

// Two lines in nine parts each.
TEST_CASE("blocks that wait for those before them need each of their barriers and fences",
          "[device]") {
  Divided divided(
      R"(func.func @main(%x: tensor<2x9000xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<2x9000xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<2x9000xf32>) -> tensor<2x9000xf32>
           return %0 : tensor<2x9000xf32>
         })",
      18000,
      [](const float *x) {
        Divided::Floats sums(x, x + 18000);
        for (size_t i = 0; i < sums.size(); ++i)
          if (i % 9000)
            sums[i] += sums[i - 1];
        return sums;
      },
      18);
  REQUIRE(divided.launch.unit_bytes > 0);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(divided.problem(divided.ptx, order) == "");
  // Two barriers stand behind others: the one before a block counts itself done, and the first one
  // of its tile. The fences of that count order what was read, of which the emulator keeps no note.
  int barriers = 0, fences = 0;
  for (const auto &[what, text] : divided.mutants())
    if (divided.problem(text, ptx::Order::Fixed) + divided.problem(text, ptx::Order::Reversed) ==
        "") {
      INFO(what);
      CHECK(++(what.find("fence") == 0 ? fences : barriers) <= 2);
    }
}

// The largest of a row in three parts, then what all are below it. Of two blocks one does the first
// pass, so that what it has left last is what the other waits for first.
TEST_CASE("blocks that wait for a pass need each of their barriers and fences", "[device]") {
  Divided divided(
      R"(func.func @main(%x: tensor<1x20000xf32> {keratin.kind = "input", keratin.name = "x"})
             -> (tensor<1x20000xf32> {keratin.kind = "output", keratin.name = "y"}) {
           %m = keratin.reduce_max %x axes = [1] : (tensor<1x20000xf32>) -> tensor<1xf32>
           %b = keratin.broadcast %m dims = [0] : (tensor<1xf32>) -> tensor<1x20000xf32>
           %0 = keratin.sub %x, %b : (tensor<1x20000xf32>, tensor<1x20000xf32>) -> tensor<1x20000xf32>
           return %0 : tensor<1x20000xf32>
         })",
      20000,
      [](const float *x) {
        Divided::Floats below(x, x + 20000);
        for (float &number : below)
          number -= 6;
        return below;
      },
      6, /*blocks=*/2);
  REQUIRE(divided.launch.unit_bytes > 0);
  for (ptx::Order order : {ptx::Order::Fixed, ptx::Order::Reversed, ptx::Order::Seeded})
    CHECK(divided.problem(divided.ptx, order) == "");
  // The barrier before a block counts itself done, and the first one of the next unit, stand behind
  // others; of the fences of that count see above.
  int barriers = 0, fences = 0;
  for (const auto &[what, text] : divided.mutants())
    if (divided.problem(text, ptx::Order::Fixed) + divided.problem(text, ptx::Order::Reversed) ==
        "") {
      INFO(what);
      CHECK(++(what.find("fence") == 0 ? fences : barriers) <= 2);
    }
}
