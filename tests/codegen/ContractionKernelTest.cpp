#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ContractionBlocks.h"
#include "tests/codegen/BareKernel.h"
#include "tests/codegen/KernelReference.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

using namespace mlir;
using namespace keratin::codegen;
namespace ir = keratin::ir;
using namespace keratin::tests;

namespace {

// How a matrix lies in memory.
enum class Layout { RowMajor, ColumnMajor, Strided };

struct Kind {
  Dtype dtype = Dtype::F32;
  Layout a = Layout::RowMajor, b = Layout::RowMajor;
  std::string machine = "native";
  bool staticSizes = false;  // sizes and strides of the first problem are built in
  bool knowsWeights = false; // those of B are
  bool knowsRows = false;    // how many there are is
  bool knowsColumns = false;
  bool knowsDepth = false;
  bool knowsBatch = false;
  bool knowsStrides = false; // of B
  ContractionCall call = {};
  std::optional<ProductTraits> products = {}; // of another processor
  // B's, where narrow integers are summed in int32: then elements are any.
  std::optional<Dtype> narrowB = {};

  Dtype dtypeOfB() const { return narrowB.value_or(dtype); }
  Dtype sums() const { return narrowB ? Dtype::I32 : accumulatorOf(dtype); }
};

struct Problem {
  int64_t batch, m, n, k;
  bool sharedB = false;
};

// The sizes that compiled code is given, in this order.
struct Sizes {
  int64_t batch, m, n, k, aBatch, aRow, aCol, bBatch, bRow, bCol, cBatch, cRow;
};

Sizes sizesOf(const Kind &kind, const Problem &problem) {
  Sizes s{problem.batch, problem.m, problem.n, problem.k, 0, 0, 0, 0, 0, 0, 0, 0};
  auto place = [](Layout layout, int64_t rows, int64_t cols, int64_t &row, int64_t &col,
                  int64_t &batch) {
    switch (layout) {
    case Layout::RowMajor:
      row = cols, col = 1, batch = rows * cols;
      break;
    case Layout::ColumnMajor:
      row = 1, col = rows, batch = rows * cols;
      break;
    case Layout::Strided:
      col = 3, row = 3 * cols + 2, batch = rows * row + 5;
      break;
    }
  };
  place(kind.a, problem.m, problem.k, s.aRow, s.aCol, s.aBatch);
  place(kind.b, problem.k, problem.n, s.bRow, s.bCol, s.bBatch);
  if (problem.sharedB)
    s.bBatch = 0;
  // Rows of the result stand apart, so that a write past the end of a row is seen.
  s.cRow = problem.n + 3;
  s.cBatch = problem.m * s.cRow + 7;
  return s;
}

using KernelFn = void (*)(const void *a, const void *b, const void *bias, void *c,
                          const Sizes *sizes, void *scratch, int64_t begin, int64_t end,
                          int64_t unitsDone);
using UnitsFn = int64_t (*)(const Sizes *sizes);

struct Compiled {
  std::unique_ptr<JitLibrary> library;
  KernelFn kernel = nullptr;
  UnitsFn units = nullptr;
  SizeCases unitSizes; // of sizes that are numbered by where they are in Sizes
  int64_t scratchBytes = 0;
};

// C[b, m, n] = relu(sum + bias[n]): the prologue reads sizes, the epilogue writes with masks.
Compiled compile(const Kind &kind, const Problem &example) {
  KernelModule module(kind.machine);
  MLIRContext &context = module.context;
  OpBuilder &builder = module.builder;
  Location loc = module.loc;
  MachineTarget target = module.target;
  target.products = kind.products.value_or(target.products);
  Type pointer = module.pointer, i64 = module.i64, index = module.index;
  Type sumType = typeOf(kind.sums(), &context);
  Sizes known = sizesOf(kind, example);
  Compiled compiled;

  auto makeSpec = [&](Value sizes) {
    auto read = [&](size_t offset) -> Value {
      Value address = builder.create<LLVM::GEPOp>(
          loc, pointer, i64, sizes, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset / 8)});
      Value value = builder.create<LLVM::LoadOp>(loc, i64, address);
      return builder.create<arith::IndexCastOp>(loc, index, value);
    };
    auto size = [&](size_t offset, int64_t value) {
      bool isWeight = offset == offsetof(Sizes, n) || offset == offsetof(Sizes, k);
      bool isKnown = kind.staticSizes || (kind.knowsWeights && isWeight) ||
                     (kind.knowsRows && offset == offsetof(Sizes, m)) ||
                     (kind.knowsColumns && offset == offsetof(Sizes, n)) ||
                     (kind.knowsDepth && offset == offsetof(Sizes, k)) ||
                     (kind.knowsBatch && offset == offsetof(Sizes, batch));
      return ContractionSize{read(offset), isKnown ? std::optional(value) : std::nullopt,
                             isKnown ? ir::DimExpr(value) : ir::DimExpr::symbol(offset)};
    };
    ContractionSpec spec;
    spec.accumulatorType = sumType;
    spec.batch = size(offsetof(Sizes, batch), known.batch);
    spec.m = size(offsetof(Sizes, m), known.m);
    spec.n = size(offsetof(Sizes, n), known.n);
    spec.k = size(offsetof(Sizes, k), known.k);
    auto stride = [&](Layout layout, Layout unit, int64_t value) -> std::optional<int64_t> {
      if (kind.staticSizes)
        return value;
      return layout == unit ? std::optional<int64_t>(1) : std::nullopt;
    };
    spec.a = {Value(),
              typeOf(kind.dtype, &context),
              read(offsetof(Sizes, aBatch)),
              read(offsetof(Sizes, aRow)),
              read(offsetof(Sizes, aCol)),
              stride(kind.a, Layout::ColumnMajor, known.aRow),
              stride(kind.a, Layout::RowMajor, known.aCol)};
    spec.b = {Value(),
              typeOf(kind.dtypeOfB(), &context),
              read(offsetof(Sizes, bBatch)),
              read(offsetof(Sizes, bRow)),
              read(offsetof(Sizes, bCol)),
              kind.knowsStrides ? known.bRow : stride(kind.b, Layout::ColumnMajor, known.bRow),
              stride(kind.b, Layout::RowMajor, known.bCol)};
    return spec;
  };

  func::FuncOp units = module.begin("units", {pointer}, {i64});
  ContractionSpec counted = makeSpec(units.getArgument(0));
  ContractionPlan plan = planContraction(counted, target, kind.call);
  Value count = emitContractionUnits(builder, loc, counted, plan, target);
  compiled.unitSizes = contractionUnits(counted, plan);
  builder.create<func::ReturnOp>(loc,
                                 ValueRange{builder.create<arith::IndexCastOp>(loc, i64, count)});

  func::FuncOp kernel = module.begin(
      "kernel", {pointer, pointer, pointer, pointer, pointer, pointer, i64, i64, i64}, {});
  ContractionSpec spec = makeSpec(kernel.getArgument(4));
  spec.a.base = kernel.getArgument(0);
  spec.b.base = kernel.getArgument(1);
  spec.scratch = kernel.getArgument(5);
  spec.unitsDone = kernel.getArgument(8);
  Value bias = kernel.getArgument(2), result = kernel.getArgument(3), sizes = kernel.getArgument(4);
  auto placeOf = [&](OpBuilder &b, Location loc, Value batch, Value m, Value column) -> Value {
    auto field = [&](size_t offset) -> Value {
      Value address = b.create<LLVM::GEPOp>(
          loc, pointer, i64, sizes, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset / 8)});
      return b.create<LLVM::LoadOp>(loc, i64, address);
    };
    Value offset = b.create<arith::AddIOp>(
        loc,
        b.create<arith::MulIOp>(loc, b.create<arith::IndexCastOp>(loc, i64, batch),
                                field(offsetof(Sizes, cBatch))),
        b.create<arith::MulIOp>(loc, b.create<arith::IndexCastOp>(loc, i64, m),
                                field(offsetof(Sizes, cRow))));
    offset = b.create<arith::AddIOp>(loc, offset, column);
    return b.create<LLVM::GEPOp>(loc, pointer, sumType, result, ValueRange{offset});
  };
  spec.askForResults = [&](OpBuilder &b, Location loc, Value batch, Value m, Value n, int64_t) {
    Value column = b.create<arith::IndexCastOp>(loc, i64, n);
    b.create<LLVM::Prefetch>(loc, placeOf(b, loc, batch, m, column), 0, 3, 1);
  };
  spec.store = [&](OpBuilder &b, Location loc, Value batch, Value m, Value n, Value sums,
                   Value mask) {
    auto vector = cast<VectorType>(sums.getType());
    Value column = b.create<arith::IndexCastOp>(loc, i64, n);
    Value to = placeOf(b, loc, batch, m, column);
    Value from = b.create<LLVM::GEPOp>(loc, pointer, sumType, bias, ValueRange{column});
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
    unsigned align = sumType.getIntOrFloatBitWidth() / 8;
    Value added;
    if (mask)
      added = b.create<LLVM::MaskedLoadOp>(loc, vector, from, mask, ValueRange{zero}, align);
    else
      added = b.create<LLVM::LoadOp>(loc, vector, from, align);
    Value value;
    if (isa<FloatType>(sumType)) {
      value = b.create<arith::AddFOp>(loc, sums, added);
      value = b.create<arith::MaximumFOp>(loc, value, zero);
    } else {
      value = b.create<arith::AddIOp>(loc, sums, added);
      value = b.create<arith::MaxSIOp>(loc, value, zero);
    }
    if (mask)
      b.create<LLVM::MaskedStoreOp>(loc, value, to, mask, align);
    else
      b.create<LLVM::StoreOp>(loc, value, to, align);
  };
  Value first = builder.create<arith::IndexCastOp>(loc, index, kernel.getArgument(6));
  Value last = builder.create<arith::IndexCastOp>(loc, index, kernel.getArgument(7));
  emitContraction(builder, loc, spec, plan, target, first, last);
  builder.create<func::ReturnOp>(loc);
  compiled.scratchBytes = plan.scratch.bytes;

  compiled.library = module.load();
  compiled.kernel = reinterpret_cast<KernelFn>(compiled.library->lookup("kernel"));
  compiled.units = reinterpret_cast<UnitsFn>(compiled.library->lookup("units"));
  REQUIRE(compiled.kernel);
  REQUIRE(compiled.units);
  return compiled;
}

// An array of any dtype whose values are exact in double, with a guard on either side.
class Array {
public:
  Array(Dtype dtype, int64_t elements)
      : dtype(dtype), elements(elements), bytes(guard + (elements * size() + 63) / 64 * 64 + guard),
        memory(static_cast<char *>(std::aligned_alloc(64, bytes)), &std::free) {
    std::memset(memory.get(), 0x5a, bytes);
  }

  int64_t size() const { return bytesOf(dtype); }
  char *data() const { return memory.get() + guard; }

  void fill(std::mt19937 &random) {
    for (int64_t i = 0; i < elements; ++i)
      set(i, randomElement(dtype, random));
  }

  void fillWithAny(std::mt19937 &random) {
    for (int64_t i = 0; i < elements * size(); ++i)
      data()[i] = static_cast<char>(random());
  }

  void set(int64_t i, double value) { put(dtype, data() + i * size(), value); }
  double get(int64_t i) const { return keratin::tests::get(dtype, data() + i * size()); }

  bool untouched(int64_t firstByte, int64_t lastByte) const {
    for (int64_t i = firstByte; i < lastByte; ++i)
      if (data()[i] != 0x5a)
        return false;
    return true;
  }
  bool guardsHold() const {
    return untouched(-guard, 0) && untouched(elements * size(), bytes - 2 * guard + guard);
  }
  bool operator==(const Array &other) const {
    return bytes == other.bytes && std::memcmp(memory.get(), other.memory.get(), bytes) == 0;
  }

private:
  static constexpr int64_t guard = 256;
  Dtype dtype;
  int64_t elements, bytes;
  std::unique_ptr<char, decltype(&std::free)> memory;
};

int64_t extent(int64_t batch, int64_t rows, int64_t cols, int64_t batchStride, int64_t row,
               int64_t col) {
  if (!batch || !rows || !cols)
    return 0;
  return (batch - 1) * batchStride + (rows - 1) * row + (cols - 1) * col + 1;
}

// Runs one problem, in `chunks` parts executed first to last and last to first, each in the scratch
// that the one before has left, and compares with plain loops.
void check(const Compiled &compiled, const Kind &kind, const Problem &problem, int chunks = 1) {
  CAPTURE(problem.batch, problem.m, problem.n, problem.k, chunks);
  std::mt19937 random(problem.m * 31 + problem.n * 7 + problem.k + 1);
  Sizes s = sizesOf(kind, problem);
  Dtype sums = kind.sums();
  Array a(kind.dtype, extent(s.batch, s.m, s.k, s.aBatch, s.aRow, s.aCol));
  Array b(kind.dtypeOfB(), extent(s.batch, s.k, s.n, s.bBatch, s.bRow, s.bCol));
  Array bias(sums, s.n), c(sums, s.batch * s.cBatch);
  Array scratch(Dtype::F32, compiled.scratchBytes / 4);
  for (Array *factor : {&a, &b})
    kind.narrowB ? factor->fillWithAny(random) : factor->fill(random);
  bias.fill(random);

  auto run = [&](Array &result, int parts, bool isBackwards) {
    int64_t units = compiled.units(&s);
    REQUIRE((units > 0) == (s.batch * s.m * s.n > 0));
    // As kernels are printed.
    REQUIRE(compiled.unitSizes.evaluate([&](int64_t offset) {
      return *reinterpret_cast<const int64_t *>(reinterpret_cast<const char *>(&s) + offset);
    }) == units);
    int64_t done = 0;
    for (int i = 0; i < parts; ++i) {
      const int part = isBackwards ? parts - 1 - i : i;
      const int64_t begin = units * part / parts, end = units * (part + 1) / parts;
      compiled.kernel(a.data(), b.data(), bias.data(), result.data(), &s, scratch.data(), begin,
                      end, done);
      done = begin < end ? end : done;
    }
  };
  run(c, 1, false);
  REQUIRE(a.guardsHold());
  REQUIRE(b.guardsHold());
  REQUIRE(c.guardsHold());
  REQUIRE(scratch.guardsHold());
  for (bool isBackwards : {false, true})
    if (chunks > 1) {
      Array again(sums, s.batch * s.cBatch);
      run(again, chunks, isBackwards);
      REQUIRE(c == again);
    }

  double epsilon = sums == Dtype::F32 ? 0x1p-24 : sums == Dtype::F64 ? 0x1p-53 : 0;
  int64_t wrong = 0, trampled = 0;
  std::vector<double> left(s.k), weights(s.k * s.n);
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    for (int64_t k = 0; k < s.k; ++k)
      for (int64_t n = 0; n < s.n; ++n)
        weights[k * s.n + n] = b.get(batch * s.bBatch + k * s.bRow + n * s.bCol);
    for (int64_t m = 0; m < s.m; ++m) {
      int64_t row = batch * s.cBatch + m * s.cRow;
      for (int64_t k = 0; k < s.k; ++k)
        left[k] = a.get(batch * s.aBatch + m * s.aRow + k * s.aCol);
      const std::vector<Terms> products = timesMatrix(left, weights, s.n);
      for (int64_t n = 0; n < s.n; ++n) {
        double sum = products[n].sum + bias.get(n);
        if (sums == Dtype::I32)
          sum = static_cast<int32_t>(static_cast<int64_t>(sum));
        double expected = std::max(0.0, sum);
        double bound = (s.k + 2) * epsilon * (products[n].size + std::abs(bias.get(n))) * 1.01;
        wrong += !(std::abs(c.get(row + n) - expected) <= bound);
      }
      trampled += !c.untouched((row + s.n) * c.size(), (row + s.cRow) * c.size());
    }
  }
  CHECK(wrong == 0);
  CHECK(trampled == 0);
}

constexpr std::array<int64_t, 13> interestingSizes = {0,  1,  2,  3,  5,   15, 16,
                                                      17, 31, 33, 64, 100, 257};

// Every size in every place at least twice, and more pairs at random.
std::vector<Problem> sampledProblems(int seed, int extra) {
  std::mt19937 random(seed);
  auto any = [&] { return interestingSizes[random() % interestingSizes.size()]; };
  std::vector<Problem> problems;
  for (int64_t size : interestingSizes) {
    problems.push_back({1, size, any(), any()});
    problems.push_back({1, any(), size, any()});
    problems.push_back({1, any(), any(), size});
  }
  for (int i = 0; i < extra; ++i)
    problems.push_back(
        {static_cast<int64_t>(random() % 4), any(), any(), any(), random() % 2 == 0});
  return problems;
}

// What is compiled for many machines, dtypes and layouts is sampled where KERATIN_TEST_EVERY says
// so.
const char *const machines[] = {"native", "x86-64-v3", "x86-64-v2"};

// Halves are widened as they are read where rows are few, some machines apart.
const std::pair<Dtype, const char *> halvesAndMachines[] = {
    {Dtype::F32, "native"},    {Dtype::F32, "x86-64-v3"}, {Dtype::F32, "x86-64-v2"},
    {Dtype::F16, "native"},    {Dtype::F16, "x86-64-v2"}, {Dtype::BF16, "native"},
    {Dtype::BF16, "x86-64-v3"}};

// Ours without instructions that multiply pairs, where it has them; else ours.
const char *withoutPairs() { return hostMachine().multipliesPairs ? "x86-64-v4" : "native"; }

// Those that multiply pairs of bfloat16, one after the other and in tiles of AMX, which the test
// executes itself where the processor has none; none if it has no AVX-512 for the rest.
const char *const inPairs = "x86-64-v4+avx512bf16", *const inTiles =
                                                        "x86-64-v4+avx512bf16+amx-tile+amx-bf16";
std::vector<std::string> pairMachines() {
  if (!hostMachine().multipliesPairs)
    return {};
  return {inPairs, inTiles};
}

// Sums as they are defined for pairs: of each two products the second first, each rounded once.
float sumOfPairs(const std::vector<float> &a, const std::vector<float> &b) {
  float sum = 0;
  for (size_t k = 0; k < a.size(); k += 2) {
    if (k + 1 < a.size())
      sum = std::fma(a[k + 1], b[k + 1], sum);
    sum = std::fma(a[k], b[k], sum);
  }
  return sum;
}

// And for tiles: of each sixteen pairs the first products and the second ones by themselves.
float sumOfTiles(const std::vector<float> &a, const std::vector<float> &b) {
  float sum = 0;
  for (size_t from = 0; from < a.size(); from += 32) {
    float halves[2] = {0, 0};
    for (size_t k = from; k < std::min(from + 32, a.size()); ++k)
      halves[k % 2] = std::fma(a[k], b[k], halves[k % 2]);
    sum += halves[0] + halves[1];
  }
  return sum;
}

// The factors of one product: any of 2^-`small` to 2^`large` in magnitude, or zero.
struct Magnitudes {
  int small, large;
  void fill(Array &array, int64_t from, int64_t to, std::mt19937 &random) const {
    for (int64_t i = from; i < to; ++i) {
      int exponent = large - static_cast<int>(random() % (large + small + 1));
      double number = std::ldexp(1 + random() % 128 / 128.0, exponent);
      array.set(i, random() % 8 == 0 ? 0 : random() % 2 ? number : -number);
    }
  }
};

// A product without a bias, whose results are those of sumOfPairs() or sumOfTiles() bit by bit.
void checkBits(const Compiled &compiled, const Kind &kind, const Problem &problem, const Array &a,
               const Array &b) {
  Sizes s = sizesOf(kind, problem);
  Array bias(Dtype::F32, s.n), c(Dtype::F32, s.cBatch),
      scratch(Dtype::F32, compiled.scratchBytes / 4);
  for (int64_t n = 0; n < s.n; ++n)
    bias.set(n, 0);
  compiled.kernel(a.data(), b.data(), bias.data(), c.data(), &s, scratch.data(), 0,
                  compiled.units(&s), 0);
  int64_t wrong = 0;
  std::vector<float> left(s.k), right(s.k);
  for (int64_t m = 0; m < s.m; ++m)
    for (int64_t n = 0; n < s.n; ++n) {
      for (int64_t k = 0; k < s.k; ++k) {
        left[k] = static_cast<float>(a.get(m * s.aRow + k * s.aCol));
        right[k] = static_cast<float>(b.get(k * s.bRow + n * s.bCol));
      }
      // The epilogue of compile().
      float sum = (kind.machine == inTiles ? sumOfTiles : sumOfPairs)(left, right),
            found = static_cast<float>(c.get(m * s.cRow + n));
      float expected = std::isnan(sum) ? sum : std::max(sum, 0.0f);
      wrong += std::isnan(expected) ? !std::isnan(found) : found != expected;
    }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("one compilation serves all sizes, in every layout") {
  Sample sample;
  for (const char *machine : {"native", "x86-64-v3", "x86-64-v2", KernelModule::oneLane})
    for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
      for (Layout b : {Layout::RowMajor, Layout::ColumnMajor}) {
        if (!sample.takesNext())
          continue;
        Kind kind{Dtype::F32, a, b, machine};
        CAPTURE(machine, static_cast<int>(a), static_cast<int>(b));
        Compiled compiled = compile(kind, {});
        for (const Problem &problem : sampledProblems(17, 20))
          check(compiled, kind, problem, 3);
      }
}

TEST_CASE("wide elements in vectors of one") {
  Kind kind{Dtype::F64, Layout::RowMajor, Layout::ColumnMajor, KernelModule::oneLane};
  Compiled compiled = compile(kind, {});
  for (const Problem &problem : sampledProblems(19, 10))
    check(compiled, kind, problem, 2);
}

TEST_CASE("every dtype in every layout") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F64, Dtype::BF16, Dtype::F16, Dtype::I32, Dtype::I64})
      for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
        for (Layout b : {Layout::RowMajor, Layout::ColumnMajor}) {
          if (a != b && machine != machines[0])
            continue; // layouts are combined above
          if (!sample.takesNext())
            continue;
          Kind kind{dtype, a, b, machine};
          CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(a), static_cast<int>(b));
          Compiled compiled = compile(kind, {});
          for (const Problem &problem : sampledProblems(5, 2))
            if (problem.m * problem.n * problem.k < 1 << 18)
              check(compiled, kind, problem, 2);
        }
}

// Of 8 and 16 bits with any signs; products of the smallest of 16 bits have the largest sums.
const std::pair<Dtype, Dtype> narrowIntegers[] = {
    {Dtype::U8, Dtype::I8}, {Dtype::I8, Dtype::I8},   {Dtype::U8, Dtype::U8},
    {Dtype::I8, Dtype::U8}, {Dtype::I16, Dtype::I16}, {Dtype::U8, Dtype::I16}};

// By pairs, by fours, and in tiles; the test executes itself what the processor has not.
const char *const integerMachines[] = {"native",
                                       "x86-64-v3",
                                       "x86-64-v2",
                                       KernelModule::oneLane,
                                       "x86-64-v3+avxvnni",
                                       "x86-64-v3+amx-tile+amx-int8"};

TEST_CASE("narrow integers are summed in int32 in every layout") {
  Sample sample;
  for (const char *machine : integerMachines)
    for (auto [dtype, dtypeOfB] : narrowIntegers)
      for (Layout a : {Layout::RowMajor, Layout::ColumnMajor, Layout::Strided})
        for (Layout b : {Layout::RowMajor, Layout::ColumnMajor, Layout::Strided}) {
          if ((a == Layout::Strided) != (b == Layout::Strided) || !sample.takesNext())
            continue;
          Kind kind{dtype, a, b, machine};
          kind.narrowB = dtypeOfB;
          CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(dtypeOfB), static_cast<int>(a),
                  static_cast<int>(b));
          // An instruction that is not the processor's takes a thousand times as long: tiles have
          // few.
          const bool isEmulated = llvm::StringRef(machine).contains('+');
          Compiled compiled = compile(kind, {});
          for (const Problem &problem : sampledProblems(29, 4))
            if (!isEmulated || problem.m * problem.n * problem.k < 1 << 15)
              check(compiled, kind, problem, 3);
          if (!llvm::StringRef(machine).ends_with("vnni"))
            check(compiled, kind, {1, 20, 33, 9001}, 2);
          // Rows and dot products, few rows in place, tiles, known and to be known.
          kind.call = {.mayHaveFewRows = true};
          compiled = compile(kind, {});
          for (int64_t m : {1, 2, 9, 40})
            check(compiled, kind, {1, m, 70, 30}, 2);
          kind.call = {};
          kind.staticSizes = true;
          for (const Problem &problem :
               {Problem{1, 1, 257, 100}, Problem{2, 2, 64, 33}, Problem{1, 5, 640, 90},
                Problem{1, 33, 112, 103}, Problem{2, 48, 40, 64}})
            check(compile(kind, problem), kind, problem, 2);
        }
}

TEST_CASE("sums of the smallest integers wrap") {
  Kind kind{Dtype::I16};
  kind.narrowB = Dtype::I16;
  const Problem problem{1, 7, 20, 6};
  Compiled compiled = compile(kind, {});
  Sizes s = sizesOf(kind, problem);
  Array a(Dtype::I16, s.aBatch), b(Dtype::I16, s.bBatch), bias(Dtype::I32, s.n),
      c(Dtype::I32, s.cBatch), scratch(Dtype::F32, compiled.scratchBytes / 4);
  for (Array *factor : {&a, &b})
    for (int64_t i = 0; i < s.k * (factor == &a ? s.m : s.n); ++i)
      factor->set(i, -32768);
  for (int64_t n = 0; n < s.n; ++n)
    bias.set(n, -2147483641); // 6 * 2^30 is -2^31 there
  compiled.kernel(a.data(), b.data(), bias.data(), c.data(), &s, scratch.data(), 0,
                  compiled.units(&s), 0);
  for (int64_t m = 0; m < s.m; ++m)
    for (int64_t n = 0; n < s.n; ++n)
      REQUIRE(c.get(m * s.cRow + n) == 7);
}

TEST_CASE("bfloat16 where pairs cannot be multiplied at once") {
  for (Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
    Kind kind{Dtype::BF16, layout, layout, withoutPairs()};
    Compiled compiled = compile(kind, {});
    for (const Problem &problem : sampledProblems(23, 2))
      check(compiled, kind, problem, 2);
  }
}

// Instructions that multiply pairs take denormal numbers for zeros: what is so small has the bits
// of other instructions all the same.
TEST_CASE("pairs of bfloat16 of any magnitude have the bits of fused products") {
  const std::pair<Magnitudes, Magnitudes> magnitudes[] = {
      {{3, 3}, {3, 3}},         // pairs at once
      {{56, -56}, {56, -56}},   // just so
      {{57, -57}, {56, -56}},   // sums may be denormal
      {{125, -90}, {-13, 20}},  // just so
      {{133, -100}, {-20, 30}}, // denormal factors
      {{126, 127}, {126, 127}}, // and infinite sums
  };
  for (const std::string &machine : pairMachines())
    for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
      for (Layout b : {Layout::RowMajor, Layout::ColumnMajor}) {
        Kind kind{Dtype::BF16, a, b, machine};
        Compiled compiled = compile(kind, {});
        std::mt19937 random(7);
        for (auto [ofA, ofB] : magnitudes)
          for (const Problem &problem :
               {Problem{1, 17, 35, 65}, Problem{1, 60, 40, 600}, Problem{1, 3, 100, 20}}) {
            CAPTURE(machine, static_cast<int>(a), static_cast<int>(b), ofA.small, ofB.small,
                    problem.m);
            Array left(Dtype::BF16, problem.m * problem.k),
                right(Dtype::BF16, problem.k * problem.n);
            ofA.fill(left, 0, problem.m * problem.k, random);
            ofB.fill(right, 0, problem.k * problem.n, random);
            checkBits(compiled, kind, problem, left, right);
          }
      }
}

// Blocks, tiles and steps in part.
TEST_CASE("pairs of bfloat16 have their bits in products of any size") {
  const Problem problems[] = {{1, 16, 32, 32},   {1, 32, 16, 64},   {1, 33, 17, 31},
                              {1, 48, 100, 1},   {1, 130, 70, 96},  {1, 15, 33, 1100},
                              {1, 49, 50, 1025}, {1, 40, 40, 4200}, {1, 64, 64, 0}};
  Sample sample;
  for (const std::string &machine : pairMachines())
    for (Layout layout : {Layout::RowMajor, Layout::ColumnMajor, Layout::Strided})
      for (bool isKnown : {false, true}) {
        Kind kind{Dtype::BF16, layout, layout, machine, isKnown};
        Compiled compiled;
        for (const Problem &problem : problems) {
          CAPTURE(machine, static_cast<int>(layout), problem.m, problem.n, problem.k);
          // Few rows are not multiplied in pairs.
          if ((isKnown && problem.m < 20) || !sample.takesNext())
            continue;
          if (isKnown || !compiled.library)
            compiled = compile(kind, isKnown ? problem : Problem());
          std::mt19937 random(11);
          const Sizes s = sizesOf(kind, problem);
          Array left(Dtype::BF16, s.aBatch), right(Dtype::BF16, s.bBatch);
          left.fill(random);
          right.fill(random);
          checkBits(compiled, kind, problem, left, right);
        }
      }
}

// Whole lines of whole tiles, of one tile and of two, of units in part, of several depth blocks.
TEST_CASE("pairs of bfloat16 whose rows are lines of tiles in memory have their bits") {
  const std::pair<Magnitudes, Magnitudes> magnitudes[] = {
      {{3, 3}, {3, 3}}, {{57, -57}, {56, -56}}, {{133, -100}, {-20, 30}}};
  const Problem problems[] = {
      {1, 48, 35, 96}, {1, 304, 40, 64}, {1, 32, 70, 1184}, {1, 80, 33, 4288}};
  for (const std::string &machine : pairMachines())
    for (const Problem &problem : problems) {
      Kind kind{Dtype::BF16, Layout::RowMajor, Layout::RowMajor, machine, true};
      Compiled compiled = compile(kind, problem);
      std::mt19937 random(13);
      for (auto [ofA, ofB] : magnitudes) {
        CAPTURE(machine, problem.m, problem.k, ofA.small);
        Array left(Dtype::BF16, problem.m * problem.k), right(Dtype::BF16, problem.k * problem.n);
        ofA.fill(left, 0, problem.m * problem.k, random);
        ofB.fill(right, 0, problem.k * problem.n, random);
        checkBits(compiled, kind, problem, left, right);
      }
      check(compiled, kind, problem, 3);
    }
}

TEST_CASE("pairs of bfloat16 among infinities, NaN and denormal numbers") {
  for (const std::string &machine : pairMachines()) {
    Kind kind{Dtype::BF16, Layout::RowMajor, Layout::RowMajor, machine};
    Compiled compiled = compile(kind, {});
    const double special[] = {INFINITY, -INFINITY, NAN, 0x1p-133, -0x1p-127, 0.0, -0.0, 0x1.fep127};
    std::mt19937 random(8);
    for (const Problem &problem : {Problem{1, 20, 40, 33}, Problem{1, 70, 70, 8}}) {
      Array left(Dtype::BF16, problem.m * problem.k), right(Dtype::BF16, problem.k * problem.n);
      for (Array *array : {&left, &right}) {
        const int64_t count = array == &left ? problem.m * problem.k : problem.k * problem.n;
        array->fill(random);
        for (int64_t i = 0; i < count; ++i)
          if (random() % 32 == 0)
            array->set(i, special[random() % std::size(special)]);
      }
      checkBits(compiled, kind, problem, left, right);
    }
  }
}

// Denormal sums of a depth that waits in the scratch, before others that could be of pairs at once.
TEST_CASE("pairs of bfloat16 behind denormal sums") {
  for (const std::string &machine : pairMachines()) {
    Kind kind{Dtype::BF16, Layout::RowMajor, Layout::RowMajor, machine};
    Compiled compiled = compile(kind, {});
    std::mt19937 random(9);
    const Magnitudes tiny{76, -69}, plain{20, 0};
    for (int64_t rows :
         {5, 90}) { // of one block, whose panels are packed by themselves, and of two
      Problem problem{1, rows, 40, 8301};
      Array left(Dtype::BF16, problem.m * problem.k), right(Dtype::BF16, problem.k * problem.n);
      plain.fill(left, 0, problem.m * problem.k, random);
      for (int64_t m = 0; m < rows; ++m) {
        tiny.fill(left, m * problem.k, m * problem.k + 4000, random);
        for (int64_t k = 4000; k < problem.k; ++k)
          if (k % 1000 != 0 || m % 2)
            left.set(m * problem.k + k, 0);
      }
      plain.fill(right, 0, problem.k * problem.n, random);
      tiny.fill(right, 0, 4000 * problem.n, random);
      checkBits(compiled, kind, problem, left, right);
    }
  }
}

TEST_CASE("strides that are not one are collected element by element") {
  for (Dtype dtype : {Dtype::F32, Dtype::BF16}) {
    Kind kind{dtype, Layout::Strided, Layout::Strided, "native"};
    Compiled compiled = compile(kind, {});
    for (const Problem &problem : sampledProblems(3, 5))
      check(compiled, kind, problem, 2);
  }
}

TEST_CASE("sizes known at compile time choose other tiles and give right results") {
  const Problem problems[] = {{1, 32, 256, 64},   {1, 32, 128, 256}, {1, 32, 10, 128},
                              {1, 64, 256, 32},   {1, 1, 257, 100},  {2, 3, 48, 33},
                              {3, 10, 40, 17},    {1, 100, 1, 64},   {1, 257, 100, 257},
                              {2, 128, 128, 512}, {1, 5, 5, 0},      {1, 33, 112, 1024}};
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16})
      for (const Problem &problem : problems)
        for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
          for (Layout b : {Layout::RowMajor, Layout::ColumnMajor}) {
            if ((a != b || dtype != Dtype::F32) && machine != machines[0])
              continue;
            if (!sample.takesNext())
              continue;
            Kind kind{dtype, a, b, machine, true};
            CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(a), static_cast<int>(b));
            check(compile(kind, problem), kind, problem, 2);
          }
}

// Whole tiles, rows for small ones, and several units; sums at once, in one part and in several,
// and continued.
TEST_CASE("tiles as wide as an Emerald Rapids likes them") {
  const Problem problems[] = {{1, 57, 64, 40},    {1, 60, 128, 300},  {2, 100, 256, 1024},
                              {1, 121, 112, 700}, {1, 65, 320, 1025}, {1, 58, 64, 4200}};
  Sample sample;
  for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I32})
    for (const Problem &problem : problems)
      for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
        for (Layout b : {Layout::RowMajor, Layout::ColumnMajor}) {
          if (!sample.takesNext())
            continue;
          Kind kind{dtype, a, b, "native", true};
          kind.products = productTraits("emeraldrapids", /*hasAmx=*/false);
          CAPTURE(static_cast<int>(dtype), static_cast<int>(a), static_cast<int>(b));
          check(compile(kind, problem), kind, problem, 2);
        }
}

// Of a unit; sums at once, in parts of the depth, and so many steps that more rows were two units.
TEST_CASE("known rows are evened out over tiles of two sizes") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16})
      for (int64_t m : {11, 16, 21, 26, 27, 32, 41, 49, 50, 56})
        for (int64_t k : {40, 700, 2100}) {
          if (!sample.takesNext())
            continue;
          CAPTURE(machine, static_cast<int>(dtype), m, k);
          Kind kind{dtype, Layout::RowMajor, k == 700 ? Layout::ColumnMajor : Layout::RowMajor,
                    machine, true};
          check(compile(kind, {1, m, 272, k}), kind, {1, m, 272, k}, 2);
        }
}

TEST_CASE("a row times a matrix, contiguous in depth, is dot products") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I32}) {
      CAPTURE(machine, static_cast<int>(dtype));
      Kind row{dtype, Layout::RowMajor, Layout::ColumnMajor, machine, true};
      for (const Problem &problem :
           {Problem{1, 1, 257, 100}, Problem{2, 1, 64, 33, true}, Problem{1, 1, 3, 0},
            Problem{3, 1, 1, 300}, Problem{2, 1, 3, 70}})
        if (sample.takesNext())
          check(compile(row, problem), row, problem, 3);
    }
}

// Rows of up to two vectors, one more; of them as many as sums of a vector, one less and one more.
TEST_CASE("a row times a matrix of short columns sums whole vectors") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I32})
      for (int64_t k : {1, 4, 7, 10, 16, 17, 32, 33}) {
        CAPTURE(machine, static_cast<int>(dtype));
        Kind kind{dtype, Layout::RowMajor, Layout::ColumnMajor, machine};
        kind.knowsRows = true;
        kind.knowsDepth = true;
        if (sample.takesNext()) {
          Compiled compiled = compile(kind, {1, 1, 0, k});
          for (int64_t n : {0, 1, 3, 8, 15, 16, 17, 40, 64, 65, 79, 80, 257})
            check(compiled, kind, {2, 1, n, k}, 3);
        }
        kind.staticSizes = true;
        for (int64_t n : {1, 6, 16, 75})
          if (sample.takesNext())
            check(compile(kind, {2, 1, n, k}), kind, {2, 1, n, k}, 3);
      }
}

// Of panels one, one that is not whole, several; of as many steps as are side by side, one less and
// one more; of rows as many as fit, and more.
TEST_CASE("few rows are one tile over the whole depth") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I32})
      for (auto [m, n] : {std::pair{1, 3},
                          {1, 33},
                          {1, 128},
                          {1, 300},
                          {1, 520},
                          {2, 16},
                          {2, 65},
                          {2, 256},
                          {3, 10},
                          {4, 100},
                          {5, 64},
                          {6, 31},
                          {8, 48},
                          {8, 49},
                          {10, 10},
                          {13, 40},
                          {16, 16},
                          {17, 8}}) {
        if (!sample.takesNext())
          continue;
        CAPTURE(machine, static_cast<int>(dtype), m, n);
        Kind kind{dtype, m % 2 ? Layout::RowMajor : Layout::ColumnMajor, Layout::RowMajor, machine};
        kind.knowsRows = true;
        kind.knowsColumns = true;
        Compiled compiled = compile(kind, {1, m, n, 0});
        for (int64_t k : {0, 1, 3, 4, 7, 8, 9, 16, 300})
          check(compiled, kind, {3, m, n, k}, 2);
        kind.staticSizes = true;
        for (int64_t k : {5, 20})
          check(compile(kind, {1, m, n, k}), kind, {1, m, n, k}, 2);
      }
}

TEST_CASE("few rows of which the call knows the number read B where it is") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I32})
      for (int64_t columns : {0, 10, 64, 100, 300}) {
        if (!sample.takesNext())
          continue;
        CAPTURE(machine, static_cast<int>(dtype), columns);
        Kind kind{dtype, columns % 3 ? Layout::RowMajor : Layout::ColumnMajor, Layout::RowMajor,
                  machine};
        kind.call.hasFewRows = true;
        kind.knowsColumns = columns > 0;
        Compiled compiled = compile(kind, {1, 0, columns, 0});
        llvm::SmallVector<int64_t> manyColumns{1, 9, 40, 130, 257, 520};
        if (columns > 0)
          manyColumns = {columns};
        for (int64_t n : manyColumns)
          for (int64_t m : {0, 1, 2, 3, 5, 7})
            for (int64_t k : {0, 1, 6, 37})
              check(compiled, kind, {3, m, n, k}, 2);
        if (columns > 16)
          check(compiled, kind, {2, 16, columns, 300}, 3);
        if (columns == 0)
          check(compiled, kind, {2, 63, 70, 20}, 3);
        kind.knowsRows = true;
        for (int64_t m : {1, 4, 6})
          check(compile(kind, {1, m, columns, 0}), kind, {2, m, columns > 0 ? columns : 70, 20}, 3);
      }
}

// Of less than a vector, in rows together and apart, and of up to four panels; of rows as many as
// tiles have, and more.
TEST_CASE("columns of a part of a panel are read where they are") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64})
      for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
        for (int64_t n : {2, 10, 16, 30, 100, 129}) {
          if (!sample.takesNext())
            continue;
          CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(a), n);
          for (bool isTogether : {false, true}) {
            Kind kind{dtype, a, Layout::RowMajor, machine};
            kind.knowsWeights = isTogether;
            kind.knowsColumns = true;
            kind.knowsStrides = isTogether;
            Compiled compiled = compile(kind, {1, 0, n, 37});
            for (int64_t m : {1, 3, 15, 16, 32, 33, 49, 65, 200})
              check(compiled, kind, {2, m, n, 37}, 3);
          }
          Kind kind{dtype, a, Layout::RowMajor, machine, true};
          for (int64_t m : {5, 20, 37, 130})
            check(compile(kind, {1, m, n, 600}), kind, {1, m, n, 600}, 2);
        }
}

TEST_CASE("sums longer than the scratch holds are set aside and continued") {
  for (Dtype dtype : {Dtype::F32, Dtype::BF16})
    for (Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
      Kind kind{dtype, layout, layout, "native"};
      Compiled compiled = compile(kind, {});
      check(compiled, kind, {1, 30, 150, 9001}, 2);
      check(compiled, kind, {2, 130, 40, 5000}, 3);
      check(compiled, kind, {1, 5, 3, 20001}, 2);
    }
}

TEST_CASE("few rows of unknown number stream large weights") {
  Sample sample;
  for (auto [dtype, machine] : halvesAndMachines)
    for (Layout a : {Layout::RowMajor, Layout::ColumnMajor})
      for (auto [n, k] : {std::pair{530, 300}, {512, 290}, {40, 4500}, {150, 1030}}) {
        if (dtype != Dtype::F32 && a != Layout::RowMajor)
          continue;
        if (!sample.takesNext())
          continue;
        Kind kind{dtype, a, Layout::RowMajor, machine, false, true};
        CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(a), n, k);
        Compiled compiled = compile(kind, {1, 0, n, k});
        for (int64_t m : {1, 3, 14, 31, 32, 56, 57, 130})
          check(compiled, kind, {1, m, n, k}, 3);
        check(compiled, kind, {2, 15, n, k}, 3);
        kind.call.mayHaveFewRows = true;
        compiled = compile(kind, {1, 0, n, k});
        for (int64_t m : {1, 4, 5, 8, 9, 12, 13, 14, 23, 57})
          check(compiled, kind, {1, m, n, k}, 3);
        check(compiled, kind, {2, 11, n, k}, 3);
        kind.staticSizes = true;
        Problem known{1, 20, n, k};
        check(compile(kind, known), kind, known, 2);
      }
}

TEST_CASE("few rows or columns of which nothing is known") {
  Sample sample;
  for (auto [dtype, machine] : halvesAndMachines)
    for (Layout a : {Layout::RowMajor, Layout::ColumnMajor}) {
      if (!sample.takesNext())
        continue;
      CAPTURE(machine, static_cast<int>(dtype), static_cast<int>(a));
      Kind kind{dtype, a, Layout::RowMajor, machine};
      kind.call = {.mayHaveFewRows = true};
      Compiled compiled = compile(kind, {});
      for (int64_t m : {1, 3, 5, 8, 12, 13, 27})
        for (auto [n, k] : {std::pair{530, 300}, {512, 290}, {33, 4500}, {20, 7000}, {7, 9}})
          check(compiled, kind, {1, m, n, k}, 3);
      kind.call = {.columns = ContractionCall::OneVector};
      compiled = compile(kind, {});
      for (int64_t m : {1, 6, 31, 200})
        for (int64_t n : {1, 3, 4}) // fewer than the lanes of each machine
          check(compiled, kind, {2, m, n, 300}, 3);
      kind.call = {.columns = ContractionCall::Panel};
      kind.knowsRows = true;
      for (int64_t m : {1, 2}) {
        compiled = compile(kind, {1, m, 0, 0});
        for (auto [n, k] : {std::pair{256, 40}, {600, 1500}, {1025, 3}})
          check(compiled, kind, {2, m, n, k}, 3);
      }
    }
}

// Of rows whole tiles, one more, one less, and whole units; of columns whole tiles and a part; out
// of registers and in a loop.
TEST_CASE("shallow sums of many rows are made through all columns at once") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::I32})
      for (int64_t n : {32, 48, 80, 144})
        for (int64_t k : {1, 16, 100})
          for (int64_t instructions : {1, 100}) {
            CAPTURE(machine, static_cast<int>(dtype), instructions);
            Kind kind{dtype, Layout::RowMajor, Layout::RowMajor, machine};
            kind.knowsWeights = kind.knowsStrides = kind.knowsBatch = true;
            kind.call = {.instructionsOfStore = instructions};
            if (sample.takesNext()) {
              Compiled compiled = compile(kind, {1, 0, n, k});
              for (int64_t m : {0, 1, 5, 6, 7, 59, 60, 61, 257})
                check(compiled, kind, {1, m, n, k}, 3);
            }
            kind.staticSizes = true;
            for (int64_t m : {60, 61, 95})
              if (sample.takesNext())
                check(compile(kind, {1, m, n, k}), kind, {1, m, n, k}, 2);
          }
}

TEST_CASE("many units, split anywhere, give the same bits") {
  Kind kind;
  Compiled compiled = compile(kind, {});
  for (int chunks : {2, 3, 7, 50})
    check(compiled, kind, {3, 257, 600, 300}, chunks);
}

TEST_CASE("infinities and NaN of one row do not reach another") {
  Kind kind;
  Compiled compiled = compile(kind, {});
  Problem problem{1, 17, 33, 20};
  Sizes s = sizesOf(kind, problem);
  std::mt19937 random(1);
  Array a(Dtype::F32, 17 * 20), b(Dtype::F32, 20 * 33), bias(Dtype::F32, 33),
      c(Dtype::F32, s.cBatch), scratch(Dtype::F32, compiled.scratchBytes / 4);
  a.fill(random);
  b.fill(random);
  bias.fill(random);
  for (int64_t k = 0; k < 20; ++k)
    a.set(16 * 20 + k, k == 3 ? INFINITY : NAN);
  compiled.kernel(a.data(), b.data(), bias.data(), c.data(), &s, scratch.data(), 0,
                  compiled.units(&s), 0);
  for (int64_t m = 0; m < 17; ++m)
    for (int64_t n = 0; n < 33; ++n)
      REQUIRE(std::isnan(c.get(m * s.cRow + n)) == (m == 16));
}
