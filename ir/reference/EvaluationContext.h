// What evaluating an op may need beyond its operands.
#ifndef KERATIN_IR_REFERENCE_EVALUATIONCONTEXT_H
#define KERATIN_IR_REFERENCE_EVALUATIONCONTEXT_H

#include "ir/shapes/DimExpr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace keratin::ir {

// What keratin.check_numbers has found.
struct NumberFinding {
  int64_t rank = 0;  // 0: made of finite operands, 1: fed, 2: NaN made of infinities
  int64_t order = 0; // of the check
  std::string name;  // of the op, or of what was fed
  std::string line;  // "file:line"
  double value = 0;
  int64_t element = 0; // its place in row-major order
};

struct HostTensor;

// The other ranks of a job, each of which is interpreted beside this one: those along an axis of
// their mesh, by its name, or, for "", all of them.
class RankExchange {
public:
  virtual ~RankExchange() = default;
  // In place: what the reduction (ir::RankReduction) makes of all ranks' tensors. False where they
  // do not fit.
  virtual bool reduce(std::string_view axis, int64_t reduction, HostTensor &tensor) = 0;
  // Which this one is, of those; nothing where there is no such axis.
  virtual std::optional<int64_t> rank(std::string_view axis) = 0;
  // In place: the rows of all ranks' tensors.
  virtual bool gather(std::string_view axis, HostTensor &tensor) = 0;
};

struct EvaluationContext {
  std::map<int64_t, int64_t> symbols;   // values of the symbols of this call
  std::string output;                   // what keratin.print printed
  std::string error;                    // set by an op that fails, e.g. for an index out of range
  std::optional<NumberFinding> finding; // the one that a call would report
  RankExchange *ranks = nullptr;        // null: there is one rank

  std::optional<int64_t> evaluate(const DimExpr &dim) const {
    return dim.evaluate([this](int64_t id) -> std::optional<int64_t> {
      auto found = symbols.find(id);
      return found == symbols.end() ? std::nullopt : std::optional(found->second);
    });
  }
};

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_EVALUATIONCONTEXT_H
