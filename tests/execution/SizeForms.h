// The sizes of a function in the forms in which users may say them.
#ifndef KERATIN_TESTS_EXECUTION_SIZEFORMS_H
#define KERATIN_TESTS_EXECUTION_SIZEFORMS_H

#include "frontend/graph/GeneralForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace keratin::tests {

using Symbols = std::map<int64_t, int64_t>;

enum class SizeForm {
  AsGiven,
  Unknown, // every size above 1
  Bounded, // these, with names and limits (K::Dim)
  Named,   // these, apart for each input, all with names: any may be 1
  Assumed  // the same without names: the code assumes that they are equal, where it can
};

struct SizedCall {
  Symbols symbols = {};                        // the function's
  std::function<int64_t(int64_t)> sizeOf = {}; // what a number among sizes became; null: itself
  std::vector<int64_t> scalars = {};           // of the arguments behind the function's own
  bool isAllowed = true;                       // else the call must fail
  bool isOwn = true;                           // else ops may be given sizes that they do not take
  std::string str() const;
};

// The sizes of one function, in one form.
class SizesOfFunction {
public:
  // `calls` are for symbols that it has already. With these it keeps its numbers, else they become
  // symbols.
  SizesOfFunction(SizeForm form, std::vector<Symbols> calls)
      : form(form), symbolCalls(std::move(calls)) {}

  // False: some op does not take its sizes in this form; the module is of no use then.
  bool give(mlir::OwningOpRef<mlir::ModuleOp> &module, bool hasSymbols);
  const std::vector<SizedCall> &calls() const { return all; }

private:
  bool open(mlir::OwningOpRef<mlir::ModuleOp> &module);
  SizedCall openCall(std::function<int64_t(int64_t)> sizeOf) const;
  void bound(mlir::func::FuncOp function, bool hasSymbols);
  void split(mlir::func::FuncOp function);

  const SizeForm form;
  const std::vector<Symbols> symbolCalls;
  std::vector<SizedCall> all;
  // Of a function whose numbers became symbols.
  frontend::OpenNumbers numbers;
  frontend::NumberInputs inputs;
  std::map<int64_t, int64_t> numberOfSymbol;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_SIZEFORMS_H
