// The API table for Python: the functions of keratin/_functions.py, and their parameters' names.
#include "tools/keratin-tblgen/ApiRecords.h"
#include "tools/keratin-tblgen/Generators.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <vector>

using namespace llvm;
using namespace keratin::tblgen;

// What a call passes on. A seed that is not given is NumPy's to draw.
static std::string argumentFor(StringRef parameter) {
  return parameter == "seed" ? "_drawn_seed(seed)" : parameter.str();
}

static void emitDocumentation(const std::vector<StringRef> &lines, raw_ostream &os) {
  os << "    \"\"\"";
  for (auto [i, line] : llvm::enumerate(lines))
    os << (i && !line.empty() ? "    " : "") << line << (i + 1 < lines.size() ? "\n" : "");
  os << (lines.size() > 1 ? "\n    \"\"\"\n" : "\"\"\"\n");
}

void keratin::tblgen::emitPythonFunctions(RecordKeeper &records, raw_ostream &os) {
  os << "# Written by keratin-tblgen -gen-python-functions from frontend/backend/Api.td.\n"
        "from keratin._native import functions as _native\n"
        "from keratin._random import drawn_seed as _drawn_seed\n";
  std::vector<StringRef> names;
  for (const Record *function : apiFunctions(records)) {
    if (function->getValueAsBit("hasPythonBody"))
      continue;
    StringRef name = function->getValueAsString("functionName");
    names.push_back(name);
    std::vector<std::string> arguments;
    for (StringRef parameter : apiParameters(function))
      arguments.push_back(argumentFor(parameter));
    os << "\n\ndef " << function->getValueAsString("functionSignature") << ":\n";
    emitDocumentation(apiDocumentation(function), os);
    os << "    return _native." << name << "(" << llvm::join(arguments, ", ") << ")\n";
  }
  os << "\n\n__all__ = [\n";
  for (StringRef name : names)
    os << "    '" << name << "',\n";
  os << "]\n";
}

void keratin::tblgen::emitApiParameters(RecordKeeper &records, raw_ostream &os) {
  os << "// Written by keratin-tblgen -gen-api-parameters: KERATIN_PARAMETERS(name, parameters).\n";
  for (const Record *function : apiFunctions(records)) {
    os << "KERATIN_PARAMETERS(\"" << function->getValueAsString("functionName") << "\"";
    for (StringRef parameter : apiParameters(function))
      os << ", \"" << parameter << "\"";
    os << ")\n";
  }
}
