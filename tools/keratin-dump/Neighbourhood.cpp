#include "tools/keratin-dump/Neighbourhood.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace keratin::dump;
using namespace mlir;

namespace {

class Selection {
public:
  Selection(func::FuncOp function, StringRef text) : state(function), text(text) {
    auto [file, number] = text.rsplit(':');
    if (!file.empty() && !number.getAsInteger(10, line) && line)
      fileEnd = file;
  }

  bool matches(Operation *op) {
    if (text.starts_with("%"))
      return llvm::any_of(op->getResults(), [&](Value result) { return isNumbered(result); });
    return op
        ->walk([&](Operation *inner) {
          return matchesItself(inner) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

private:
  // "%12" stands for all of an op's results "%12#0", "%12#1".
  bool isNumbered(Value result) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    result.printAsOperand(stream, state);
    return text == name || text == StringRef(name).split('#').first;
  }

  bool matchesItself(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name == text || op->getName().stripDialect() == text)
      return true;
    if (fileEnd.empty())
      return false;
    bool found = false;
    op->getLoc()->walk([&](Location part) {
      auto place = dyn_cast<FileLineColLoc>(part);
      if (!place || place.getLine() != line)
        return WalkResult::advance();
      StringRef file = place.getFilename().getValue();
      found = file == fileEnd ||
              (file.ends_with(fileEnd) && file.drop_back(fileEnd.size()).ends_with("/"));
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

  AsmState state;
  StringRef text, fileEnd;
  unsigned line = 0;
};

} // namespace

OpSet keratin::dump::opsAround(func::FuncOp function, const std::string &text, int64_t depth) {
  Selection pattern(function, text);
  Block &body = function.getBody().front();
  llvm::SetVector<Operation *> found;
  for (Operation &op : body.without_terminator())
    if (pattern.matches(&op))
      found.insert(&op);
  for (size_t begin = 0; depth > 0 && begin < found.size(); --depth) {
    size_t end = found.size();
    for (size_t i = begin; i < end; ++i) {
      Operation *op = found[i];
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          found.insert(maker);
      for (Operation *user : op->getUsers())
        if (user != body.getTerminator())
          found.insert(user);
    }
    begin = end;
  }
  return OpSet(found.begin(), found.end());
}

OwningOpRef<ModuleOp> keratin::dump::cutOut(func::FuncOp function, const OpSet &ops) {
  llvm::SetVector<Value> inputs, outputs;
  for (Operation &op : function.getBody().front()) {
    if (!ops.contains(&op))
      continue;
    for (Value operand : op.getOperands())
      if (!ops.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op.getResults())
      if (result.use_empty() ||
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !ops.contains(user); }))
        outputs.insert(result);
  }
  SmallVector<Type> inputTypes(ValueRange(inputs.getArrayRef()).getTypes());
  SmallVector<Type> outputTypes(ValueRange(outputs.getArrayRef()).getTypes());
  OpBuilder b(function.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  b.setInsertionPointToEnd(module->getBody());
  auto cut = b.create<func::FuncOp>(function.getLoc(), function.getName(),
                                    b.getFunctionType(inputTypes, outputTypes));
  Block *body = cut.addEntryBlock();
  b.setInsertionPointToEnd(body);
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments())) {
    mapping.map(input, argument);
    argument.setLoc(input.getLoc());
  }
  for (Operation &op : function.getBody().front())
    if (ops.contains(&op))
      b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value output : outputs)
    results.push_back(mapping.lookup(output));
  b.create<func::ReturnOp>(function.getLoc(), results);
  return module;
}
