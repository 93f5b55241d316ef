#include "tests/execution/LoopExamples.h"

#include "ir/builder/LoopBuilder.h"

using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Values = std::vector<Value>;

static const DimExpr d0 = DimExpr::symbol(0);

bool LoopExample::usesSymbol() const {
  for (const Shape &shape : inputs)
    for (const DimExpr &dim : shape)
      if (!dim.isConstant())
        return true;
  return false;
}

static Values resultsOf(Operation *op) { return {op->result_begin(), op->result_end()}; }

static Value matrixProduct(GraphMath &g, Value a, Value b) {
  return g.dotGeneral(a, b, {}, {}, {1}, {0});
}
static Value broadcastRow(GraphMath &g, Value row, Value like) {
  return g.broadcast(row, getShape(like), {1});
}
static Value isEven(GraphMath &g, Value number) {
  Value two = g.integerScalar(2, getElementType(number));
  return g.equal(g.mod(number, two), g.integerScalar(0, getElementType(number)));
}

//===-- Recurrent nets ------------------------------------------------------------------------===//

// h = tanh(x W + h U + b); stacks h, and what an output layer makes of it with the same U.
static LoopExample recurrent(const std::string &label, const DimExpr &length, bool reverse) {
  return {
      label, {{length, 2, 3}, {2, 2}, {3, 2}, {2, 2}, {2}}, [=](GraphMath &math, ValueRange xs) {
        auto step = [](GraphMath &g, LoopStep &step) {
          Value h = step.states[0];
          Value z = g.add(matrixProduct(g, step.elements[0], step.captures[0]),
                          matrixProduct(g, h, step.captures[1]));
          h = g.tanh(g.add(z, broadcastRow(g, step.captures[2], z)));
          step.next = {h};
          step.stacked = {h, matrixProduct(g, h, step.captures[1])};
        };
        return resultsOf(
            buildScan(math, length, {{xs[1]}, {xs[0]}, xs.drop_front(2), reverse}, step));
      }};
}

// The four gates are slices of one product; only all h are used, or only the last c.
static LoopExample longShortTerm(const std::string &label, const DimExpr &length, bool stacked) {
  return {label,
          {{length, 2, 8}, {2, 2}, {2, 2}, {2, 8}},
          [=](GraphMath &math, ValueRange xs) -> Values {
            auto step = [](GraphMath &g, LoopStep &step) {
              Value z = g.add(step.elements[0], matrixProduct(g, step.states[0], step.captures[0]));
              auto gate = [&](int64_t i) { return g.slice(z, {0, 2 * i}, {2, 2}, {1, 1}); };
              Value c = g.add(g.mul(g.logistic(gate(0)), step.states[1]),
                              g.mul(g.logistic(gate(1)), g.tanh(gate(2))));
              Value h = g.mul(g.logistic(gate(3)), g.tanh(c));
              step.next = {h, c};
              step.stacked = {h};
            };
            ScanOp loop =
                buildScan(math, length, {{xs[1], xs[2]}, {xs[0]}, xs.drop_front(3)}, step);
            return {stacked ? loop.getResult(2) : loop.getResult(1)};
          }};
}

// Steps with an even number leave the state as it is, as masked steps do.
static LoopExample masked(const DimExpr &length) {
  return {"masked steps", {{length, 2}, {2}, {2}}, [=](GraphMath &math, ValueRange xs) {
            auto step = [](GraphMath &g, LoopStep &step) {
              Value h = step.states[0];
              Value made =
                  g.sqrt(g.add(g.mul(h, h), g.exp(g.mul(step.elements[0], step.captures[0]))));
              Value mask = g.broadcastScalar(isEven(g, step.number), getShape(h));
              step.next = {g.select(mask, h, made)};
              step.stacked = {g.select(mask, g.zeroLike(made), made)};
            };
            return resultsOf(buildScan(math, length, {{xs[1]}, {xs[0]}, {xs[2]}}, step));
          }};
}

//===-- States, stacks, captures --------------------------------------------------------------===//

static std::vector<LoopExample> formExamples() {
  std::vector<LoopExample> examples;
  auto add = [&](std::string label, std::vector<Shape> inputs, auto build) {
    examples.push_back({std::move(label), std::move(inputs), build});
  };
  add("states that change places", {{2}, {2}, {5, 2}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      step.next = {step.states[1], g.mul(step.states[0], step.elements[0])};
    };
    return resultsOf(buildScan(math, 5, {xs.take_front(2), {xs[2]}, {}}, step));
  });
  add("a state that steps do not read", {{d0, 2}, {2}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) { step.next = {g.sin(step.elements[0])}; };
    return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {}}, step));
  });
  add("stacks only", {{d0, 3}, {3}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value y = g.mul(step.elements[0], step.captures[0]);
      step.stacked = {g.mul(y, g.exp(y)), step.elements[0], step.captures[0]};
    };
    return resultsOf(buildScan(math, d0, {{}, {xs[0]}, {xs[1]}}, step));
  });
  add("last state only, cubed", {{d0}, {}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value s = g.add(step.states[0], step.elements[0]);
      step.next = {g.mul(s, g.mul(s, s))};
    };
    return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {}}, step));
  });
  add("one value in all parts, used twice", {{3, 3}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value row = step.elements[0];
      Value s = g.add(matrixProduct(g, step.states[0], step.captures[0]),
                      broadcastRow(g, g.mul(row, step.elements[1]), step.captures[0]));
      step.next = {g.tanh(g.mul(s, step.captures[1]))};
      step.stacked = {g.sub(row, g.reduceSum(step.states[0], {0}))};
    };
    return resultsOf(
        buildScan(math, 3, {{xs[0]}, {xs[0], xs[0]}, {xs[0], xs[0]}, /*reverse=*/true}, step));
  });
  add("counters and flags", {{4, 2}, {2}}, [](GraphMath &math, ValueRange xs) {
    Value zero = math.integerScalar(0, math.builder().getI32Type());
    Value flag = math.integerScalar(1, math.builder().getI1Type());
    auto step = [](GraphMath &g, LoopStep &step) {
      Value count = step.states[0], s = step.states[2];
      Value factor = g.broadcastScalar(g.cast(count, getElementType(s)), getShape(s));
      Value choice = g.broadcastScalar(step.states[1], getShape(s));
      Value e = g.select(choice, step.elements[0], g.mul(s, step.elements[0]));
      Value one = g.integerScalar(1, getElementType(count));
      step.next = {g.add(count, one), g.not_(step.states[1]), g.add(g.mul(e, factor), s)};
      step.stacked = {count, e};
    };
    ScanOp loop = buildScan(math, 4, {{zero, flag, xs[1]}, {xs[0]}, {}}, step);
    Value counts = math.cast(loop.getResult(3), getElementType(xs[0]));
    return Values{loop.getResult(2), counts, loop.getResult(4)};
  });
  add("a sum of products, which may leave the loop", {{d0, 2, 3}, {d0, 3, 2}},
      [](GraphMath &math, ValueRange xs) {
        Value zero = math.splat(0, getTensorType({2, 2}, getElementType(xs[0])));
        auto step = [](GraphMath &g, LoopStep &step) {
          step.next = {g.add(step.states[0], matrixProduct(g, step.elements[0], step.elements[1]))};
        };
        return resultsOf(buildScan(math, d0, {{zero}, {xs[0], xs[1]}, {}}, step));
      });
  add("invariant work", {{3, 2}, {2, 2}, {2, 2}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value w = g.tanh(matrixProduct(g, step.captures[0], step.captures[1]));
      Value row = g.reshape(step.elements[0], {1, 2});
      step.stacked = {g.exp(matrixProduct(g, row, w))};
    };
    return resultsOf(buildScan(math, 3, {{}, {xs[0]}, xs.drop_front()}, step));
  });
  add("nothing kept but what is stacked anyway", {{d0, 2}, {2}},
      [](GraphMath &math, ValueRange xs) {
        auto step = [](GraphMath &g, LoopStep &step) {
          Value s = g.logistic(g.add(step.states[0], step.elements[0]));
          step.next = {s};
          step.stacked = {s};
        };
        return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {}}, step));
      });
  add("ops that pass a value on", {{3, 2}, {2}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value sum = g.add(step.states[0], step.elements[0]);
      Value same = g.builder().create<DependOp>(g.location(), sum.getType(), sum,
                                                ValueRange{step.elements[0]});
      step.next = {g.mul(same, same)};
    };
    return resultsOf(buildScan(math, 3, {{xs[1]}, {xs[0]}, {}}, step));
  });
  return examples;
}

//===-- Loops in loops ------------------------------------------------------------------------===//

static LoopExample nested(const DimExpr &length) {
  return {"a loop in a loop", {{length, 3, 2}, {2}, {2, 2}}, [=](GraphMath &math, ValueRange xs) {
            auto outer = [](GraphMath &g, LoopStep &step) {
              auto inner = [](GraphMath &g, LoopStep &step) {
                Value h = g.reshape(step.states[0], {1, 2});
                Value s = g.reshape(matrixProduct(g, h, step.captures[0]), {2});
                s = g.tanh(g.add(s, g.mul(step.elements[0], step.captures[1])));
                step.next = {s};
                step.stacked = {g.mul(s, s)};
              };
              Value w = step.captures[0], h = step.states[0];
              ScanOp loop = buildScan(g, 3, {{h}, {step.elements[0]}, {w, h}}, inner);
              step.next = {g.add(loop.getResult(0), h)};
              step.stacked = {g.reduceSum(loop.getResult(1), {1}), h};
            };
            return resultsOf(buildScan(math, length, {{xs[1]}, {xs[0]}, {xs[2]}}, outer));
          }};
}

// Three deep, the lengths inside unknown, and back and forth.
static LoopExample threeDeep() {
  return {"three loops deep", {{2, d0, 2}, {2}}, [](GraphMath &math, ValueRange xs) {
            auto outer = [](GraphMath &g, LoopStep &step) {
              auto middle = [](GraphMath &g, LoopStep &step) {
                auto inner = [](GraphMath &g, LoopStep &step) {
                  step.next = {g.sin(g.mul(step.states[0], step.elements[0]))};
                };
                Value h = step.states[0];
                ScanOp loop = buildScan(g, 2, {{step.captures[0]}, {step.elements[0]}, {}}, inner);
                Value last = g.broadcastScalar(loop.getResult(0), getShape(h));
                step.next = {g.add(g.mul(h, last), step.elements[0])};
                step.stacked = {loop.getResult(0)};
              };
              Value start = g.reduceSum(step.states[0], {0});
              ScanOp loop = buildScan(
                  g, d0, {{step.states[0]}, {step.elements[0]}, {start}, /*reverse=*/true}, middle);
              step.next = {loop.getResult(0)};
              step.stacked = {loop.getResult(1)};
            };
            return resultsOf(buildScan(math, 2, {{xs[1]}, {xs[0]}, {}}, outer));
          }};
}

std::vector<LoopExample> keratin::tests::scanExamples() {
  std::vector<LoopExample> examples = {
      recurrent("recurrent, no step", 0, false),
      recurrent("recurrent, one step", 1, true),
      recurrent("recurrent", 5, false),
      recurrent("recurrent, reverse, unknown length", d0, true),
      longShortTerm("gates, all outputs", d0, true),
      longShortTerm("gates, last state", 3, false),
      masked(d0),
      nested(d0),
      threeDeep(),
  };
  for (LoopExample &example : formExamples())
    examples.push_back(std::move(example));
  return examples;
}

//===-- Loops that end when the data says so --------------------------------------------------===//

// Whether the sum of a vector's elements is below 2.
static Value isSmall(GraphMath &g, Value x) {
  Value sum = g.reduceSum(x, {0});
  return g.less(sum, g.constantLike(2, sum));
}

// s + 0.4 exp(w s), until the elements add up to 2: a few steps.
static Value growOnce(GraphMath &g, Value s, Value w) {
  return g.add(s, g.scale(g.exp(g.mul(w, s)), 0.4));
}

static WhileOp grow(GraphMath &math, Value x, Value w, std::optional<DimExpr> most = {}) {
  auto step = [](GraphMath &g, LoopStep &step) {
    Value next = growOnce(g, step.states[1], step.captures[0]);
    step.next = {isSmall(g, next), next};
  };
  return buildWhile(math, most, {{isSmall(math, x), x}, {}, w}, step);
}

std::vector<LoopExample> keratin::tests::whileExamples() {
  std::vector<LoopExample> examples;
  auto add = [&](std::string label, std::vector<Shape> inputs, auto build) {
    examples.push_back({std::move(label), std::move(inputs), build});
  };
  add("until large", {{3}, {3}}, [](GraphMath &math, ValueRange xs) -> Values {
    WhileOp loop = grow(math, xs[0], xs[1]);
    return {loop.getResult(1), loop.getStepCount()};
  });
  add("of unknown size", {{d0}, {d0}}, [](GraphMath &math, ValueRange xs) -> Values {
    return {grow(math, xs[0], xs[1], DimExpr(9)).getResult(1)};
  });
  add("no step", {{2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    Value large = math.add(xs[0], math.constantLike(3, xs[0]));
    WhileOp loop = grow(math, large, xs[1]);
    return {loop.getResult(1), loop.getStepCount()};
  });
  add("at most three steps", {{2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value next = g.tanh(g.mul(step.states[1], step.captures[0]));
      step.next = {step.states[0], g.add(next, step.captures[0])};
    };
    Value always = math.less(math.zeroLike(xs[0]), math.oneLike(xs[0]));
    always = math.reduceAll(always, {0});
    WhileOp loop = buildWhile(math, 3, {{always, xs[0]}, {}, {xs[1]}}, step);
    return {loop.getResult(1), loop.getStepCount()};
  });
  // A power iteration beside a count, and a state that changes place with it.
  add("several states", {{2, 2}, {2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value v = g.dotGeneral(step.captures[0], step.states[1], {}, {}, {1}, {0});
      v = g.add(v, g.mul(step.states[2], step.states[2]));
      Value count = g.add(step.states[3], step.number);
      Value limit = g.integerScalar(6, getElementType(count));
      step.next = {g.less(count, limit), v, g.sin(step.states[1]), count};
    };
    Value zero = math.integerScalar(0, math.builder().getI64Type());
    Value first = math.equal(zero, zero);
    WhileOp loop = buildWhile(math, {}, {{first, xs[1], xs[2], zero}, {}, {xs[0]}}, step);
    return {loop.getResult(1), loop.getResult(2), loop.getResult(3)};
  });
  // Only its number of steps matters to the gradient.
  add("a linear step", {{2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value limit = g.integerScalar(4, getElementType(step.number));
      step.next = {g.less(step.number, limit), g.scale(step.states[1], 0.5)};
    };
    Value zero = math.integerScalar(0, math.builder().getI64Type());
    WhileOp loop = buildWhile(math, {}, {{math.equal(zero, zero), xs[0]}, {}, {}}, step);
    return {math.mul(loop.getResult(1), xs[0])};
  });
  add("two loops, one after the other", {{3}, {3}}, [](GraphMath &math, ValueRange xs) -> Values {
    WhileOp first = grow(math, xs[0], xs[1]);
    Value smaller = math.scale(first.getResult(1), 0.3);
    return {grow(math, smaller, first.getResult(1)).getResult(1)};
  });
  add("in a scan", {{d0, 2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value next = grow(g, g.scale(step.states[0], 0.5), step.elements[0], 6).getResult(1);
      step.next = {next};
      step.stacked = {g.sin(next)};
    };
    return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {}}, step));
  });
  add("in a scan, of any length", {{d0, 2}, {2}, {2}},
      [](GraphMath &math, ValueRange xs) -> Values {
        auto step = [](GraphMath &g, LoopStep &step) {
          Value w = g.mul(step.elements[0], step.captures[0]);
          Value next = grow(g, g.scale(step.states[0], 0.5), w).getResult(1);
          step.next = {next};
          step.stacked = {g.sin(next)};
        };
        return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {xs[2]}}, step));
      });
  add("in a branch, of any length", {{2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
      return {grow(g, xs[0], xs[1]).getResult(1)};
    };
    auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
      return {g.mul(xs[0], xs[1])};
    };
    return resultsOf(buildIf(math, isSmall(math, xs[0]), xs, first, second));
  });
  add("three deep, of any length", {{3, 2}, {2}, {2}},
      [](GraphMath &math, ValueRange xs) -> Values {
        auto outer = [](GraphMath &g, LoopStep &step) {
          auto middle = [](GraphMath &g, LoopStep &step) {
            Value s = grow(g, g.scale(step.states[1], 0.5), step.captures[0]).getResult(1);
            s = g.mul(s, g.cos(g.mul(step.states[1], step.captures[1])));
            step.next = {g.less(step.number, g.integerScalar(2, getElementType(step.number))), s};
          };
          Value go = g.less(step.number, g.integerScalar(2, getElementType(step.number)));
          WhileOp loop = buildWhile(
              g, {}, {{go, step.states[0]}, {}, {step.elements[0], step.captures[0]}}, middle);
          step.next = {loop.getResult(1)};
          step.stacked = {g.cast(loop.getStepCount(), getElementType(step.states[0]))};
        };
        return resultsOf(buildScan(math, 3, {{xs[1]}, {xs[0]}, {xs[2]}, true}, outer));
      });
  add("in a branch", {{2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
      return {grow(g, xs[0], xs[1], 5).getResult(1)};
    };
    auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
      return {g.mul(xs[0], xs[1])};
    };
    return resultsOf(buildIf(math, isSmall(math, xs[0]), xs, first, second));
  });
  add("in another one", {{2}, {2}}, [](GraphMath &math, ValueRange xs) -> Values {
    auto step = [](GraphMath &g, LoopStep &step) {
      Value s = grow(g, g.scale(step.states[1], 0.5), step.captures[0], 4).getResult(1);
      s = g.mul(s, g.cos(step.states[1]));
      Value limit = g.integerScalar(2, getElementType(step.number));
      step.next = {g.less(step.number, limit), s};
    };
    Value zero = math.integerScalar(0, math.builder().getI64Type());
    WhileOp loop = buildWhile(math, {}, {{math.equal(zero, zero), xs[0]}, {}, {xs[1]}}, step);
    return {loop.getResult(1), loop.getStepCount()};
  });
  // The first elements of a vector, one less in each step: what follows has another size each time.
  add("sizes that differ from step to step", {{4, 3}, {2}},
      [](GraphMath &math, ValueRange xs) -> Values {
        auto step = [](GraphMath &g, LoopStep &step) {
          Type number = getElementType(step.number);
          Value count =
              g.mod(g.add(step.number, g.integerScalar(3, number)), g.integerScalar(4, number));
          Shape part = {DimExpr::symbol(7)};
          Value x = g.builder().create<TruncateOp>(
              g.location(), getTensorType(part, getElementType(step.elements[0])), step.elements[0],
              count, uint64_t(0));
          Value s = g.broadcastScalar(g.reduceSum(step.states[0], {0}), part);
          Value sum = g.reduceSum(g.cumsum(g.sin(g.mul(x, s)), 0, false, false), {0});
          Value next =
              g.tanh(g.add(step.states[0], g.broadcastScalar(sum, getShape(step.states[0]))));
          step.next = {next};
          step.stacked = {sum};
        };
        return resultsOf(buildScan(math, 4, {{xs[1]}, {xs[0]}, {}}, step));
      });
  return examples;
}

//===-- Branches ------------------------------------------------------------------------------===//

// sum(x) > threshold.
static Value exceeds(GraphMath &g, Value x, double threshold) {
  Value sum = g.reduceSum(x, {0});
  return g.greater(sum, g.constantLike(threshold, sum));
}

static LoopExample branches(const std::string &label, double threshold) {
  return {label, {{3}, {3}, {3}}, [=](GraphMath &math, ValueRange xs) {
            auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
              return {g.mul(xs[0], g.exp(xs[1])), xs[0]};
            };
            auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
              return {g.tanh(g.mul(xs[1], xs[1])), g.zeroLike(xs[0])};
            };
            return resultsOf(buildIf(math, exceeds(math, xs[0], threshold), xs, first, second));
          }};
}

std::vector<LoopExample> keratin::tests::ifExamples() {
  std::vector<LoopExample> examples = {branches("first branch", -100),
                                       branches("second branch", 100)};
  auto add = [&](std::string label, std::vector<Shape> inputs, auto build) {
    examples.push_back({std::move(label), std::move(inputs), build});
  };
  add("a branch in each step", {{d0, 2}, {2}, {2}}, [](GraphMath &math, ValueRange xs) {
    auto step = [](GraphMath &g, LoopStep &step) {
      auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
        return {g.sin(g.mul(xs[0], xs[1]))};
      };
      auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
        return {g.add(xs[0], g.mul(xs[2], xs[2]))};
      };
      Value h = step.states[0];
      IfOp choice = buildIf(g, isEven(g, step.number), {h, step.elements[0], step.captures[0]},
                            first, second);
      step.next = {choice.getResult(0)};
      step.stacked = {g.mul(choice.getResult(0), h)};
    };
    return resultsOf(buildScan(math, d0, {{xs[1]}, {xs[0]}, {xs[2]}}, step));
  });
  for (double threshold : {-100, 100})
    add(threshold < 0 ? "a loop in the branch taken" : "a loop in the branch not taken",
        {{2}, {3, 2}}, [=](GraphMath &math, ValueRange xs) {
          auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
            auto step = [](GraphMath &g, LoopStep &step) {
              step.next = {g.tanh(g.mul(step.states[0], step.elements[0]))};
              step.stacked = {g.exp(step.states[0])};
            };
            ScanOp loop = buildScan(g, 3, {{xs[0]}, {xs[1]}, {}}, step);
            return {g.mul(loop.getResult(0), xs[0]), loop.getResult(1)};
          };
          auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
            return {xs[0], g.mul(xs[1], xs[1])};
          };
          return resultsOf(buildIf(math, exceeds(math, xs[0], threshold), xs, first, second));
        });
  add("a branch in a loop in a branch in a loop", {{2, 2, 2}, {2}},
      [](GraphMath &math, ValueRange xs) {
        auto outer = [](GraphMath &g, LoopStep &step) {
          auto first = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
            auto inner = [](GraphMath &g, LoopStep &step) {
              auto yes = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
                return {g.exp(g.mul(xs[0], xs[1]))};
              };
              auto no = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
                return {g.mul(xs[0], xs[0])};
              };
              step.next = {
                  buildIf(g, isEven(g, step.number), {step.states[0], step.elements[0]}, yes, no)
                      .getResult(0)};
            };
            return {buildScan(g, 2, {{xs[0]}, {xs[1]}, {}}, inner).getResult(0)};
          };
          auto second = [](GraphMath &g, ValueRange xs) -> SmallVector<Value> {
            return {g.mul(xs[0], g.reduceSum(xs[1], {0}))};
          };
          IfOp choice =
              buildIf(g, isEven(g, step.number), {step.states[0], step.elements[0]}, first, second);
          step.next = {choice.getResult(0)};
        };
        return resultsOf(buildScan(math, 2, {{xs[1]}, {xs[0]}, {}, /*reverse=*/true}, outer));
      });
  return examples;
}
