// The memory plan of a function as text, for all functions that have the same code.
#ifndef KERATIN_COMPILER_DRIVER_REPORTPATTERN_H
#define KERATIN_COMPILER_DRIVER_REPORTPATTERN_H

#include "compiler/artifact/SaidTexts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace keratin::compiler {

// A pattern (SaidTexts.h) of passes::memoryReport() of a planned function. Nullopt where a line or
// a scope is none of the texts.
std::optional<std::string> memoryReportPattern(mlir::func::FuncOp function, const SaidTexts &said);

// The report of the function that has these texts.
std::string memoryReportOf(const std::string &pattern, const SaidTexts &said);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_REPORTPATTERN_H
