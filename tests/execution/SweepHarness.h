// Runs many small graphs as compiled code, a few in each function, and compares them with the
// reference interpreter.
#ifndef KERATIN_TESTS_EXECUTION_SWEEPHARNESS_H
#define KERATIN_TESTS_EXECUTION_SWEEPHARNESS_H

#include "ir/builder/GraphMath.h"
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostTensor.h"
#include "tests/execution/SizeForms.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace keratin::tests {

// Where random elements come from.
enum class Elements {
  Any,      // floats of both signs and several sizes, integers around 0
  Fine,     // the same, with all bits of their fraction
  Positive, // above 0
  Small,    // floats inside (-1.5, 1.5): sums of them do not cancel badly
  Special,  // NaN, infinities, signed zeros, denormals, extremes and what overflows next to them
  Index,    // inside [0, limit)
};

struct SweepInput {
  ir::Shape shape;
  keratin_dtype_t dtype;
  Elements elements = Elements::Any;
  ir::DimExpr limit = 1; // of an index
};

ir::HostTensor sweepTensor(const SweepInput &input, const Symbols &symbols, uint64_t seed);

struct SweepCase {
  std::string label;
  std::vector<SweepInput> inputs;
  std::function<std::vector<mlir::Value>(ir::GraphMath &, mlir::ValueRange)> build;
  // The least that every symbol must be.
  int64_t smallest = 0;
};

class Sweep {
public:
  Sweep();
  // Compiles the cases, some in each function, and CHECKs every result for several values of the
  // symbols, with two ways to fill fresh memory and with one and two threads. Of all functions of a
  // program only every n-th, where KERATIN_TEST_EVERY is n. Code for the targets and machines that
  // KERATIN_TEST_BITS lists (`cuda,x86-64-v4`) computes the same bits.
  void check(const std::vector<SweepCase> &cases, size_t casesInFunction = 8);
  // Whether the verifier accepts what the case builds.
  bool isValid(const SweepCase &sweepCase);
  mlir::MLIRContext *mlirContext() { return &context; }
  // Values of d0, d1, d2 that the functions are called with.
  std::vector<Symbols> calls;
  // Kinds of cases that code generation refused as not implemented.
  std::vector<std::string> refused;
  SizeForm sizes = SizeForm::AsGiven;
  // Cases that do not take their sizes in this form.
  std::vector<std::string> leftOut;
  // How many functions have code that assumes sizes to be equal.
  int64_t assuming = 0;
  // Whether cases are compositions that passes may rewrite, so that they round in other places.
  bool isRewritten = false;
  // Whether products of float32 may be computed in tf32.
  bool hasTf32Products = false;

private:
  void checkTogether(llvm::ArrayRef<SweepCase> cases);
  mlir::MLIRContext context;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_SWEEPHARNESS_H
