// A stable sort of a line by the digits of keys, the lowest first (Knuth: The Art of Computer
// Programming 3, 5.2.5). A unit is one line.
//
// One walk over the elements makes the records, in the order of their places, and counts the digits
// of all passes. A pass in which all keys have the same digit is left out: small integers, and the
// low bits of float16 and bfloat16, which are held as float32. Nothing follows from how the records
// lie at first, so equal elements stay in the order of their places.
#include "codegen/cpu/TopKSort.h"

#include "codegen/cpu/SingleOpKernel.h"
#include "codegen/lowering/TopKNest.h"
#include "ir/interfaces/LineSort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::LineSort;

namespace {

class TopKSortPlan final : public CpuKernelPlan {
public:
  TopKSortPlan(ir::KernelOp kernel, ir::TopKOp op, const LineSort &sort,
               std::optional<unsigned> workspace)
      : CpuKernelPlan(kernel), nest(op), sort(sort), workspace(workspace) {
    blocks = {nest.units(), DimExpr(1), 1};
    setWork(blocks.units(),
            mul(nest.lines.length, DimExpr(4 * sort.passes())).value_or(DimExpr(INT64_MAX)));
    int64_t words = sort.passes() * LineSort::kDigits;
    if (sort.isShort)
      words += 2 * sort.recordWords.constantValue();
    scratchBytes = words * int64_t(sizeof(int64_t));
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    out << "schedule: lines are sorted by " << counted(sort.passes(), "digit") << " of "
        << LineSort::kDigitBits << " bits, key and place in "
        << (sort.isPacked ? "one word" : "a word each") << ", in "
        << (sort.isShort ? "memory of the thread" : "a workspace") << "\n";
  }
  void emit(CpuKernelBuilder &k) const override;

  TopKNest nest;
  LineSort sort;
  std::optional<unsigned> workspace; // which result of the kernel
  UnitBlocks blocks;
};

class TopKSortKernel : SingleOpKernel {
public:
  TopKSortKernel(CpuKernelBuilder &k, const TopKSortPlan &plan)
      : SingleOpKernel(k, plan.nest.op, 1), plan(plan), nest(plan.nest), sort(plan.sort),
        type(nest.lines.type.getElementType()), keyType(b.getIntegerType(sort.keyBits)),
        length(size(nest.lines.length)) {}

  void emit();

private:
  // Both of 64 bits.
  struct Record {
    Value key, place;
  };

  Value keyOf(Value element);
  Value integer(Type ofType, uint64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(ofType, int64_t(value)));
  }
  Value wordAt(Value base, Value index) {
    return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI64Type(), base,
                                 ArrayRef<LLVM::GEPArg>{index});
  }
  Value load(Value base, Value index) {
    return b.create<LLVM::LoadOp>(loc, b.getI64Type(), wordAt(base, index));
  }
  void store(Value word, Value base, Value index) {
    b.create<LLVM::StoreOp>(loc, word, wordAt(base, index));
  }
  void put(const Record &record, Value base, Value index);
  Record at(Value base, Value index);
  Value digitOf(Value key, Value shift);
  // The counter of the digit in a pass.
  Value counterOf(Value pass, Value digit) {
    return plus(times(pass, i64(LineSort::kDigits)), digit);
  }

  void makeRecords(Value row, Value records);
  Value sortRecords(Value records, Value others);
  void startPlaces(Value pass);
  void movePass(Value pass, Value from, Value to);

  const TopKSortPlan &plan;
  const TopKNest &nest;
  const LineSort &sort;
  Type type, keyType;
  Value length, counters;
};

// The greatest element has the smallest key, a NaN that of none; zeros have one.
Value TopKSortKernel::keyOf(Value element) {
  unsigned bits = sort.keyBits;
  Value key;
  if (isa<FloatType>(type)) {
    auto compare = [&](arith::CmpFPredicate predicate, Value other) {
      return b.create<arith::CmpFOp>(loc, predicate, element, other);
    };
    Value zero = integer(keyType, 0);
    Value none = b.create<arith::ConstantOp>(loc, b.getFloatAttr(element.getType(), 0.0));
    Value isNan = compare(arith::CmpFPredicate::UNO, element);
    Value isZero = compare(arith::CmpFPredicate::OEQ, none);
    Value word = b.create<arith::BitcastOp>(loc, keyType, element);
    word = b.create<arith::SelectOp>(loc, isZero, zero, word);
    // Negative numbers descend already; of the others all bits but the sign are turned.
    Value sign = b.create<arith::ShRSIOp>(loc, word, integer(keyType, bits - 1));
    Value turned = b.create<arith::XOrIOp>(loc, sign, integer(keyType, ~uint64_t(0)));
    turned = b.create<arith::AndIOp>(loc, turned, integer(keyType, ~(uint64_t(1) << (bits - 1))));
    key = b.create<arith::XOrIOp>(loc, word, turned);
    key = b.create<arith::SelectOp>(loc, isNan, zero, key);
  } else {
    uint64_t all = ~uint64_t(0) >> (64 - bits);
    key = element.getType() == keyType
              ? element
              : b.create<arith::ExtUIOp>(loc, keyType, element).getResult();
    // Unsigned numbers are turned whole, signed ones but for the sign.
    bool isSigned = type.isSignlessInteger() && !type.isInteger(1);
    key = b.create<arith::XOrIOp>(loc, key, integer(keyType, isSigned ? all >> 1 : all));
  }
  return bits == 64 ? key : b.create<arith::ExtUIOp>(loc, b.getI64Type(), key).getResult();
}

void TopKSortKernel::put(const Record &record, Value base, Value index) {
  if (sort.isPacked) {
    Value high = b.create<arith::ShLIOp>(loc, record.key, i64(32));
    return store(b.create<arith::OrIOp>(loc, high, record.place), base, index);
  }
  store(record.key, base, index);
  store(record.place, base, plus(length, index));
}

TopKSortKernel::Record TopKSortKernel::at(Value base, Value index) {
  Value word = load(base, index);
  if (!sort.isPacked)
    return {word, load(base, plus(length, index))};
  return {b.create<arith::ShRUIOp>(loc, word, i64(32)),
          b.create<arith::AndIOp>(loc, word, i64(UINT32_MAX))};
}

Value TopKSortKernel::digitOf(Value key, Value shift) {
  Value digit = b.create<arith::ShRUIOp>(loc, key, shift);
  return b.create<arith::AndIOp>(loc, digit, i64(LineSort::kDigits - 1));
}

void TopKSortKernel::makeRecords(Value row, Value records) {
  Value none = i64(0);
  loop(i64(0), i64(sort.passes() * LineSort::kDigits), 1, {}, [&](Value i, ArrayRef<Value>) {
    store(none, counters, i);
    return SmallVector<Value>();
  });
  auto elements = ir::getTensorType({nest.lines.outer, nest.lines.length}, type);
  loop(i64(0), length, 1, {}, [&](Value place, ArrayRef<Value>) {
    Value key = keyOf(loadScalar(input(0), elements, {row, place}));
    put({key, place}, records, place);
    for (int64_t pass = 0; pass < sort.passes(); ++pass) {
      Value counter = counterOf(i64(pass), digitOf(key, i64(pass * LineSort::kDigitBits)));
      store(plus(load(counters, counter), i64(1)), counters, counter);
    }
    return SmallVector<Value>();
  });
}

// Of how many records have a digit, where the first of them goes.
void TopKSortKernel::startPlaces(Value pass) {
  loop(i64(0), i64(LineSort::kDigits), 1, {i64(0)}, [&](Value digit, ArrayRef<Value> carried) {
    Value counter = counterOf(pass, digit), count = load(counters, counter);
    store(carried[0], counters, counter);
    return SmallVector<Value>{plus(carried[0], count)};
  });
}

void TopKSortKernel::movePass(Value pass, Value from, Value to) {
  Value shift = times(pass, i64(LineSort::kDigitBits));
  loop(i64(0), length, 1, {}, [&](Value i, ArrayRef<Value>) {
    Record record = at(from, i);
    Value counter = counterOf(pass, digitOf(record.key, shift));
    Value place = load(counters, counter);
    store(plus(place, i64(1)), counters, counter);
    put(record, to, place);
    return SmallVector<Value>();
  });
}

// Gives where they are in the end.
Value TopKSortKernel::sortRecords(Value records, Value others) {
  return loop(i64(0), i64(sort.passes()), 1, {records, others},
              [&](Value pass, ArrayRef<Value> halves) {
                Value first =
                    digitOf(at(halves[0], i64(0)).key, times(pass, i64(LineSort::kDigitBits)));
                Value differs = b.create<arith::CmpIOp>(
                    loc, arith::CmpIPredicate::ne, load(counters, counterOf(pass, first)), length);
                where(differs, [&] {
                  startPlaces(pass);
                  movePass(pass, halves[0], halves[1]);
                });
                return SmallVector<Value>{
                    b.create<arith::SelectOp>(loc, differs, halves[1], halves[0]),
                    b.create<arith::SelectOp>(loc, differs, halves[0], halves[1])};
              })
      .front();
}

void TopKSortKernel::emit() {
  auto places = ir::getTensorType({nest.lines.outer, nest.k}, b.getI64Type());
  // The counters, and the records of a short line, are the thread's.
  counters = k.scratch();
  Value half = size(sort.recordWords),
        own = wordAt(counters, i64(sort.passes() * LineSort::kDigits));
  forEachUnit(plan.blocks, [&](Value row, Value) {
    Value records = own, others = wordAt(own, half);
    if (plan.workspace) {
      records = wordAt(k.outputs[*plan.workspace], times(row, half));
      others = wordAt(records, times(size(nest.lines.outer), half));
    }
    makeRecords(row, records);
    Value sorted = sortRecords(records, others);
    loop(i64(0), size(nest.k), 1, {}, [&](Value i, ArrayRef<Value>) {
      storeScalar(at(sorted, i).place, output(), places, {row, i});
      return SmallVector<Value>();
    });
  });
}

void TopKSortPlan::emit(CpuKernelBuilder &k) const { TopKSortKernel(k, *this).emit(); }

} // namespace

CpuPlan keratin::codegen::planTopKSort(ir::KernelOp kernel, ir::TopKOp op,
                                       const MachineTarget &target) {
  std::optional<LineSort> sort = LineSort::of(op);
  if (!sort || !target.hasScratch)
    return nullptr;
  if (sort->isShort)
    return std::make_shared<TopKSortPlan>(kernel, op, *sort, std::nullopt);
  std::optional<unsigned> workspace = workspaceResult(kernel, op);
  return workspace ? std::make_shared<TopKSortPlan>(kernel, op, *sort, workspace) : nullptr;
}
