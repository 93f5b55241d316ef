#include "codegen/llvm/BodyHash.h"

#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {

// The function, written down as words: values, blocks, types and attributes by the order of their
// first mention, when types and attributes are spelled out.
class Writer {
public:
  std::string hashOf(FunctionOpInterface function) {
    mention(function.getFunctionType());
    for (NamedAttribute attribute : function->getAttrs())
      if (attribute.getName() != SymbolTable::getSymbolAttrName()) {
        mention(attribute.getName());
        mention(attribute.getValue());
      }
    function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Block *block) {
      word(numbered(block));
      word(block->getNumArguments());
      for (BlockArgument argument : block->getArguments())
        define(argument);
      for (Operation &op : *block)
        write(op);
    });
    return llvm::toHex(llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(text)),
                       /*LowerCase=*/true);
  }

private:
  void write(Operation &op) {
    mention(op.getName());
    mention(op.getAttrDictionary());
    word(op.getNumOperands());
    for (Value operand : op.getOperands())
      word(numbered(operand.getAsOpaquePointer()));
    word(op.getNumSuccessors());
    for (Block *successor : op.getSuccessors())
      word(numbered(successor));
    word(op.getNumResults());
    for (Value result : op.getResults())
      define(result);
    word(op.getNumRegions());
    for (Region &region : op.getRegions())
      word(llvm::range_size(region));
  }

  void define(Value value) {
    word(numbered(value.getAsOpaquePointer()));
    mention(value.getType());
  }
  // Things of different kinds are never at the same address.
  uint32_t numbered(const void *thing) {
    return numbers.try_emplace(thing, numbers.size()).first->second;
  }
  template <typename T> void mention(T thing) {
    auto [found, isNew] = numbers.try_emplace(thing.getAsOpaquePointer(), numbers.size());
    word(found->second);
    if (!isNew)
      return;
    llvm::raw_string_ostream stream(text);
    stream << thing << '\0';
  }
  void word(uint32_t number) {
    text.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }

  std::string text;
  llvm::DenseMap<const void *, uint32_t> numbers;
};

} // namespace

std::string keratin::codegen::bodyHash(FunctionOpInterface function) {
  return Writer().hashOf(function);
}
