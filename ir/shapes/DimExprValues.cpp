// What expressions come to where symbols are given values, and code that computes it.
#include "ir/shapes/DimExpr.h"
#include "ir/shapes/DimExprDetail.h"
#include "runtime/abi/keratin_abi.h"

#include <algorithm>

namespace keratin::ir {

using namespace detail;

namespace {

keratin_size_opcode_t opcodeOf(DimAtomKind kind) {
  switch (kind) {
  case DimAtomKind::Symbol:
    return KERATIN_SIZE_SLOT;
  case DimAtomKind::FloorDiv:
    return KERATIN_SIZE_FLOORDIV;
  case DimAtomKind::CeilDiv:
    return KERATIN_SIZE_CEILDIV;
  case DimAtomKind::Mod:
    return KERATIN_SIZE_MOD;
  case DimAtomKind::Max:
    return KERATIN_SIZE_MAX;
  case DimAtomKind::Min:
    return KERATIN_SIZE_MIN;
  case DimAtomKind::Broadcast:
    return KERATIN_SIZE_BROADCAST;
  }
  return KERATIN_SIZE_CONST;
}

// The one order of computation, shared by evaluate() and program(), so that both overflow alike. A
// machine has constant(value), symbol(id) and apply(opcode), each false to stop.
template <typename Machine> bool compute(const DimExpr &expr, Machine &machine);

template <typename Machine> bool computeAtom(const DimAtom &atom, Machine &machine) {
  if (atom.kind == DimAtomKind::Symbol)
    return machine.symbol(atom.id);
  if (!compute(atom.arguments[0], machine))
    return false;
  for (size_t i = 1; i < atom.arguments.size(); ++i)
    if (!compute(atom.arguments[i], machine) || !machine.apply(opcodeOf(atom.kind)))
      return false;
  return true;
}

template <typename Machine> bool compute(const DimExpr &expr, Machine &machine) {
  DimTerms terms(expr);
  if (terms.size() == 0)
    return machine.constant(0);
  bool first = true;
  for (const DimTerm &term : terms) {
    int64_t coefficient = term.coefficient;
    const bool subtract =
        !first && coefficient < 0 && coefficient != std::numeric_limits<int64_t>::min();
    if (subtract)
      coefficient = -coefficient;
    bool started = false;
    if (coefficient != 1 || term.atoms.empty()) {
      if (!machine.constant(coefficient))
        return false;
      started = true;
    }
    for (const DimAtomRef &atom : term.atoms) {
      if (!computeAtom(*atom, machine) || (started && !machine.apply(KERATIN_SIZE_MUL)))
        return false;
      started = true;
    }
    if (!first && !machine.apply(subtract ? KERATIN_SIZE_SUB : KERATIN_SIZE_ADD))
      return false;
    first = false;
  }
  return true;
}

struct Evaluator {
  const std::function<std::optional<int64_t>(int64_t)> &valueOf;
  std::vector<int64_t> stack;

  bool constant(int64_t value) {
    stack.push_back(value);
    return true;
  }

  bool symbol(int64_t id) {
    std::optional<int64_t> value = valueOf(id);
    return value && constant(*value);
  }

  bool apply(keratin_size_opcode_t opcode) {
    const int64_t b = stack.back();
    stack.pop_back();
    int64_t &a = stack.back();
    auto become = [&](std::optional<int64_t> value) {
      a = value.value_or(0);
      return value.has_value();
    };
    switch (opcode) {
    case KERATIN_SIZE_ADD:
      return !__builtin_add_overflow(a, b, &a);
    case KERATIN_SIZE_SUB:
      return !__builtin_sub_overflow(a, b, &a);
    case KERATIN_SIZE_MUL:
      return !__builtin_mul_overflow(a, b, &a);
    case KERATIN_SIZE_FLOORDIV:
      return become(floorDivide(a, b));
    case KERATIN_SIZE_CEILDIV:
      return become(ceilDivide(a, b));
    case KERATIN_SIZE_MOD:
      return become(floorRemainder(a, b));
    case KERATIN_SIZE_MAX:
      return become(std::max(a, b));
    case KERATIN_SIZE_MIN:
      return become(std::min(a, b));
    case KERATIN_SIZE_BROADCAST:
      if (a == 1)
        return become(b);
      return b == 1 || a == b;
    case KERATIN_SIZE_CONST:
    case KERATIN_SIZE_SLOT:
      break;
    }
    return false;
  }
};

struct ProgramWriter {
  const std::function<int64_t(int64_t)> &slotOf;
  std::vector<int64_t> code;

  bool constant(int64_t value) {
    code.insert(code.end(), {KERATIN_SIZE_CONST, value});
    return true;
  }
  bool symbol(int64_t id) {
    code.insert(code.end(), {KERATIN_SIZE_SLOT, slotOf(id)});
    return true;
  }
  bool apply(keratin_size_opcode_t opcode) {
    code.push_back(opcode);
    return true;
  }
};

void collectSymbols(const DimExpr &expr, std::vector<int64_t> &ids) {
  for (const DimTerm &term : DimTerms(expr)) {
    for (const DimAtomRef &atom : term.atoms) {
      if (atom->kind == DimAtomKind::Symbol)
        ids.push_back(atom->id);
      for (const DimExpr &argument : atom->arguments)
        collectSymbols(argument, ids);
    }
  }
}

} // namespace

std::optional<int64_t>
DimExpr::evaluate(const std::function<std::optional<int64_t>(int64_t)> &symbol) const {
  if (isConstant())
    return constant;
  Evaluator evaluator{symbol, {}};
  if (!compute(*this, evaluator))
    return std::nullopt;
  return evaluator.stack.back();
}

std::vector<int64_t> DimExpr::program(const std::function<int64_t(int64_t)> &slot) const {
  ProgramWriter writer{slot, {}};
  compute(*this, writer);
  return std::move(writer.code);
}

std::vector<int64_t> DimExpr::symbols() const {
  std::vector<int64_t> ids;
  collectSymbols(*this, ids);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::optional<DimExpr>
DimExpr::substitute(const std::function<std::optional<DimExpr>(int64_t)> &symbol) const {
  DimExpr sum;
  for (const DimTerm &term : DimTerms(*this)) {
    std::optional<DimExpr> value = DimExpr(term.coefficient);
    for (const DimAtomRef &atom : term.atoms) {
      std::optional<DimExpr> factor;
      if (atom->kind == DimAtomKind::Symbol) {
        factor = symbol(atom->id);
      } else {
        std::vector<DimExpr> arguments;
        for (const DimExpr &argument : atom->arguments) {
          std::optional<DimExpr> replaced = argument.substitute(symbol);
          if (!replaced)
            return std::nullopt;
          arguments.push_back(std::move(*replaced));
        }
        factor = applyFunction(atom->kind, std::move(arguments));
      }
      value = factor ? mul(*value, *factor) : std::nullopt;
      if (!value)
        return std::nullopt;
    }
    std::optional<DimExpr> next = add(sum, *value);
    if (!next)
      return std::nullopt;
    sum = std::move(*next);
  }
  return sum;
}

} // namespace keratin::ir
