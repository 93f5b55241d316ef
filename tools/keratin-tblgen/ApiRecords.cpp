#include "tools/keratin-tblgen/ApiRecords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <algorithm>

using namespace llvm;

std::vector<const Record *> keratin::tblgen::apiFunctions(RecordKeeper &records) {
  std::vector<const Record *> list;
  for (Record *function : records.getAllDerivedDefinitions("Keratin_Function"))
    list.push_back(function);
  llvm::sort(list, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  return list;
}

std::vector<StringRef> keratin::tblgen::apiParametersWithDefaults(const Record *function) {
  StringRef signature = function->getValueAsString("functionSignature");
  StringRef rest = signature.substr(signature.find('(') + 1).drop_back();
  std::vector<StringRef> parameters;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= rest.size(); ++i) {
    if (i < rest.size() && rest[i] == '(')
      ++depth;
    else if (i < rest.size() && rest[i] == ')')
      --depth;
    else if (i == rest.size() || (rest[i] == ',' && depth == 0)) {
      StringRef parameter = rest.slice(begin, i).trim();
      if (!parameter.empty() && parameter.front() != '*')
        parameters.push_back(parameter);
      begin = i + 1;
    }
  }
  return parameters;
}

std::vector<StringRef> keratin::tblgen::apiParameters(const Record *function) {
  std::vector<StringRef> names;
  for (StringRef parameter : apiParametersWithDefaults(function))
    names.push_back(parameter.split('=').first);
  return names;
}

std::vector<StringRef> keratin::tblgen::apiDocumentation(const Record *function) {
  StringRef text = function->getValueAsString("documentation").trim();
  if (text.empty())
    PrintFatalError(function->getLoc(), "says nothing about '" +
                                            function->getValueAsString("functionName") +
                                            "'; needed a documentation");
  SmallVector<StringRef> split;
  text.split(split, '\n');
  std::vector<StringRef> lines(split.begin(), split.end());
  // What all lines behind the first, which trim() has moved to the margin, begin with.
  size_t margin = StringRef::npos;
  for (StringRef &line : llvm::drop_begin(lines)) {
    line = line.rtrim();
    margin = std::min(margin, line.find_first_not_of(' '));
  }
  for (StringRef &line : llvm::drop_begin(lines))
    line = line.drop_front(std::min(margin, line.size()));
  return lines;
}
