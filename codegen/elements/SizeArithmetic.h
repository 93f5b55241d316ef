// The arithmetic of LoopEmitter on sizes as people read them: what formulas of code make of sizes
// that are known when a call begins.
#ifndef KERATIN_CODEGEN_ELEMENTS_SIZEARITHMETIC_H
#define KERATIN_CODEGEN_ELEMENTS_SIZEARITHMETIC_H

#include "ir/shapes/DimExpr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace keratin::codegen {

// A size, or several of which a condition on sizes picks one. Conditions are numbers too, 1 or 0.
// Unknown where there would be too many cases, or a size too long to be one.
class SizeCases {
public:
  SizeCases() = default; // unknown
  SizeCases(int64_t number) : SizeCases(ir::DimExpr(number)) {}
  SizeCases(const ir::DimExpr &size);

  bool isKnown() const { return node != nullptr; }
  // "floordiv(d0 + 53, 54)", "2*d1 where d0 < 128, else d1", "counted by the call" if unknown
  std::string str() const;
  // Under an assignment of symbols, as DimExpr::evaluate; nullopt if unknown.
  std::optional<int64_t>
  evaluate(const std::function<std::optional<int64_t>(int64_t)> &symbol) const;

private:
  friend class SizeArithmetic;

  // Of sizes that are not negative.
  struct Condition {
    enum Kind { Less, Equal } kind;
    ir::DimExpr x, y;
    bool operator==(const Condition &other) const {
      return kind == other.kind && x == other.x && y == other.y;
    }
    // Whether the other is known to hold where this one does.
    bool implies(const Condition &other) const;
  };
  // A size, or two cases.
  struct Node {
    ir::DimExpr size;
    std::optional<Condition> condition;
    std::shared_ptr<const Node> then, otherwise;
    unsigned cases = 1;
  };
  using NodePointer = std::shared_ptr<const Node>;
  using Function = llvm::function_ref<SizeCases(const ir::DimExpr &x, const ir::DimExpr &y)>;

  static SizeCases branch(const Condition &condition, const SizeCases &then,
                          const SizeCases &otherwise);
  static SizeCases forEach(const SizeCases &x, const SizeCases &y, Function function);
  // The cases in which the condition holds, or does not.
  SizeCases where(const Condition &condition, bool holds) const;

  NodePointer node;
};

// Of numbers that are not negative; quotients are rounded down.
class SizeArithmetic {
public:
  using Number = SizeCases;

  Number constant(int64_t value) const { return value; }
  Number add(const Number &x, const Number &y) const;
  Number sub(const Number &x, const Number &y) const;
  Number mul(const Number &x, const Number &y) const;
  Number div(const Number &x, const Number &y) const;
  Number ceilDiv(const Number &x, const Number &y) const;
  Number roundUp(const Number &x, int64_t y) const { return mul(ceilDiv(x, y), y); }
  Number min(const Number &x, const Number &y) const;
  Number max(const Number &x, const Number &y) const;
  Number less(const Number &x, const Number &y) const;
  Number equal(const Number &x, const Number &y) const;
  Number logicalAnd(const Number &x, const Number &y) const { return select(x, y, 0); }
  Number select(const Number &condition, const Number &x, const Number &y) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_SIZEARITHMETIC_H
