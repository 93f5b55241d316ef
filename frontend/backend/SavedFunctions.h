// Functions as bytes, for those who put them into files.
#ifndef KERATIN_FRONTEND_BACKEND_SAVEDFUNCTIONS_H
#define KERATIN_FRONTEND_BACKEND_SAVEDFUNCTIONS_H

#include "keratin/function.h"

#include "ir/saved/SavedGraph.h"

#include "absl/status/status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace keratin::frontend {

// What K::save_functions writes, for a K function of this name. Errors are the user's.
std::string savedGraphOf(const char *caller, const std::vector<Function> &functions,
                         SourceLocation location);

// Shows what K::save_function saves, before it is written. Under the graph's mutex.
void withSavedFunction(
    const char *caller, const Function &function, SourceLocation location,
    llvm::function_ref<void(mlir::func::FuncOp body, const ir::SavedFunction &saved,
                            llvm::ArrayRef<ir::SavedVariable> variables)>
        show);

// What K::function makes of these, without code: it can be saved, and not be called.
Function functionWithoutCode(const std::vector<Tensor> &inputs, const std::vector<Output> &outputs,
                             const std::vector<Update> &updates, const std::string &name,
                             SourceLocation location);

// The status as an error of this K function.
[[noreturn]] void throwFor(const char *caller, SourceLocation location, const absl::Status &status);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_SAVEDFUNCTIONS_H
