#include "tools/keratin-tblgen/OpRecord.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace keratin;

static std::vector<const Record *> definitionsOf(const RecordKeeper &records, StringRef name) {
  std::vector<const Record *> found;
  for (const Record *record : records.getAllDerivedDefinitions(name))
    found.push_back(record);
  return found;
}

std::vector<const Record *> tblgen::keratinOps(const RecordKeeper &records) {
  return definitionsOf(records, "Keratin_Op");
}

std::vector<const Record *> tblgen::describedOps(const RecordKeeper &records) {
  return definitionsOf(records, "Keratin_Properties");
}

std::string tblgen::className(const Record &op) {
  return op.getName().substr(op.getName().find('_') + 1).str();
}

std::string tblgen::methodName(StringRef node) {
  std::string name = node.str();
  name[0] = toLower(name[0]);
  if (name == "and" || name == "or" || name == "xor" || name == "not")
    name += '_';
  return name;
}

bool tblgen::isNone(const DagInit &dag) { return dag.getOperator()->getAsString() == "None"; }

std::vector<tblgen::Operand> tblgen::operandsOf(const Record &op) {
  std::vector<Operand> operands;
  const DagInit *arguments = op.getValueAsDag("arguments");
  for (unsigned i = 0, e = arguments->getNumArgs(); i != e; ++i) {
    const Record *constraint = cast<DefInit>(arguments->getArg(i))->getDef();
    if (constraint->isSubClassOf("TypeConstraint"))
      operands.push_back({arguments->getArgNameStr(i).str(), constraint->isSubClassOf("Variadic")});
  }
  return operands;
}

std::string tblgen::camelName(StringRef name) {
  return convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
}
