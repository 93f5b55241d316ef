// What the generators read in an op's record.
#ifndef KERATIN_TOOLS_KERATINTBLGEN_OPRECORD_H
#define KERATIN_TOOLS_KERATINTBLGEN_OPRECORD_H

#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace keratin::tblgen {

struct Operand {
  std::string name;
  bool variadic;
};

// All ops, and all that say what they are.
std::vector<const llvm::Record *> keratinOps(const llvm::RecordKeeper &records);
std::vector<const llvm::Record *> describedOps(const llvm::RecordKeeper &records);

// Keratin_TanhOp -> TanhOp
std::string className(const llvm::Record &op);
// Of a node: and -> and_, since it is a keyword.
std::string methodName(llvm::StringRef node);
bool isNone(const llvm::DagInit &dag);
std::vector<Operand> operandsOf(const llvm::Record &op);
// x_dilation -> XDilation
std::string camelName(llvm::StringRef name);

} // namespace keratin::tblgen

#endif // KERATIN_TOOLS_KERATINTBLGEN_OPRECORD_H
