// Where the op that a message is about was created.
#ifndef KERATIN_IR_DIALECT_SOURCELINE_H
#define KERATIN_IR_DIALECT_SOURCELINE_H

#include "mlir/IR/Location.h"

#include <string>

namespace keratin::ir {

// "file:line" of the innermost source position, "" if there is none.
std::string sourceLine(mlir::Location location);

// "message; at file:line", or the message alone.
std::string withSourceLine(std::string message, mlir::Location location);

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SOURCELINE_H
