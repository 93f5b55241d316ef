// What ops are: predicates, and tables of what some of them have of their own.
#include "tools/keratin-tblgen/Generators.h"
#include "tools/keratin-tblgen/OpRecord.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <functional>
#include <map>

using namespace llvm;
using namespace keratin::tblgen;

//===-- Functions in the scalar body ----------------------------------------------------------===//

// The nodes of the body that are functions of elements, of which some may stand there twice.
static void collectFunctions(const DagInit &dag, std::vector<const Record *> &functions) {
  const Record *node = cast<DefInit>(dag.getOperator())->getDef();
  if (node->isSubClassOf("ScalarFunction"))
    functions.push_back(node);
  for (const Init *argument : dag.getArgs())
    if (auto *inner = dyn_cast<DagInit>(argument))
      collectFunctions(*inner, functions);
}

static std::vector<const Record *> functionsOf(const Record &op) {
  std::vector<const Record *> functions;
  if (op.isSubClassOf("Keratin_Op") && !isNone(*op.getValueAsDag("scalar")))
    collectFunctions(*op.getValueAsDag("scalar"), functions);
  return functions;
}

static bool isCostly(const Record &op) {
  return any_of(functionsOf(op),
                [](const Record *function) { return function->getValueAsBit("isCostly"); });
}

static int64_t instructionsOf(const Record &op) {
  if (int64_t said = op.getValueAsInt("instructions"); said >= 0)
    return said;
  int64_t instructions = 0;
  for (const Record *function : functionsOf(op))
    instructions += function->getValueAsInt("instructions");
  return std::max<int64_t>(instructions, 1);
}

static int64_t ulpsOf(const Record &op) {
  if (!op.isSubClassOf("Keratin_Op"))
    return 0;
  if (int64_t said = op.getValueAsInt("ulps"); said >= 0)
    return said;
  std::vector<const Record *> functions = functionsOf(op);
  if (functions.size() > 1)
    PrintFatalError(op.getLoc(), "is more than one function and does not say its ulps");
  return functions.empty() ? 0 : functions.front()->getValueAsInt("ulps");
}

//===-- Predicates ----------------------------------------------------------------------------===//

static void emitPredicate(raw_ostream &os, const RecordKeeper &records, StringRef name,
                          function_ref<bool(const Record &)> holds) {
  os << "\nbool keratin::ir::" << name << "(mlir::Operation *op) {\n  return mlir::isa<";
  ListSeparator separator;
  for (const Record *op : describedOps(records))
    if (holds(*op))
      os << separator << className(*op);
  os << ">(op);\n}\n";
}

// (name, property): a C++ condition over the op.
static void emitCondition(raw_ostream &os, const RecordKeeper &records, StringRef name,
                          StringRef property) {
  os << "\nbool keratin::ir::" << name << "(mlir::Operation *operation) {\n";
  for (const Record *op : describedOps(records))
    if (StringRef condition = op->getValueAsString(property); !condition.empty())
      os << "  if (auto op [[maybe_unused]] = mlir::dyn_cast<" << className(*op)
         << ">(operation))\n    return " << condition << ";\n";
  os << "  return false;\n}\n";
}

// A number that most ops have as `usual`.
static void emitNumber(raw_ostream &os, const RecordKeeper &records, StringRef name, int64_t usual,
                       function_ref<int64_t(const Record &)> numberOf) {
  std::map<int64_t, std::vector<std::string>> ops;
  for (const Record *op : describedOps(records))
    if (int64_t number = numberOf(*op); number != usual)
      ops[number].push_back(className(*op));
  os << "\nint64_t keratin::ir::" << name << "(mlir::Operation *op) {\n";
  for (const auto &[number, names] : ops)
    os << "  if (mlir::isa<" << join(names, ", ") << ">(op))\n    return " << number << ";\n";
  os << "  return " << usual << ";\n}\n";
}

// (name, property): whether the operand with this number is among those that the record names.
static void emitOperands(raw_ostream &os, const RecordKeeper &records, StringRef name,
                         StringRef property) {
  os << "\nbool keratin::ir::" << name << "(mlir::Operation *op, unsigned operand) {\n";
  for (const Record *op : describedOps(records)) {
    std::vector<StringRef> named = op->getValueAsListOfStrings(property);
    if (named.empty())
      continue;
    std::vector<Operand> operands = operandsOf(*op);
    os << "  if (mlir::isa<" << className(*op) << ">(op))\n    return ";
    ListSeparator separator(" || ");
    for (StringRef one : named) {
      auto found = find_if(operands, [&](const Operand &operand) { return operand.name == one; });
      if (found == operands.end())
        PrintFatalError(op->getLoc(), property + ": there is no operand " + one);
      os << separator << "operand " << (found->variadic ? ">= " : "== ")
         << found - operands.begin();
    }
    os << ";\n";
  }
  os << "  return false;\n}\n";
}

static void emitRuntimeFunctions(raw_ostream &os, const RecordKeeper &records) {
  os << "\nllvm::StringRef keratin::ir::runtimeFunctionOf(mlir::Operation *op) {\n";
  for (const Record *op : describedOps(records))
    if (StringRef function = op->getValueAsString("runtimeFunction"); !function.empty())
      os << "  if (mlir::isa<" << className(*op) << ">(op))\n    return \"" << function << "\";\n";
  os << "  return {};\n}\n";
}

//===-- Attributes ----------------------------------------------------------------------------===//

// Calls the function with each attribute's name and constraint, without OptionalAttr.
static void forEachAttribute(
    const Record &op,
    function_ref<void(StringRef name, const Record &constraint, bool optional)> visit) {
  const DagInit *arguments = op.getValueAsDag("arguments");
  for (unsigned i = 0, e = arguments->getNumArgs(); i != e; ++i) {
    const Record *constraint = cast<DefInit>(arguments->getArg(i))->getDef();
    if (!constraint->isSubClassOf("AttrConstraint"))
      continue;
    bool optional = constraint->isSubClassOf("OptionalAttr");
    visit(arguments->getArgNameStr(i),
          optional ? *constraint->getValueAsDef("baseAttr") : *constraint, optional);
  }
}

static void emitDims(raw_ostream &os, const RecordKeeper &records) {
  os << "\nvoid keratin::ir::forEachDims(mlir::Operation *operation, "
        "llvm::function_ref<void(DimsAttr)> visit) {\n";
  for (const Record *op : describedOps(records)) {
    std::string calls;
    forEachAttribute(*op, [&](StringRef name, const Record &constraint, bool) {
      if (constraint.getName() == "Keratin_DimsAttr")
        calls +=
            "    if (DimsAttr dims = op.get" + camelName(name) + "Attr())\n      visit(dims);\n";
    });
    if (!calls.empty())
      os << "  if (auto op = mlir::dyn_cast<" << className(*op) << ">(operation)) {\n"
         << calls << "    return;\n  }\n";
  }
  os << "}\n";
}

// (Each $strides, 1) -> op.setStridesAttr(withFirst(op.getStridesAttr(), 1));
static std::string dimensionStatement(const Record &op, const DagInit &node) {
  std::string name = camelName(node.getArgNameStr(0)), get = "op.get" + name + "Attr()";
  std::string kind = node.getOperator()->getAsString(), changed;
  if (kind == "Axis" || kind == "Axes")
    changed = "shifted(" + get + ")";
  else if (kind == "Places")
    changed = "withFirst(shifted(" + get + "), 0)";
  else if (kind == "Each" && node.getNumArgs() == 2)
    changed = "withFirst(" + get + ", " + node.getArg(1)->getAsString() + ")";
  else
    PrintFatalError(op.getLoc(), "dimensions: " + node.getAsString() + " says nothing");
  return "op.set" + name + "Attr(" + changed + ");";
}

static void emitDimensions(raw_ostream &os, const RecordKeeper &records) {
  os << "\nvoid keratin::ir::prependDimension(mlir::Operation *operation) {\n";
  for (const Record *op : describedOps(records)) {
    if (op->getValueAsString("batching") != "dimensions")
      continue;
    std::map<StringRef, std::string> statements;
    for (const Init *node : op->getValueAsDag("dimensions")->getArgs())
      statements[cast<DagInit>(node)->getArgNameStr(0)] =
          dimensionStatement(*op, *cast<DagInit>(node));
    if (!statements.empty())
      os << "  if (auto op = mlir::dyn_cast<" << className(*op) << ">(operation)) {\n";
    forEachAttribute(*op, [&](StringRef name, const Record &constraint, bool) {
      if (auto found = statements.find(name); found != statements.end())
        os << "    " << found->second << "\n";
      else if (constraint.getName() != "UnitAttr" && !constraint.isSubClassOf("EnumAttrInfo"))
        PrintFatalError(op->getLoc(),
                        "batching: does not say what " + name + " says of dimensions");
    });
    if (!statements.empty())
      os << "    return;\n  }\n";
  }
  os << "}\n";
}

//===-- Sizes ---------------------------------------------------------------------------------===//

static void emitSizes(raw_ostream &os, const RecordKeeper &records) {
  os << "\nstd::optional<keratin::ir::DimExpr> keratin::ir::sizeMadeBy(mlir::Operation *op, "
        "llvm::ArrayRef<DimExpr> elements) {\n";
  for (const Record *op : describedOps(records)) {
    StringRef size = op->getValueAsString("size");
    if (size.empty())
      continue;
    os << "  if (mlir::isa<" << className(*op) << ">(op)) {\n";
    for (auto [i, operand] : enumerate(operandsOf(*op)))
      os << "    const DimExpr &" << operand.name << " = elements[" << i << "];\n";
    os << "    return " << size << ";\n  }\n";
  }
  os << "  return std::nullopt;\n}\n";
}

//===-- Files ---------------------------------------------------------------------------------===//

void keratin::tblgen::emitOpProperties(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-properties.\n";
  for (StringRef property :
       {"canFail", "takesAnyOrder", "isMadeByElement", "costsNothing", "movesAll", "takesComplex", "isContraction",
        "isTiled", "isNeverNegative", "neverRounds", "isDerivative"})
    emitPredicate(os, records, property,
                  [&](const Record &op) { return op.getValueAsBit(property); });
  emitPredicate(os, records, "isCostly", isCostly);
  for (auto [predicate, alone] : {std::pair("isBatchable", true), std::pair("isMappable", false)})
    emitPredicate(os, records, predicate, [alone](const Record &op) {
      StringRef batching = op.getValueAsString("batching");
      return !batching.empty() && !(alone && batching == "map");
    });
  emitPredicate(os, records, "makesSizes",
                [](const Record &op) { return !op.getValueAsString("size").empty(); });
  emitCondition(os, records, "isFreeToRepeat", "freeToRepeat");
  emitCondition(os, records, "isView", "view");
  emitNumber(os, records, "instructionsOf", 1, instructionsOf);
  emitNumber(os, records, "allowedUlps", 0, ulpsOf);
  emitOperands(os, records, "isLinearIn", "linearIn");
  emitOperands(os, records, "saysWhere", "where");
  emitRuntimeFunctions(os, records);
  emitDims(os, records);
  emitDimensions(os, records);
  emitSizes(os, records);
}

void keratin::tblgen::emitOpOperations(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-operations.\n";
  for (const Record *op : describedOps(records)) {
    StringRef operations = op->getValueAsString("operations");
    if (operations.empty() && !op->getValueAsString("kernel").empty())
      PrintFatalError(op->getLoc(), "has a kind of kernel and does not say its operations");
    if (!operations.empty())
      os << "  if (auto op = mlir::dyn_cast<" << className(*op) << ">(operation))\n    return "
         << operations << ";\n";
  }
}

void keratin::tblgen::emitOpKernels(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-kernels.\n";
  llvm::SetVector<StringRef> kinds;
  os << "#ifdef KERATIN_KERNEL\n";
  for (const Record *op : describedOps(records))
    if (StringRef kind = op->getValueAsString("kernel"); !kind.empty()) {
      kinds.insert(kind);
      os << "KERATIN_KERNEL(" << className(*op) << ", " << kind << ")\n";
    }
  os << "#endif\n#ifdef KERATIN_KERNEL_KIND\n";
  for (StringRef kind : kinds)
    os << "KERATIN_KERNEL_KIND(" << kind << ")\n";
  os << "#endif\n";
}

void keratin::tblgen::emitOpBatching(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-batching.\n";
  for (const Record *op : describedOps(records))
    if (StringRef batching = op->getValueAsString("batching");
        batching == "own" || batching == "map")
      os << "KERATIN_BATCHED(" << className(*op) << ")\n";
  os << "#undef KERATIN_BATCHED\n";
}

void keratin::tblgen::emitOpBounds(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-op-bounds.\n";
  for (const Record *op : describedOps(records)) {
    os << "KERATIN_BOUNDS(" << className(*op) << ", " << op->getValueAsString("bounds") << ")\n";
    if (!op->getValueAsBit("isMonotone"))
      os << "KERATIN_ADJUSTED(" << className(*op) << ")\n";
  }
  os << "#undef KERATIN_BOUNDS\n#undef KERATIN_ADJUSTED\n";
}

//===-- Saved graphs --------------------------------------------------------------------------===//

// The kind by the constraint's record.
static StringRef savedKind(const Record &op, const Record &constraint) {
  static const std::map<StringRef, StringRef> kinds = {
      {"UnitAttr", "Flag"},
      {"I64Attr", "Integer"},
      {"DenseI64ArrayAttr", "Integers"},
      {"DenseBoolArrayAttr", "Flags"},
      {"StrAttr", "Text"},
      {"Keratin_MeshAxisAttr", "Text"},
      {"Keratin_ComparisonAttr", "Comparison"},
      {"Keratin_RequirementAttr", "Requirement"},
      {"Keratin_RankReductionAttr", "RankReduction"},
      {"Keratin_DimsAttr", "Dims"},
      {"ElementsAttr", "Dense"}};
  auto found = kinds.find(constraint.getName());
  if (found == kinds.end())
    PrintFatalError(op.getLoc(), "the format has no attributes like " + constraint.getName());
  return found->second;
}

// Entries in the order of their names.
static std::map<std::string, std::string> savedAttributes(const Record &op) {
  std::map<std::string, std::string> attributes;
  forEachAttribute(op, [&](StringRef name, const Record &constraint, bool optional) {
    attributes[name.str()] = ("{\"" + name + "\", Kind::" + savedKind(op, constraint) +
                              (optional ? ", /*optional=*/true}" : "}"))
                                 .str();
  });
  if (is_contained(op.getValueAsListOfDefs("traits"),
                   op.getRecords().getDef("AttrSizedOperandSegments")))
    attributes["operandSegmentSizes"] = "{\"operandSegmentSizes\", Kind::Segments}";
  return attributes;
}

void keratin::tblgen::emitSavedOps(RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by keratin-tblgen -gen-saved-ops.\n";
  std::string table;
  for (const Record *op : keratinOps(records)) {
    if (!op->getValueAsBit("isSaved"))
      continue;
    int64_t since = op->getValueAsInt("savedSince");
    if (since < 0)
      PrintFatalError(op->getLoc(), "says neither savedSince nor isSaved = 0");
    std::map<std::string, std::string> attributes = savedAttributes(*op);
    bool hasSegments = attributes.count("operandSegmentSizes");
    std::string list = "{}";
    if (!attributes.empty()) {
      list = "attributesOf" + className(*op);
      os << "static constexpr SavedAttribute " << list << "[] = {";
      ListSeparator separator;
      for (const auto &[name, entry] : attributes)
        os << separator << entry;
      os << "};\n";
    }
    table += ("    {\"" + op->getValueAsString("opName") + "\", " + list + ", " + Twine(since) +
              ", /*regions=*/" + Twine(op->getValueAsDag("regions")->getNumArgs()) +
              ", /*segments=*/" + Twine(hasSegments ? operandsOf(*op).size() : 0) + "},\n")
                 .str();
  }
  os << "static const SavedOp ops[] = {\n" << table << "};\n";
}
