// Passes over loops change no number: values and gradients before and after them, in the reference
// interpreter.
#include "ir/builder/LoopBuilder.h"
#include "passes/Passes.h"
#include "tests/execution/LoopProgram.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

static std::unique_ptr<Pass> resolve() { return passes::createResolveRequirements(); }
static std::unique_ptr<Pass> differentiate() {
  passes::DifferentiateOptions options;
  options.maxOps = 100000;
  return passes::createDifferentiate(options);
}
static std::unique_ptr<Pass> merge() { return passes::createMergeLoops(); }
static std::unique_ptr<Pass> simplify() { return passes::createSimplifyLoops(); }
static std::unique_ptr<Pass> invariants() { return passes::createHoistInvariants(); }
static std::unique_ptr<Pass> hoist() { return passes::createHoistContractions(); }
static std::unique_ptr<Pass> sink() { return passes::createSinkIntoBranches(); }
static std::unique_ptr<Pass> flatten() { return passes::createFlattenBranches(); }
static std::unique_ptr<Pass> accumulators() { return passes::createSinkAccumulators(); }
static std::unique_ptr<Pass> stacks() { return passes::createSinkStacks(); }
static std::unique_ptr<Pass> equal() { return passes::createEliminateCommonSubexpressions(); }

static void compare(const LoopExample &example, int gradients) {
  MLIRContext context;
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  context.disableMultithreading();
  LoopProgram plain(context, example, gradients);
  plain.apply({resolve, differentiate});
  std::vector<std::pair<std::string, LoopProgram>> others;
  auto with = [&](const std::string &label, ArrayRef<std::unique_ptr<Pass> (*)()> passes) {
    others.emplace_back(label, LoopProgram(context, example, gradients));
    others.back().second.apply({resolve, differentiate});
    others.back().second.apply(passes);
  };
  with("simplify", {simplify});
  with("merge", {equal, merge});
  with("merge, simplify", {equal, merge, simplify});
  with("hoist invariants", {invariants});
  with("hoist contractions", {hoist});
  with("sink into branches", {sink});
  with("sink, flatten", {sink, flatten, sink});
  with("sink accumulators", {accumulators});
  with("sink stacks", {stacks});
  others.emplace_back("pipeline", LoopProgram(context, example, gradients));
  others.back().second.simplify();

  for (int64_t length :
       example.usesSymbol() ? std::vector<int64_t>{0, 1, 2, 5} : std::vector<int64_t>{0}) {
    std::vector<HostTensor> arguments = makeArguments(example, length);
    std::vector<BoundedTensor> expected = plain.runWithBounds(arguments);
    for (auto &[label, program] : others) {
      INFO(example.label << ", length " << length << ", " << label);
      checkWithinBounds(program.run(arguments), expected, 1e-12);
    }
  }
}

// What moves between loops and their surroundings in forms of its own: convolutions with and
// without each letter, rows of a table, contractions with batch dimensions on either side.
static std::vector<LoopExample> movedExamples() {
  const DimExpr d0 = DimExpr::symbol(0);
  std::vector<LoopExample> examples;
  struct Convolution {
    std::string dims;
    Shape x, filter, y;
  };
  for (const Convolution &form :
       std::vector<Convolution>{{"b0c,0cf->b0f", {2, 5, 3}, {2, 3, 4}, {2, 5, 4}},
                                {"0bc,0cf->0fb", {5, 2, 3}, {2, 3, 4}, {5, 4, 2}},
                                {"0c,0cf->0f", {5, 3}, {2, 3, 4}, {5, 4}},
                                {"b0,0->b0", {2, 5}, {2}, {2, 5}},
                                {"gb0c,g0cf->gb0f", {2, 2, 5, 3}, {2, 2, 3, 2}, {2, 2, 5, 2}},
                                {"0,0f->0f", {5}, {2, 3}, {5, 3}}})
    for (bool elementIsFilter : {false, true}) {
      Shape sequence = elementIsFilter ? form.filter : form.x;
      Shape captured = elementIsFilter ? form.x : form.filter;
      sequence.insert(sequence.begin(), d0);
      examples.push_back(
          {form.dims + (elementIsFilter ? ", filters" : ""),
           {sequence, captured, form.y},
           [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
             auto step = [=](GraphMath &g, LoopStep &step) {
               Value x = elementIsFilter ? step.captures[0] : step.elements[0];
               Value filter = elementIsFilter ? step.elements[0] : step.captures[0];
               Value y = g.convolution(x, filter, {form.dims, {1}, {1}, {1}, {1}, {false}}, form.y);
               step.next = {g.tanh(g.add(step.states[0], y))};
               step.stacked = {y};
             };
             ScanOp loop = buildScan(math, d0, {{xs[2]}, {xs[0]}, {xs[1]}, elementIsFilter}, step);
             return {loop.getResult(0), loop.getResult(1)};
           }});
    }
  for (bool swapped : {false, true})
    examples.push_back(
        {swapped ? "b has the steps" : "a has the steps",
         {{d0, 2, 3, 4}, {2, 4, 2}, {2, 3, 2}},
         [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
           auto step = [=](GraphMath &g, LoopStep &step) {
             Value y = swapped
                           ? g.transpose(g.dotGeneral(step.captures[0], step.elements[0], {0}, {0},
                                                      {1}, {2}),
                                         {0, 2, 1})
                           : g.dotGeneral(step.elements[0], step.captures[0], {0}, {0}, {2}, {1});
             step.next = {g.tanh(g.add(step.states[0], y))};
             step.stacked = {step.next[0]};
           };
           ScanOp loop = buildScan(math, d0, {{xs[2]}, {xs[0]}, {xs[1]}, swapped}, step);
           return {loop.getResult(0), loop.getResult(1)};
         }});
  examples.push_back(
      {"rows of a table",
       {{5, 3}, {2, 3}},
       [=](GraphMath &math, ValueRange xs) -> std::vector<Value> {
         auto step = [=](GraphMath &g, LoopStep &step) {
           Type i64 = getElementType(step.number);
           Value numbers =
               g.add(g.iota(getTensorType({2}, i64), 0), g.broadcastScalar(step.number, {2}));
           step.next = {g.tanh(g.mul(step.states[0], g.gather(step.captures[0], numbers)))};
         };
         return {buildScan(math, 4, {{xs[1]}, {}, {xs[0]}, false}, step).getResult(0)};
       }});
  return examples;
}

TEST_CASE("what leaves loops keeps its values and gradients") {
  for (const LoopExample &example : movedExamples())
    for (int gradients : {0, 1})
      compare(example, gradients);
}

TEST_CASE("loops keep their values") {
  for (const LoopExample &example : scanExamples())
    compare(example, 0);
}

TEST_CASE("loops keep their gradients") {
  for (const LoopExample &example : scanExamples())
    compare(example, 1);
}

TEST_CASE("branches keep their values and gradients") {
  for (const LoopExample &example : ifExamples())
    for (int gradients : {0, 1})
      compare(example, gradients);
}
