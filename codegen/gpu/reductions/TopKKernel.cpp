// top_k whose lines threads share, after a TopKPlan.
#include "codegen/gpu/reductions/TopKPlan.h"

#include "codegen/gpu/moves/DeviceOpKernel.h"
#include "codegen/gpu/reductions/RankedElements.h"
#include "codegen/gpu/reductions/SortedSlots.h"
#include "codegen/gpu/threads/Shuffle.h"
#include "codegen/gpu/threads/ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

namespace {

class TopKKernel : DeviceOpKernel {
public:
  TopKKernel(DeviceKernelBuilder &k, const TopKPlan &plan)
      : DeviceOpKernel(k, plan.nest.op), plan(plan), nest(plan.nest), ranked(e, nest),
        slots(e, ranked, plan.slots + plan.best, plan.unitThreads),
        warp(b, loc, std::min(plan.unitThreads, warpThreads)), block(b, loc) {}

  void emit() {
    line = k.begin;
    length = size(nest.lines.length);
    if (plan.isOfWarp())
      return emitWarp();
    thread = block.thread();
    if (plan.isWhole())
      emitWhole();
    else
      emitStream();
  }

private:
  using Entry = RankedElements::Entry;

  // What is at a place that may be behind the line.
  std::pair<Entry, Value> elementAt(Value place);
  void write(Value number, const Entry &entry);
  void writeFrom(int64_t firstSlot);

  void emitWarp();
  void emitWhole();
  void emitStream();
  Values look(Value first, unsigned ofThread, ValueRange state);
  Value wait(ArrayRef<std::pair<Entry, Value>> elements, ArrayRef<Value> wanted, Value waiting);
  Entry merge(Value waiting);

  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  }
  Value wide(Value word) { return b.create<arith::ExtUIOp>(loc, b.getI64Type(), word); }

  const TopKPlan &plan;
  const TopKNest &nest;
  RankedElements ranked;
  SortedSlots slots;
  Warp warp;
  ThreadBlock block;
  Value line, length, thread;
};

std::pair<TopKKernel::Entry, Value> TopKKernel::elementAt(Value place) {
  // Behind the last element it is read again.
  Value last = e.sub(length, i64(1));
  Value element = load(input(0), nest.lines.type.getElementType(),
                       e.add(e.mul(line, length), e.min(place, last)));
  return {ranked.of(element, place), e.less(place, length)};
}

void TopKKernel::write(Value number, const Entry &entry) {
  store(ranked.placeOf(entry), output(), b.getI64Type(), e.add(e.mul(line, size(nest.k)), number));
}

void TopKKernel::writeFrom(int64_t firstSlot) {
  e.loop(thread, size(nest.k), plan.unitThreads,
         [&](Value number) { write(number, slots.get(e.add(number, firstSlot))); });
}

//===-- Lines of a warp -----------------------------------------------------------------------===//

// A bitonic network, an element a thread.
void TopKKernel::emitWarp() {
  Value lane = warp.lane();
  auto hasBit = [&](unsigned bit) {
    return e.equal(b.create<arith::AndIOp>(loc, lane, i64(bit)), i64(bit));
  };
  auto [entry, isReal] = elementAt(lane);
  entry = ranked.select(isReal, entry, ranked.nothing());
  for (unsigned size = 2; size <= plan.unitThreads; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      Value partner = b.create<arith::XOrIOp>(loc, lane, i64(stride));
      Entry other;
      for (Value word : entry)
        other.push_back(warp.from(word, partner));
      // The better one goes to the lower thread where the better ones go to the front.
      Value keepsBetter = e.equal(hasBit(size), hasBit(stride));
      Value takes = e.equal(ranked.precedes(other, entry), keepsBetter);
      entry = ranked.select(takes, other, entry);
    }
  e.branch(e.less(lane, size(nest.k)), [&] { write(lane, entry); });
}

//===-- Lines of a block ----------------------------------------------------------------------===//

// A thread writes slots of the next line that nobody else has read since a barrier.
void TopKKernel::emitWhole() {
  e.loop(thread, i64(plan.slots), plan.unitThreads, [&](Value place) {
    auto [entry, isReal] = elementAt(place);
    slots.put(ranked.select(isReal, entry, ranked.nothing()), place);
  });
  block.barrier();
  slots.sort(i64(llvm::Log2_64(uint64_t(plan.slots))));
  writeFrom(0);
}

// How many of all threads wait once those that are wanted do; each gets a slot behind those before.
Value TopKKernel::wait(ArrayRef<std::pair<Entry, Value>> elements, ArrayRef<Value> wanted,
                       Value waiting) {
  auto bitsOf = [&](Value word) {
    return wide(b.create<LLVM::CtPopOp>(loc, b.getI32Type(), word));
  };
  Value lane = b.create<arith::TruncIOp>(loc, b.getI32Type(), warp.lane());
  Value one = b.create<arith::ConstantIntOp>(loc, 1, 32);
  Value lower = b.create<arith::SubIOp>(loc, b.create<arith::ShLIOp>(loc, one, lane), one);
  Values places;
  Value ofWarp = i64(0);
  for (Value condition : wanted) {
    Value members = warp.ballot(condition);
    places.push_back(e.add(ofWarp, bitsOf(b.create<arith::AndIOp>(loc, members, lower))));
    ofWarp = e.add(ofWarp, bitsOf(members));
  }
  Value first = waiting, all = e.add(waiting, ofWarp);
  if (plan.unitThreads > warpThreads) {
    // Since they were read last, all have come to the barrier that asks whether any is wanted.
    Value own = e.div(thread, i64(warpThreads));
    e.branch(e.equal(lane, b.create<arith::ConstantIntOp>(loc, 0, 32)),
             [&] { slots.putCount(ofWarp, own); });
    block.barrier();
    all = waiting;
    for (unsigned other = 0; other < plan.unitThreads / warpThreads; ++other) {
      Value count = slots.count(i64(other));
      first = e.add(first, e.select(e.less(i64(other), own), count, i64(0)));
      all = e.add(all, count);
    }
  }
  for (auto [element, condition, place] : llvm::zip(elements, wanted, places))
    e.branch(condition,
             [&, entry = element.first, place = place] { slots.put(entry, e.add(first, place)); });
  return all;
}

// Those that wait, at least one, with the best; the last of these.
TopKKernel::Entry TopKKernel::merge(Value waiting) {
  const int64_t firstBest = plan.slots;
  // As many as are sorted, but no fewer than there are best ones.
  Value last = b.create<arith::TruncIOp>(loc, b.getI32Type(), e.sub(waiting, i64(1)));
  Value zeros = wide(b.create<LLVM::CountLeadingZerosOp>(loc, b.getI32Type(), last,
                                                         /*is_zero_poison=*/false));
  Value stages = e.max(e.sub(i64(32), zeros), i64(llvm::Log2_64(uint64_t(plan.best))));
  Value sorted = b.create<arith::ShLIOp>(loc, i64(1), stages);
  e.loop(e.add(waiting, thread), sorted, plan.unitThreads,
         [&](Value place) { slots.put(ranked.nothing(), place); });
  block.barrier();
  slots.sort(stages);
  // The better ones of the best and, from the last on, of the others: they rise and then fall.
  e.loop(thread, i64(plan.best), plan.unitThreads, [&](Value place) {
    Value slot = e.add(place, firstBest);
    Entry other = slots.get(e.sub(i64(plan.best - 1), place));
    e.branch(ranked.precedes(other, slots.get(slot)), [&] { slots.put(other, slot); });
  });
  block.barrier();
  slots.merge(firstBest, plan.best);
  return slots.get(e.add(size(nest.k), firstBest - 1));
}

// The state: how many wait, and the last of the best.
TopKKernel::Values TopKKernel::look(Value first, unsigned ofThread, ValueRange state) {
  Value waiting = state.front();
  Entry last(state.drop_front());
  SmallVector<std::pair<Entry, Value>> elements;
  for (unsigned i = 0; i < ofThread; ++i)
    elements.push_back(elementAt(e.add(first, int64_t(i) * plan.unitThreads)));
  Value any;
  Values wanted;
  for (auto &[entry, isReal] : elements) {
    wanted.push_back(e.logicalAnd(isReal, ranked.precedes(entry, last)));
    any = any ? b.create<arith::OrIOp>(loc, any, wanted.back()) : wanted.back();
  }
  Value all = e.choose(
      block.any(any), {waiting.getType()},
      [&]() -> Values { return {wait(elements, wanted, waiting)}; },
      [&]() -> Values { return {waiting}; })[0];
  // Before the end of the line, if they are many.
  Value next = e.add(first, int64_t(ofThread) * plan.unitThreads);
  Value atEnd = compare(arith::CmpIPredicate::sge, e.sub(next, thread), length);
  Value least = e.select(atEnd, i64(1), i64(plan.mostWaiting));
  return e.choose(
      compare(arith::CmpIPredicate::sge, all, least), SmallVector<Type>(state.getTypes()),
      [&] {
        Values merged{i64(0)};
        llvm::append_range(merged, merge(all));
        return merged;
      },
      [&] {
        Values kept{all};
        llvm::append_range(kept, last);
        return kept;
      });
}

void TopKKernel::emitStream() {
  // All have seen which was the last of the best of the line before.
  block.barrier();
  e.loop(thread, i64(plan.best), plan.unitThreads,
         [&](Value place) { slots.put(ranked.nothing(), e.add(place, plan.slots)); });
  Values state{i64(0)};
  llvm::append_range(state, ranked.nothing());
  int64_t done = 0;
  // Before any are merged each is wanted: better few of them.
  if (plan.best <= plan.unitThreads) {
    state = look(thread, 1, state);
    done = plan.unitThreads;
  }
  e.loop(i64(done), length, int64_t(plan.unitThreads) * plan.inFlight, state,
         [&](Value first, ValueRange carried) {
           return look(e.add(first, thread), plan.inFlight, carried);
         });
  writeFrom(plan.slots);
}

} // namespace

void TopKPlan::emit(DeviceKernelBuilder &k) const { TopKKernel(k, *this).emit(); }
