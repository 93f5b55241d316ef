// Gradients and bodies: the dags of a record become calls on GraphMath or ScalarBuilder.
#include "tools/keratin-tblgen/Generators.h"
#include "tools/keratin-tblgen/OpRecord.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

using namespace llvm;
using namespace keratin::tblgen;

// (Mul $dy, (Scale $y, "2.0")) -> t0 = g.scale(y, 2.0); t1 = g.mul(dy, t0). C++ evaluates arguments
// in any order; ops must come in one. So each node gets its own statement, innermost first.
static std::string statements(const DagInit &dag, StringRef builder, StringRef indent,
                              unsigned &counter, std::string &code) {
  std::string call = (builder + "." + methodName(dag.getOperator()->getAsString()) + "(").str();
  for (unsigned i = 0, e = dag.getNumArgs(); i != e; ++i) {
    if (i)
      call += ", ";
    if (auto *inner = dyn_cast<DagInit>(dag.getArg(i)))
      call += statements(*inner, builder, indent, counter, code);
    else if (auto *literal = dyn_cast<StringInit>(dag.getArg(i)))
      call += literal->getValue();
    else
      call += dag.getArgNameStr(i);
  }
  std::string name = "t" + std::to_string(counter++);
  code += (indent + "mlir::Value " + name + " = " + call + ");\n").str();
  return name;
}

static std::string accessor(StringRef name) { return "get" + camelName(name); }

static void bindOperands(raw_ostream &os, const std::vector<Operand> &operands, StringRef code) {
  for (const Operand &operand : operands)
    if (code.contains(operand.name))
      os << "  [[maybe_unused]] mlir::Value " << operand.name << " = " << accessor(operand.name)
         << "();\n";
}

static void emitTangents(raw_ostream &os, const Record &op) {
  StringRef kind = op.getValueAsString("jvp");
  if (op.getValueAsBit("hasCustomJvp")) {
    if (!kind.empty())
      PrintFatalError(op.getLoc(), "says jvp, and has a rule of its own");
    return;
  }
  os << "mlir::LogicalResult " << className(op)
     << "::buildJvp(mlir::OpBuilder &builder, mlir::ArrayRef<mlir::Value> tangents, "
        "mlir::SmallVectorImpl<mlir::Value> &results) {\n";
  if (!op.getValueAsBit("isDifferentiable")) {
    os << "  results.assign((*this)->getNumResults(), mlir::Value());\n"
          "  return mlir::success();\n}\n";
    return;
  }
  StringRef rule = StringSwitch<StringRef>(kind)
                       .Case("linear", "tangentOfLinear")
                       .Case("product", "tangentOfProduct")
                       .Case("", "tangentsByVjp")
                       .Default("");
  if (rule.empty())
    PrintFatalError(op.getLoc(), "jvp is linear, product or nothing, found " + kind);
  os << "  return " << rule << "(*this, builder, tangents, results);\n}\n";
}

static void emitPaths(raw_ostream &os, const Record &op, const std::vector<Operand> &operands,
                      ArrayRef<const DagInit *> vjp) {
  if (op.getValueAsBit("hasCustomPaths"))
    return;
  os << "bool " << className(op) << "::isDifferentiableOperand(unsigned operand) {\n";
  if (!op.getValueAsBit("isDifferentiable")) {
    os << "  return false;\n}\n";
  } else {
    for (unsigned i = 0; i < vjp.size(); ++i)
      if (isNone(*vjp[i]))
        os << "  if (operand " << (operands[i].variadic ? ">= " : "== ") << i
           << ")\n    return false;\n";
    // keratin.gradients may have no results, a loop results of several types.
    os << "  return mlir::isa<mlir::FloatType>(getElementType((*this)->getOperand(operand))) &&\n"
          "         llvm::any_of((*this)->getResults(), [](mlir::Value result) {\n"
          "           return mlir::isa<mlir::FloatType>(getElementType(result));\n"
          "         });\n}\n";
  }
}

static void emitDifferentiability(raw_ostream &os, const Record &op,
                                  const std::vector<Operand> &operands) {
  std::string name = className(op);
  std::vector<const DagInit *> vjp;
  for (const Init *dag : *op.getValueAsListInit("vjp"))
    vjp.push_back(cast<DagInit>(dag));
  bool custom = op.getValueAsBit("hasCustomVjp");
  bool differentiable = op.getValueAsBit("isDifferentiable");
  if (differentiable && !custom && vjp.size() != operands.size())
    PrintFatalError(
        op.getLoc(),
        "the record needs one vjp expression an operand, hasCustomVjp, or isDifferentiable = 0");
  for (unsigned i = 0; i < vjp.size(); ++i)
    if (operands[i].variadic && (i + 1 != operands.size() || !isNone(*vjp[i])))
      PrintFatalError(op.getLoc(),
                      "only None can stand for a variadic operand, and it must be last");

  emitPaths(os, op, operands, vjp);
  for (StringRef property : {"choosesElements", "fillsWithZeros", "hasUnboundedDerivative"})
    os << "bool " << name << "::" << property << "() { return "
       << (op.getValueAsBit(property) ? "true" : "false") << "; }\n";
  emitTangents(os, op);
  if (custom)
    return;
  os << "mlir::LogicalResult " << name
     << "::buildVjp(mlir::OpBuilder &builder, mlir::ArrayRef<mlir::Value> cotangents, "
        "mlir::SmallVectorImpl<mlir::Value> &gradients) {\n";
  os << "  gradients.assign((*this)->getNumOperands(), mlir::Value());\n";
  if (differentiable) {
    std::string code;
    unsigned counter = 0;
    for (unsigned i = 0; i < vjp.size(); ++i) {
      if (isNone(*vjp[i]))
        continue;
      std::string body;
      std::string result = statements(*vjp[i], "g", "    ", counter, body);
      code += "  if (isDifferentiableOperand(" + std::to_string(i) + ")) {\n" + body +
              "    gradients[" + std::to_string(i) + "] = " + result + ";\n  }\n";
    }
    os << "  if (!cotangents[0])\n    return mlir::success();\n";
    os << "  GraphMath g(builder, gradientLocation(*this));\n  [[maybe_unused]] mlir::Value dy = "
          "cotangents[0];\n"
          "  [[maybe_unused]] mlir::Value y = (*this)->getResult(0);\n";
    bindOperands(os, operands, code);
    os << code;
  }
  os << "  return mlir::success();\n}\n";
}

static void emitScalar(raw_ostream &os, const Record &op, const std::vector<Operand> &operands) {
  const DagInit *scalar = op.getValueAsDag("scalar");
  if (isNone(*scalar))
    return;
  os << "mlir::Value " << className(op)
     << "::buildScalar(ScalarBuilder &s, mlir::ValueRange operands) {\n";
  // The last operand decides: a select's first is its condition.
  os << "  s.setElementType(getElementType((*this)->getOperand(" << operands.size() - 1 << ")));\n";
  for (unsigned i = 0; i < operands.size(); ++i)
    os << "  mlir::Value " << operands[i].name << " = operands[" << i << "];\n";
  std::string body;
  unsigned counter = 0;
  std::string result = statements(*scalar, "s", "  ", counter, body);
  os << body << "  return " << result << ";\n}\n";
}

void keratin::tblgen::emitOpRecords(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-records.\n";
  for (const Record *op : keratinOps(records)) {
    std::vector<Operand> operands = operandsOf(*op);
    os << "\n// " << className(*op) << "\n";
    emitDifferentiability(os, *op, operands);
    emitScalar(os, *op, operands);
  }
}

void keratin::tblgen::emitOpEvaluators(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-evaluators.\n";
  for (const Record *op : keratinOps(records)) {
    StringRef reference = op->getValueAsString("reference");
    if (reference.empty())
      continue;
    std::vector<Operand> operands = operandsOf(*op);
    os << "\nmlir::LogicalResult " << className(*op)
       << "::evaluate(EvaluationContext &context, llvm::ArrayRef<const HostTensor *> operands, "
          "llvm::MutableArrayRef<HostTensor> results) {\n"
       << "  return evaluateElementwise(operands, results[0], [&](";
    for (unsigned i = 0; i < operands.size(); ++i)
      os << (i ? ", auto " : "auto ") << operands[i].name;
    os << ") {\n    using T [[maybe_unused]] = decltype(" << operands[0].name << ");\n    return "
       << reference << ";\n  });\n}\n";
  }
}

void keratin::tblgen::emitOpTable(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-table.\n";
  for (const Record *op : keratinOps(records))
    os << "KERATIN_OP(" << className(*op) << ", \"" << op->getValueAsString("opName") << "\", "
       << operandsOf(*op).size() << ", \"" << op->getValueAsString("domain") << "\", "
       << (op->getValueAsBit("isDifferentiable") ? "true" : "false") << ")\n";
}
