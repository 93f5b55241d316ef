#include "codegen/cpu/ConvolutionKernel.h"
#include "codegen/cpu/ConvolutionBlocks.h"
#include "codegen/elements/LoopEmitter.h"
#include "tests/codegen/BareKernel.h"
#include "tests/codegen/KernelReference.h"
#include "tests/support/GuardedMemory.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>

using namespace mlir;
using namespace keratin::codegen;
namespace ir = keratin::ir;
using namespace keratin::tests;

namespace {

struct Window {
  int64_t x, filter, y, stride = 1, low = 0, dilation = 1, xDilation = 1;
  bool reversed = false;
};

// Letters as keratin.convolution has them.
struct Problem {
  std::string dims;
  std::vector<Window> windows;
  int64_t b = 1, g = 1, c = 1, f = 1;
};

struct Kind {
  Dtype dtype = Dtype::F32;
  std::string machine = "native";
  enum { Nothing, Channels, All } known = Nothing;
  // Integers of these types are widened to int32.
  std::optional<Dtype> narrowFilter = {};

  Dtype dtypeOfFilter() const { return narrowFilter.value_or(dtype); }
  Dtype sums() const { return narrowFilter ? Dtype::I32 : accumulatorOf(dtype); }
};

// A tensor's letters with their sizes, row-major.
struct Layout {
  std::string letters;
  std::map<char, int64_t> size, stride;
  int64_t elements = 1;

  Layout(const Problem &problem, const std::string &letters, char which) : letters(letters) {
    for (auto at = letters.rbegin(); at != letters.rend(); ++at) {
      int64_t extent = 1;
      switch (*at) {
      case 'b':
        extent = problem.b;
        break;
      case 'g':
        extent = problem.g;
        break;
      case 'c':
        extent = problem.c;
        break;
      case 'f':
        extent = problem.f;
        break;
      default: {
        const Window &window = problem.windows[*at - '0'];
        extent = which == 'x' ? window.x : which == 'w' ? window.filter : window.y;
      }
      }
      size[*at] = extent;
      stride[*at] = elements;
      elements *= extent;
    }
  }
  int64_t strideOf(char letter) const {
    auto found = stride.find(letter);
    return found == stride.end() ? 0 : found->second;
  }
};

struct Layouts {
  Layout x, w, y;
  explicit Layouts(const Problem &p)
      : x(p, p.dims.substr(0, p.dims.find(',')), 'x'),
        w(p, p.dims.substr(p.dims.find(',') + 1, p.dims.find('-') - p.dims.find(',') - 1), 'w'),
        y(p, p.dims.substr(p.dims.find('>') + 1), 'y') {}
};

// The numbers that compiled code reads: sizes, then strides, in a fixed order.
std::vector<int64_t> tableOf(const Problem &p) {
  std::vector<int64_t> table{p.b, p.g, p.c, p.f};
  Layouts at(p);
  for (size_t j = 0; j < p.windows.size(); ++j) {
    char digit = char('0' + j);
    const Window &w = p.windows[j];
    table.insert(table.end(), {w.x, w.filter, w.y, w.low, at.x.strideOf(digit),
                               at.w.strideOf(digit), at.y.strideOf(digit)});
  }
  for (char letter : {'b', 'g', 'c'})
    table.push_back(at.x.strideOf(letter));
  for (char letter : {'g', 'c', 'f'})
    table.push_back(at.w.strideOf(letter));
  for (char letter : {'b', 'g', 'f'})
    table.push_back(at.y.strideOf(letter));
  return table;
}

using KernelFn = void (*)(const void *x, const void *w, void *y, const int64_t *table,
                          void *scratch, int64_t begin, int64_t end, int64_t unitsDone);
using UnitsFn = int64_t (*)(const int64_t *table);

struct Compiled {
  std::unique_ptr<JitLibrary> library;
  KernelFn kernel = nullptr;
  UnitsFn units = nullptr;
  SizeCases unitSizes; // of sizes that are numbered by their slots
  int64_t scratchBytes = 0;
};

// y = sums, written with masks.
Compiled compile(const Kind &kind, const Problem &example) {
  KernelModule module(kind.machine);
  MLIRContext &context = module.context;
  OpBuilder &builder = module.builder;
  Location loc = module.loc;
  const MachineTarget &target = module.target;
  Type pointer = module.pointer, i64 = module.i64, index = module.index;
  Type sumType = typeOf(kind.sums(), &context);
  std::vector<int64_t> known = tableOf(example);
  size_t windows = example.windows.size();
  Compiled compiled;

  auto readAt = [&](OpBuilder &b, Value table, size_t slot) {
    LoopEmitter emit(b, loc, target);
    return emit.toIndex(emit.load(i64, emit.address(table, i64, int64_t(slot))));
  };
  auto makeSpec = [&](Value table) {
    // Unit strides are known whatever else is: they follow from the dimensions' letters.
    auto entry = [&](size_t slot, bool isKnown) {
      return ConvolutionSize{readAt(builder, table, slot),
                             isKnown ? std::optional(known[slot]) : std::nullopt,
                             isKnown ? ir::DimExpr(known[slot]) : ir::DimExpr::symbol(slot)};
    };
    bool all = kind.known == Kind::All, channels = kind.known != Kind::Nothing;
    Layouts at(example);
    auto stride = [&](size_t slot, const Layout &layout, char letter) {
      bool innermost = layout.letters.back() == letter;
      bool absent = layout.letters.find(letter) == std::string::npos;
      ConvolutionSize size = entry(slot, all || absent);
      if (innermost)
        size.constant = 1;
      return size;
    };
    auto has = [&](char letter) { return example.dims.find(letter) != std::string::npos; };
    ConvolutionSpec spec;
    spec.accumulatorType = sumType;
    spec.batch = entry(0, all || !has('b'));
    spec.groups = entry(1, channels || !has('g'));
    spec.contracted = entry(2, channels || !has('c'));
    spec.filters = entry(3, channels || !has('f'));
    spec.x.elementType = typeOf(kind.dtype, &context);
    spec.filter.elementType = typeOf(kind.dtypeOfFilter(), &context);
    for (size_t j = 0; j < windows; ++j) {
      size_t slot = 4 + 7 * j;
      char digit = char('0' + j);
      const Window &w = example.windows[j];
      ConvolutionWindow &window = spec.windows.emplace_back();
      // With channels known, so is the smaller of the filter and the result.
      window.x = entry(slot, all);
      window.filter = entry(slot + 1, all || (channels && w.filter <= w.y));
      window.y = entry(slot + 2, all || (channels && w.y < w.filter));
      window.low = entry(slot + 3, channels);
      window.stride = w.stride;
      window.dilation = w.dilation;
      window.xDilation = w.xDilation;
      window.reversed = w.reversed;
      spec.x.windows.push_back(stride(slot + 4, at.x, digit));
      spec.filter.windows.push_back(stride(slot + 5, at.w, digit));
    }
    size_t slot = 4 + 7 * windows;
    spec.x.batch = stride(slot, at.x, 'b');
    spec.x.groups = stride(slot + 1, at.x, 'g');
    spec.x.contracted = stride(slot + 2, at.x, 'c');
    spec.filter.groups = stride(slot + 3, at.w, 'g');
    spec.filter.contracted = stride(slot + 4, at.w, 'c');
    spec.filter.filters = stride(slot + 5, at.w, 'f');
    return spec;
  };

  func::FuncOp units = module.begin("units", {pointer}, {i64});
  ConvolutionSpec counted = makeSpec(units.getArgument(0));
  ConvolutionPlan plan = planConvolution(counted, target);
  Value count = emitConvolutionUnits(builder, loc, counted, plan, target);
  compiled.unitSizes = convolutionUnits(counted, plan);
  builder.create<func::ReturnOp>(loc,
                                 ValueRange{builder.create<arith::IndexCastOp>(loc, i64, count)});

  func::FuncOp kernel =
      module.begin("kernel", {pointer, pointer, pointer, pointer, pointer, i64, i64, i64}, {});
  Value table = kernel.getArgument(3), result = kernel.getArgument(2);
  ConvolutionSpec spec = makeSpec(table);
  spec.x.base = kernel.getArgument(0);
  spec.filter.base = kernel.getArgument(1);
  spec.scratch = kernel.getArgument(4);
  spec.unitsDone = kernel.getArgument(7);
  spec.store = [&](OpBuilder &b, Location loc, const ConvolutionPlace &place, Value sums,
                   Value mask) {
    LoopEmitter emit(b, loc, target);
    auto term = [&](Value index, size_t slot) {
      return emit.mul(emit.fromIndex(index), emit.fromIndex(readAt(b, table, slot)));
    };
    size_t slot = 4 + 7 * windows + 6;
    Value offset = emit.add(term(place.batch, slot), term(place.group, slot + 1));
    offset = emit.add(offset, term(place.filter, slot + 2));
    for (size_t j = 0; j < windows; ++j)
      offset = emit.add(offset, term(place.windows[j], 4 + 7 * j + 6));
    char lanes = place.alongGroups ? 'g' : 'f';
    if (Layouts(example).y.letters.back() == lanes)
      return emit.store(sums, emit.address(result, sumType, offset), mask);
    Value step = emit.fromIndex(readAt(b, table, slot + (place.alongGroups ? 1 : 2)));
    auto vector = cast<VectorType>(sums.getType());
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      auto put = [&] {
        Value at = emit.add(offset, emit.mul(step, lane));
        emit.store(b.create<vector::ExtractOp>(loc, sums, ArrayRef<int64_t>{lane}),
                   emit.address(result, sumType, at));
      };
      if (!mask) {
        put();
        continue;
      }
      emit.branch(b.create<vector::ExtractOp>(loc, mask, ArrayRef<int64_t>{lane}), put);
    }
  };
  Value first = builder.create<arith::IndexCastOp>(loc, index, kernel.getArgument(5));
  Value last = builder.create<arith::IndexCastOp>(loc, index, kernel.getArgument(6));
  emitConvolution(builder, loc, spec, plan, target, first, last);
  compiled.scratchBytes = plan.scratch.bytes;
  builder.create<func::ReturnOp>(loc);

  compiled.library = module.load();
  compiled.kernel = reinterpret_cast<KernelFn>(compiled.library->lookup("kernel"));
  compiled.units = reinterpret_cast<UnitsFn>(compiled.library->lookup("units"));
  REQUIRE(compiled.kernel);
  REQUIRE(compiled.units);
  return compiled;
}

// A tensor between pages that nobody may touch, its values exact in double.
struct Tensor {
  Tensor(Dtype dtype, int64_t elements, Edge edge)
      : dtype(dtype), elements(elements), memory(elements * bytesOf(dtype), edge) {}
  void fill(std::mt19937 &random) {
    for (int64_t i = 0; i < elements; ++i) {
      put(dtype, at(i), randomElement(dtype, random));
      values.push_back(get(dtype, at(i)));
    }
  }
  void fillWithAny(std::mt19937 &random) {
    for (size_t i = 0; i < memory.size(); ++i)
      static_cast<char *>(memory.data())[i] = static_cast<char>(random());
    for (int64_t i = 0; i < elements; ++i)
      values.push_back(get(dtype, at(i)));
  }
  char *at(int64_t i) const { return static_cast<char *>(memory.data()) + i * bytesOf(dtype); }

  Dtype dtype;
  int64_t elements;
  GuardedBuffer memory;
  std::vector<double> values;
};

void check(const Compiled &compiled, const Kind &kind, const Problem &p, int chunks = 1,
           Edge edge = Edge::End) {
  CAPTURE(p.dims, p.b, p.g, p.c, p.f, chunks, kind.machine, int(kind.dtype), int(kind.known));
  for (const Window &w : p.windows)
    UNSCOPED_INFO("x " << w.x << " filter " << w.filter << " y " << w.y << " stride " << w.stride
                       << " low " << w.low << " dilation " << w.dilation << " x dilation "
                       << w.xDilation << " reversed " << w.reversed);
  Layouts at(p);
  std::mt19937 random(7);
  Dtype sums = kind.sums();
  Tensor x(kind.dtype, at.x.elements, edge), w(kind.dtypeOfFilter(), at.w.elements, edge);
  for (Tensor *operand : {&x, &w})
    kind.narrowFilter ? operand->fillWithAny(random) : operand->fill(random);
  std::vector<int64_t> table = tableOf(p);
  int64_t units = compiled.units(table.data());
  REQUIRE((units > 0) == (at.y.elements > 0));
  // As kernels are printed, where the formula is not too long.
  auto unitSizes = compiled.unitSizes.evaluate([&](int64_t slot) { return table[slot]; });
  REQUIRE(unitSizes.value_or(units) == units);
  GuardedBuffer scratch(compiled.scratchBytes, edge, 64);
  // In the scratch that the part before has left.
  auto run = [&](Tensor &y, int parts, bool isBackwards) {
    std::memset(y.memory.data(), 0x5a, y.memory.size());
    int64_t done = 0;
    for (int i = 0; i < parts; ++i) {
      const int part = isBackwards ? parts - 1 - i : i;
      const int64_t begin = units * part / parts, end = units * (part + 1) / parts;
      compiled.kernel(x.memory.data(), w.memory.data(), y.memory.data(), table.data(),
                      scratch.data(), begin, end, done);
      done = begin < end ? end : done;
    }
    REQUIRE(x.memory.isIntact());
    REQUIRE(w.memory.isIntact());
    REQUIRE(y.memory.isIntact());
    REQUIRE(scratch.isIntact());
  };
  Tensor y(sums, at.y.elements, edge);
  run(y, 1, false);
  for (bool isBackwards : {false, true})
    if (chunks > 1) {
      Tensor again(sums, at.y.elements, edge);
      run(again, chunks, isBackwards);
      REQUIRE(std::memcmp(y.memory.data(), again.memory.data(), y.memory.size()) == 0);
    }
  double epsilon = sums == Dtype::F32 ? 0x1p-24 : sums == Dtype::F64 ? 0x1p-53 : 0;
  int64_t wrong = 0, each = std::max<int64_t>(1, at.y.elements / 4000);
  std::vector<SlidingWindow> windows;
  for (size_t j = 0; j < p.windows.size(); ++j) {
    const Window &v = p.windows[j];
    const char digit = char('0' + j);
    windows.push_back({v.x, v.filter, v.stride, v.low, v.dilation, v.xDilation, v.reversed,
                       at.x.strideOf(digit), at.w.strideOf(digit)});
  }
  std::vector<int64_t> o(p.windows.size());
  for (int64_t i = 0; i < at.y.elements; i += each) {
    std::map<char, int64_t> index;
    int64_t rest = i;
    for (char letter : at.y.letters) {
      index[letter] = rest / at.y.strideOf(letter);
      rest %= at.y.strideOf(letter);
    }
    for (size_t j = 0; j < o.size(); ++j)
      o[j] = index[char('0' + j)];
    const double *left = x.values.data() + index['b'] * at.x.strideOf('b') +
                         index['g'] * at.x.strideOf('g'),
                 *right = w.values.data() + index['g'] * at.w.strideOf('g') +
                          index['f'] * at.w.strideOf('f');
    const Terms e = convolve(windows, o, left, right, p.c, at.x.strideOf('c'), at.w.strideOf('c'));
    double found = get(sums, y.at(i));
    double want = sums == Dtype::I8    ? double(int8_t(int64_t(e.sum)))
                  : sums == Dtype::I32 ? double(int32_t(int64_t(e.sum)))
                                       : e.sum;
    double bound = (e.count + 2) * epsilon * e.size * 1.01;
    if (!(std::abs(found - want) <= bound) && wrong++ == 0)
      UNSCOPED_INFO("element " << i << ": " << found << ", not " << want);
  }
  CHECK(wrong == 0);
}

// A window whose result has the size that the attributes leave room for, at least 0.
Window window(int64_t x, int64_t filter, int64_t stride, int64_t low, int64_t high,
              int64_t dilation = 1, int64_t xDilation = 1, bool reversed = false) {
  int64_t dilated = x ? (x - 1) * xDilation + 1 : 0;
  int64_t room = low + dilated + high - (filter ? (filter - 1) * dilation + 1 : 0);
  return {x, filter, room < 0 ? 0 : room / stride + 1, stride, low, dilation, xDilation, reversed};
}

// What is compiled for many machines, dtypes and sizes is sampled where KERATIN_TEST_EVERY says so.
const char *const machines[] = {"native", "x86-64-v3", "x86-64-v2"};

// The layouts that the frontend and gradients make, and others.
const char *const forward[] = {"b01c,01cf->b01f", "bc01,fc01->bf01", "b01c,01fc->b01f",
                               "01bc,cf10->f01b"};
const char *const filterGradient[] = {"c01b,c01f->01bf", "cb01,cf01->fb01"};

} // namespace

TEST_CASE("convolutions of every layout with nothing known") {
  Sample sample;
  for (const char *dims : forward)
    for (const char *machine : {"native", "x86-64-v3", "x86-64-v2", KernelModule::oneLane}) {
      if (!sample.takesNext())
        continue;
      Kind kind{Dtype::F32, machine};
      Problem p{dims, {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 1, 5, 19};
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 3);
      p = {dims, {window(30, 3, 1, 0, 0), window(61, 2, 1, 3, 0)}, 1, 1, 17, 70};
      check(compiled, kind, p, 3, Edge::Start);
      p = {dims, {window(1, 1, 1, 0, 0), window(1, 1, 1, 0, 0)}, 3, 1, 1, 1};
      check(compiled, kind, p, 2);
    }
}

TEST_CASE("strides, dilations and paddings, also negative") {
  Sample sample;
  struct Attributes {
    int64_t stride, dilation, xDilation;
    bool reversed;
  };
  for (Attributes a : {Attributes{2, 1, 1, false},
                       {1, 2, 1, false},
                       {2, 2, 1, true},
                       {3, 2, 1, false},
                       {1, 1, 2, true},
                       {1, 1, 3, false},
                       {1, 2, 2, false},
                       {2, 1, 2, false},
                       {2, 3, 4, true},
                       {4, 6, 6, false},
                       {5, 1, 1, false}})
    for (const char *dims : {"b01c,01cf->b01f", "c01b,c01f->01bf"}) {
      if (!sample.takesNext())
        continue;
      Kind kind;
      auto make = [&](int64_t x, int64_t filter, int64_t low, int64_t high) {
        return window(x, filter, a.stride, low, high, a.dilation, a.xDilation, a.reversed);
      };
      Problem p{dims, {make(7, 3, 1, 2), make(10, 4, 3, 1)}, 2, 1, 3, 20};
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 4);
      p.windows = {make(12, 2, -2, -1), make(9, 3, -3, 8)};
      check(compiled, kind, p, 4, Edge::Start);
      p.windows = {make(3, 5, 9, 9), make(2, 1, 30, 40)};
      check(compiled, kind, p, 2);
    }
}

TEST_CASE("sizes known at compile time") {
  Sample sample;
  for (const char *machine : machines)
    for (auto known : {Kind::Channels, Kind::All}) {
      Kind kind{Dtype::F32, machine, known};
      for (const Problem &p :
           {Problem{
                "b01c,01cf->b01f", {window(7, 3, 1, 1, 1), window(7, 3, 1, 1, 1)}, 2, 1, 32, 96},
            {"b01c,01cf->b01f", {window(28, 7, 2, 3, 3), window(28, 7, 2, 3, 3)}, 1, 1, 3, 64},
            {"b01c,01fc->b01f",
             {window(7, 3, 1, 2, 1, 1, 2, true), window(7, 3, 1, 2, 1, 1, 2, true)},
             2,
             1,
             24,
             40},
            {"c01b,c01f->01bf", {window(14, 12, 1, 0, 0), window(16, 14, 1, 0, 0)}, 16, 1, 2, 33},
            {"c01b,c01f->01bf",
             {window(16, 7, 1, 1, 1, 2), window(16, 7, 1, 1, 1, 2)},
             3,
             1,
             4,
             20},
            {"b01c,01cf->b01f", {window(8, 1, 2, 0, 0), window(8, 1, 2, 0, 0)}, 2, 1, 20, 24}}) {
        if (!sample.takesNext())
          continue;
        Compiled compiled = compile(kind, p);
        check(compiled, kind, p, 3);
        check(compiled, kind, p, 1, Edge::Start);
      }
    }
}

TEST_CASE("gradients of filters of every layout") {
  Sample sample;
  for (const char *dims : filterGradient)
    for (auto known : {Kind::Nothing, Kind::Channels}) {
      if (!sample.takesNext())
        continue;
      Kind kind{Dtype::F32, "native", known};
      Problem p{dims, {window(12, 10, 1, 1, 1), window(13, 11, 1, 1, 1)}, 6, 1, 3, 18};
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 2);
      p.windows = {window(40, 38, 1, 1, 1), window(92, 90, 1, 1, 1)};
      p.b = kind.known ? p.b : 70;
      check(compiled, kind, p, 3, Edge::Start);
    }
}

TEST_CASE("groups and depthwise convolutions") {
  Sample sample;
  for (const char *machine : machines)
    for (auto known : {Kind::Nothing, Kind::Channels, Kind::All}) {
      Kind kind{Dtype::F32, machine, known};
      for (const Problem &p :
           {Problem{"b01g,01g->b01g", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 40},
            {"b01g,01gf->b01gf", {window(9, 3, 2, 1, 1), window(11, 3, 2, 0, 1)}, 2, 20, 1, 3},
            {"b01gc,01gc->b01g",
             {window(9, 3, 1, 1, 1, 1, 2), window(5, 3, 1, 1, 1, 1, 2)},
             2,
             20,
             2},
            {"c01g,c01gf->01gf", {window(9, 9, 1, 1, 1), window(11, 11, 1, 1, 1)}, 1, 50, 3, 1},
            {"c01gb,c01gf->01bgf", {window(9, 9, 1, 1, 1), window(11, 11, 1, 1, 1)}, 2, 6, 3, 4},
            {"b01gc,01cgf->b01gf", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 4, 8, 8},
            {"b01gc,01cgf->b01gf", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 4, 8, 32},
            {"bg01,g01->bg01", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 33}}) {
        if (!sample.takesNext())
          continue;
        Compiled compiled = compile(kind, p);
        check(compiled, kind, p, 3);
        check(compiled, kind, p, 1, Edge::Start);
      }
    }
}

TEST_CASE("depthwise convolutions that read x where it is") {
  Sample sample;
  struct Attributes {
    int64_t stride, dilation, xDilation;
    bool reversed;
  };
  // A tile's lanes overlap, fill all vectors, or are too many; units have all channels or not.
  for (int64_t groups : {3, 16, 40, 1030})
    for (auto known : {Kind::Nothing, Kind::Channels, Kind::All})
      for (Attributes a : {Attributes{1, 1, 1, false},
                           {2, 1, 1, false},
                           {1, 1, 2, true},
                           {2, 3, 1, false},
                           {1, 2, 3, true},
                           {3, 2, 2, false}}) {
        if (groups > 1000 && (known != Kind::All || a.dilation == 3))
          continue;
        if (!sample.takesNext())
          continue;
        Kind kind{Dtype::F32, "native", known};
        auto make = [&](int64_t x, int64_t filter, int64_t low, int64_t high) {
          return window(x, filter, a.stride, low, high, a.dilation, a.xDilation, a.reversed);
        };
        Problem p{"b01g,01g->b01g", {make(9, 3, 1, 1), make(12, 3, 1, 2)}, 2, groups};
        Compiled compiled = compile(kind, p);
        check(compiled, kind, p, 5);
        check(compiled, kind, p, 1, Edge::Start);
        p = {"b01g,01g->b01g", {make(12, 5, -1, 3), make(10, 4, 5, -2)}, 1, groups};
        check(compile(kind, p), kind, p, 3);
        p = {"b01g,f01g->b01fg", {make(2, 3, 1, 1), make(31, 2, 0, 7)}, 1, groups, 1, 2};
        check(compile(kind, p), kind, p, 3);
      }
}

TEST_CASE("depthwise filters' gradients, and filters too large to write out") {
  Sample sample;
  for (const char *machine : machines)
    for (auto known : {Kind::Nothing, Kind::Channels, Kind::All})
      for (int64_t groups : {5, 32, 50}) {
        Kind kind{Dtype::F32, machine, known};
        for (const Problem &p :
             {Problem{
                  "c01g,c01g->01g", {window(9, 9, 1, 1, 1), window(11, 11, 1, 1, 1)}, 1, groups, 3},
              {"c01g,c01g->01g",
               {window(14, 7, 1, 1, 1, 2), window(16, 8, 1, 0, 1, 2)},
               1,
               groups,
               2},
              {"c01g,c01g->01g", {window(6, 5, 1, 2, 2), window(60, 57, 1, 0, 0)}, 1, groups, 1},
              {"b01g,01g->b01g", {window(19, 19, 1, 9, 9), window(17, 23, 1, 11, 11)}, 2, groups},
              {"b01g,01g->b01g",
               {window(9, 2, 1, 0, 0, 30), window(50, 3, 1, 5, 30, 20)},
               1,
               groups}}) {
          if (!sample.takesNext())
            continue;
          Compiled compiled = compile(kind, p);
          check(compiled, kind, p, 3);
          check(compiled, kind, p, 1, Edge::Start);
        }
      }
}

TEST_CASE("depthwise convolutions of every dtype, with one and three windows, and of nothing") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F64, Dtype::BF16, Dtype::F16, Dtype::I32, Dtype::I8})
      for (const char *dims : {"b01g,01g->b01g", "c01g,c01g->01g"}) {
        if (!sample.takesNext())
          continue;
        Kind kind{dtype, machine};
        bool isForward = dims[0] == 'b';
        int64_t filter = isForward ? 3 : 9;
        Problem p{dims, {window(9, filter, 1, 1, 1), window(10, filter, 1, 1, 1)}, 1, 70};
        (isForward ? p.b : p.c) = 2;
        check(compile(kind, p), kind, p, 2);
      }
  for (auto known : {Kind::Nothing, Kind::All}) {
    Kind kind{Dtype::F32, "native", known};
    for (const Problem &p :
         {Problem{"b0g,0g->b0g", {window(700, 3, 1, 1, 1)}, 2, 20},
          {"c0g,c0g->0g", {window(50, 46, 1, 0, 0)}, 1, 33, 3},
          {"b012g,012g->b012g",
           {window(5, 3, 1, 1, 1), window(6, 2, 2, 0, 0), window(7, 3, 1, 1, 1, 1, 2)},
           2,
           20},
          {"c012g,c012g->012g",
           {window(5, 5, 1, 1, 1), window(6, 5, 1, 0, 0), window(7, 7, 1, 1, 1)},
           1,
           17,
           2}}) {
      if (!sample.takesNext())
        continue;
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 3);
      check(compiled, kind, p, 1, Edge::Start);
    }
  }
  for (const char *dims : {"b01g,01g->b01g", "c01g,c01g->01g"}) {
    Kind kind;
    Problem whole{dims, {window(5, 3, 1, 1, 1), window(6, 2, 1, 0, 0)}, 1, 20};
    Compiled compiled = compile(kind, whole);
    for (int64_t Problem::*size : {&Problem::b, &Problem::c, &Problem::g}) {
      Problem p = whole;
      if (size != &Problem::g && p.dims[0] != (size == &Problem::b ? 'b' : 'c'))
        continue;
      p.*size = 0;
      check(compiled, kind, p, 2);
    }
    for (Window zero : {Window{0, 2, 3, 1, 2}, Window{6, 0, 5}, Window{4, 3, 0}}) {
      Problem p = whole;
      p.windows[1] = zero;
      check(compiled, kind, p);
      kind.known = Kind::All;
      check(compile(kind, p), kind, p);
      kind.known = Kind::Nothing;
    }
  }
}

TEST_CASE("large filters that few rows meet, and filters that are read in place") {
  Sample sample;
  for (const char *machine : {"native", "x86-64-v3"}) {
    Kind kind{Dtype::F32, machine, Kind::All};
    auto size = [](int64_t x) { return window(x, 3, 1, 1, 1); };
    auto up = [](int64_t x) { return window(x, 3, 1, 1, 1, 1, 2, true); };
    for (const Problem &p :
         {Problem{"b01c,01cf->b01f", {size(5), size(7)}, 1, 1, 150, 110},
          {"b01c,01cf->b01f", {size(7), size(7)}, 1, 1, 128, 300},
          {"b01c,01fc->b01f", {size(5), size(7)}, 1, 1, 150, 110},
          {"b01c,01fc->b01f", {up(3), up(4)}, 1, 1, 128, 160},
          {"b01c,01cf->b01f", {size(2), size(3)}, 2, 1, 1100, 33},
          {"b01c,01fc->b01f", {size(2), size(3)}, 2, 1, 1100, 33},
          {"bc01,fc01->bf01", {size(4), size(4)}, 2, 1, 150, 110},
          {"b0c,0cf->b0f", {window(40, 5, 1, 2, 2)}, 1, 1, 300, 96},
          // In place: all rows known to lie at one distance, with channels that a region holds or
          // not.
          {"b01c,01cf->b01f", {size(20), size(9)}, 1, 1, 40, 64},
          {"b01c,01cf->b01f", {size(12), size(9)}, 1, 1, 1100, 32},
          {"b01c,01cf->b01f", {window(12, 5, 1, 2, 2), window(9, 5, 1, 2, 2)}, 1, 1, 512, 32},
          {"b01c,01cf->b01f", {window(30, 5, 2, 0, 0, 2), window(9, 2, 1, 1, 1)}, 3, 1, 3, 32}}) {
      if (!sample.takesNext())
        continue;
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 3);
      check(compiled, kind, p, 1, Edge::Start);
    }
    kind.dtype = Dtype::BF16;
    Problem narrow{"b01c,01cf->b01f", {size(5), size(7)}, 1, 1, 300, 110};
    check(compile(kind, narrow), kind, narrow, 2);
    narrow.dims = "b01c,01fc->b01f";
    check(compile(kind, narrow), kind, narrow, 2);
  }
}

TEST_CASE("one and three windows") {
  Sample sample;
  for (auto known : {Kind::Nothing, Kind::All}) {
    Kind kind{Dtype::F32, "native", known};
    for (const Problem &p : {Problem{"b0c,0cf->b0f", {window(50, 5, 1, 4, 0, 2)}, 3, 1, 7, 33},
                             {"b0c,0cf->b0f", {window(1500, 3, 1, 1, 1)}, 2, 1, 4, 8},
                             {"c0b,c0f->0bf", {window(50, 46, 1, 0, 0)}, 7, 1, 3, 33},
                             {"b012c,012cf->b012f",
                              {window(5, 3, 1, 1, 1), window(6, 2, 2, 0, 0), window(7, 3, 1, 1, 1)},
                              2,
                              1,
                              5,
                              20},
                             {"b012c,012fc->b012f",
                              {window(2, 2, 1, 1, 2, 1, 3, true), window(3, 2, 1, 1, 1, 1, 2),
                               window(4, 3, 1, 2, 2, 1, 2)},
                              2,
                              1,
                              3,
                              20},
                             {"c012b,c012f->012bf",
                              {window(5, 5, 1, 1, 1), window(6, 5, 1, 0, 0), window(7, 7, 1, 1, 1)},
                              5,
                              1,
                              2,
                              20}}) {
      if (!sample.takesNext())
        continue;
      Compiled compiled = compile(kind, p);
      check(compiled, kind, p, 3);
      check(compiled, kind, p, 1, Edge::Start);
    }
  }
}

TEST_CASE("every dtype of convolutions") {
  Sample sample;
  for (const char *machine : machines)
    for (Dtype dtype : {Dtype::F64, Dtype::BF16, Dtype::F16, Dtype::I32, Dtype::I8})
      for (const char *dims : {"b01c,01cf->b01f", "b01c,01fc->b01f", "c01b,c01f->01bf"}) {
        if (!sample.takesNext())
          continue;
        Kind kind{dtype, machine};
        Problem p{dims, {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 1, 5, 19};
        check(compile(kind, p), kind, p, 2);
      }
}

TEST_CASE("narrow integers of convolutions") {
  Sample sample;
  for (const char *machine : machines)
    for (auto known : {Kind::Nothing, Kind::Channels, Kind::All})
      for (auto [dtype, filter] : {std::pair{Dtype::U8, Dtype::I8},
                                   {Dtype::I8, Dtype::I8},
                                   {Dtype::I16, Dtype::I8},
                                   {Dtype::I16, Dtype::I16}})
        for (const Problem &p :
             {// An even and an odd number of channels, two of which are read together.
              Problem{
                  "b01c,01cf->b01f", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 1, 6, 19},
              {"b01c,01cf->b01f", {window(9, 3, 2, 1, 1), window(13, 3, 2, 1, 1)}, 2, 1, 3, 40},
              {"bc01,fc01->bf01", {window(9, 3, 1, 1, 1, 2), window(11, 3, 1, 1, 1)}, 2, 1, 5, 33},
              {"b01c,01fc->b01f", {window(9, 2, 1, 0, 0), window(70, 3, 1, 1, 1)}, 1, 1, 37, 40},
              // More channels than a region has, large filters that few rows meet, groups.
              {"b01c,01cf->b01f", {window(4, 1, 2, 0, 0), window(4, 1, 2, 0, 0)}, 1, 1, 4099, 16},
              {"b01c,01cf->b01f", {window(3, 3, 1, 1, 1), window(3, 3, 1, 1, 1)}, 1, 1, 515, 128},
              {"b01c,01fc->b01f", {window(3, 3, 1, 1, 1), window(3, 3, 1, 1, 1)}, 1, 1, 515, 128},
              {"b01gc,01cgf->b01gf", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 4, 7, 32},
              // Single numbers.
              {"b01c,01cf->b01f", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 1, 1, 19},
              {"b01g,01g->b01g", {window(9, 3, 1, 1, 1), window(11, 3, 1, 1, 1)}, 2, 40},
              {"c01b,c01f->01bf",
               {window(12, 10, 1, 1, 1), window(13, 11, 1, 1, 1)},
               6,
               1,
               3,
               18}}) {
          if (!sample.takesNext())
            continue;
          Kind kind{dtype, machine, known, filter};
          Compiled compiled = compile(kind, p);
          check(compiled, kind, p, 3);
          check(compiled, kind, p, 1, Edge::Start);
        }
}

TEST_CASE("sizes of zero") {
  for (const char *dims : {"b01c,01cf->b01f", "c01b,c01f->01bf", "b01gc,01gcf->b01gf"}) {
    Kind kind;
    Problem whole{dims, {window(5, 3, 1, 1, 1), window(6, 2, 1, 0, 0)}, 2, 1, 3, 4};
    Compiled compiled = compile(kind, whole);
    for (int64_t Problem::*size : {&Problem::b, &Problem::c, &Problem::f, &Problem::g}) {
      Problem p = whole;
      if (size == &Problem::g && p.dims.find('g') == std::string::npos)
        continue;
      p.*size = 0;
      check(compiled, kind, p, 2);
    }
    Problem p = whole;
    p.windows[1] = {0, 2, 3, 1, 2};
    check(compiled, kind, p); // all padding
    p.windows[1] = {6, 0, 5};
    check(compiled, kind, p); // no taps
    p.windows[0] = {4, 3, 0};
    check(compiled, kind, p); // no results
  }
}

TEST_CASE("sizes beyond what the scratch holds are cut") {
  Kind kind;
  Problem p{"b01c,01cf->b01f", {window(4, 3, 1, 1, 1), window(9, 3, 1, 1, 1)}, 1, 1, 1100, 40};
  Compiled compiled = compile(kind, p);
  check(compiled, kind, p, 2);
  p = {"b01c,01cf->b01f", {window(3, 3, 1, 1, 1), window(1400, 3, 1, 1, 1)}, 1, 1, 200, 5};
  check(compiled, kind, p, 3);
  p = {"b01c,01cf->b01f", {window(70, 60, 1, 0, 0), window(70, 65, 1, 0, 0)}, 1, 1, 6, 40};
  check(compiled, kind, p, 2);
  p = {"b01c,01cf->b01f", {window(2, 2, 1, 0, 0), window(2, 2, 1, 0, 0)}, 2, 1, 2000, 300};
  check(compiled, kind, p, 2);
  p = {"c01b,c01f->01bf", {window(30, 28, 1, 0, 0), window(300, 300, 1, 1, 1)}, 1200, 1, 1, 9};
  compiled = compile(kind, p);
  check(compiled, kind, p, 2);
  p = {"c01b,c01f->01bf", {window(5, 5, 1, 1, 1), window(5, 5, 1, 1, 1)}, 6, 1, 1000, 9};
  check(compiled, kind, p, 2);
}
