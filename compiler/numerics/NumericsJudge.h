// Whether a rewritten function still computes the same, by the reference interpreter.
#ifndef KERATIN_COMPILER_NUMERICS_NUMERICSJUDGE_H
#define KERATIN_COMPILER_NUMERICS_NUMERICSJUDGE_H

#include "ir/reference/BoundedTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::compiler {

class NumericsJudge {
public:
  // Draws sizes and inputs that the function accepts, and computes what it makes of them, with
  // bounds of what rounding explains. Nothing about it can be told where explain() says why.
  NumericsJudge(mlir::func::FuncOp function, uint64_t seed);
  const std::string &explain() const { return why; }

  struct Verdict {
    std::string mismatch; // the result and its values; empty: there is none
    std::string unknown;  // why nothing can be said; empty: something can
  };
  // Of a function that has been made of the first one.
  Verdict judge(mlir::func::FuncOp rewritten) const;

private:
  struct Call {
    std::vector<ir::HostTensor> arguments;
    std::vector<ir::BoundedTensor> expected;
  };
  std::vector<Call> calls;
  std::string why;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_NUMERICS_NUMERICSJUDGE_H
