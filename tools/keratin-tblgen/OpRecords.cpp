// Gradients and bodies: the dags of a record become calls on GraphMath or ScalarBuilder.
#include "tools/keratin-tblgen/Generators.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

using namespace llvm;

// Keratin_TanhOp -> TanhOp
static std::string className(const Record &op) {
  return op.getName().substr(op.getName().find('_') + 1).str();
}

static bool isNone(const DagInit &dag) { return dag.getOperator()->getAsString() == "None"; }

// Method names that are C++ keywords or operators carry an underscore.
static std::string methodName(StringRef node) {
  std::string name = node.str();
  name[0] = toLower(name[0]);
  if (name == "and" || name == "or" || name == "xor" || name == "not")
    name += '_';
  return name;
}

// (Mul $dy, (Scale $y, "2.0")) -> g.mul(dy, g.scale(y, 2.0))
static std::string expression(const DagInit &dag, StringRef builder) {
  std::string text = (builder + "." + methodName(dag.getOperator()->getAsString()) + "(").str();
  for (unsigned i = 0, e = dag.getNumArgs(); i != e; ++i) {
    if (i)
      text += ", ";
    if (auto *inner = dyn_cast<DagInit>(dag.getArg(i)))
      text += expression(*inner, builder);
    else if (auto *literal = dyn_cast<StringInit>(dag.getArg(i)))
      text += literal->getValue();
    else
      text += dag.getArgNameStr(i);
  }
  return text + ")";
}

// C++ evaluates arguments in any order; ops must come in one. So each inner node gets its own
// statement, innermost first.
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

static bool isTypedOperand(const Record *constraint) {
  return constraint->isSubClassOf("TypeConstraint");
}

namespace {
struct Operand {
  std::string name;
  bool variadic;
};
} // namespace

static std::vector<Operand> operandsOf(const Record &op) {
  std::vector<Operand> operands;
  const DagInit *arguments = op.getValueAsDag("arguments");
  for (unsigned i = 0, e = arguments->getNumArgs(); i != e; ++i) {
    const Record *constraint = cast<DefInit>(arguments->getArg(i))->getDef();
    if (isTypedOperand(constraint))
      operands.push_back({arguments->getArgNameStr(i).str(), constraint->isSubClassOf("Variadic")});
  }
  return operands;
}

static std::string accessor(StringRef name) {
  return "get" + convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
}

static void bindOperands(raw_ostream &os, const std::vector<Operand> &operands, StringRef code) {
  for (const Operand &operand : operands)
    if (code.contains(operand.name))
      os << "  [[maybe_unused]] mlir::Value " << operand.name << " = " << accessor(operand.name)
         << "();\n";
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

  os << "bool " << name << "::isDifferentiableOperand(unsigned operand) {\n";
  if (!differentiable) {
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
  for (StringRef property : {"choosesElements", "hasUnboundedDerivative"})
    os << "bool " << name << "::" << property << "() { return "
       << (op.getValueAsBit(property) ? "true" : "false") << "; }\n";
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
  os << "  return " << expression(*scalar, "s") << ";\n}\n";
}

static std::vector<const Record *> keratinOps(RecordKeeper &records) {
  std::vector<const Record *> ops;
  for (Record *op : records.getAllDerivedDefinitions("Keratin_Op"))
    ops.push_back(op);
  return ops;
}

bool keratin::tblgen::emitOpRecords(raw_ostream &os, RecordKeeper &records) {
  os << "// Generated by keratin-tblgen -gen-op-records.\n";
  for (const Record *op : keratinOps(records)) {
    std::vector<Operand> operands = operandsOf(*op);
    os << "\n// " << className(*op) << "\n";
    emitDifferentiability(os, *op, operands);
    emitScalar(os, *op, operands);
  }
  return false;
}

bool keratin::tblgen::emitOpEvaluators(raw_ostream &os, RecordKeeper &records) {
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
  return false;
}

bool keratin::tblgen::emitOpTable(raw_ostream &os, RecordKeeper &records) {
  os << "// Generated by keratin-tblgen -gen-op-table.\n";
  for (const Record *op : keratinOps(records))
    os << "KERATIN_OP(" << className(*op) << ", \"" << op->getValueAsString("opName") << "\", "
       << operandsOf(*op).size() << ", \"" << op->getValueAsString("domain") << "\", "
       << (op->getValueAsBit("isDifferentiable") ? "true" : "false") << ")\n";
  return false;
}

static void emitPredicate(raw_ostream &os, RecordKeeper &records, StringRef property) {
  os << "\nbool keratin::ir::" << property << "(mlir::Operation *op) {\n  return mlir::isa<";
  bool isFirst = true;
  for (const Record *op : records.getAllDerivedDefinitions("Keratin_Properties"))
    if (op->getValueAsBit(property)) {
      os << (isFirst ? "" : ", ") << className(*op);
      isFirst = false;
    }
  os << ">(op);\n}\n";
}

bool keratin::tblgen::emitOpProperties(raw_ostream &os, RecordKeeper &records) {
  os << "// Generated by keratin-tblgen -gen-op-properties.\n";
  for (StringRef property : {"canFail", "isCostly", "takesAnyOrder"})
    emitPredicate(os, records, property);
  os << "\nllvm::StringRef keratin::ir::runtimeFunctionOf(mlir::Operation *op) {\n";
  for (const Record *op : records.getAllDerivedDefinitions("Keratin_Properties"))
    if (StringRef function = op->getValueAsString("runtimeFunction"); !function.empty())
      os << "  if (mlir::isa<" << className(*op) << ">(op))\n    return \"" << function << "\";\n";
  os << "  return {};\n}\n";
  return false;
}

bool keratin::tblgen::emitOpOperations(raw_ostream &os, RecordKeeper &records) {
  os << "// Generated by keratin-tblgen -gen-op-operations.\n";
  for (const Record *op : records.getAllDerivedDefinitions("Keratin_Properties")) {
    StringRef operations = op->getValueAsString("operations");
    if (operations.empty() && !op->getValueAsString("kernel").empty())
      PrintFatalError(op->getLoc(), "has a kind of kernel and does not say its operations");
    if (!operations.empty())
      os << "  if (auto op = mlir::dyn_cast<" << className(*op) << ">(operation))\n    return "
         << operations << ";\n";
  }
  return false;
}

bool keratin::tblgen::emitOpKernels(raw_ostream &os, RecordKeeper &records) {
  os << "// Generated by keratin-tblgen -gen-op-kernels.\n";
  for (const Record *op : records.getAllDerivedDefinitions("Keratin_Properties"))
    if (StringRef kind = op->getValueAsString("kernel"); !kind.empty())
      os << "KERATIN_KERNEL(" << className(*op) << ", emit" << kind << "Kernel)\n";
  return false;
}
