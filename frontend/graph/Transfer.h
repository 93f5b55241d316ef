// Types, attributes and locations of one context in another.
#ifndef KERATIN_FRONTEND_GRAPH_TRANSFER_H
#define KERATIN_FRONTEND_GRAPH_TRANSFER_H

#include "ir/dialect/Keratin.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace keratin::frontend {

// Symbols are numbered anew in the order in which they are met, so that equal graphs become equal
// modules whatever happened in the process before; or as bind() says, all of them then.
class Transfer {
public:
  using ValueMap = llvm::DenseMap<mlir::Value, mlir::Value>;

  explicit Transfer(mlir::MLIRContext &to) : to(to) {}

  mlir::Type type(mlir::Type from);
  mlir::Attribute attribute(mlir::Attribute from);
  mlir::Location location(mlir::Location from);
  int64_t symbol(int64_t from);
  // Of a symbol that was met; nullopt for any other.
  std::optional<int64_t> knownSymbol(int64_t from) const {
    auto found = symbols.find(from);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  // Those that were met, with their new numbers.
  const llvm::DenseMap<int64_t, int64_t> &knownSymbols() const { return symbols; }
  // A copy of the op, with what is in its regions, at the builder's place. Its operands are looked
  // up in `values`, its results join them.
  mlir::Operation *clone(mlir::Operation *from, mlir::OpBuilder &builder, ValueMap &values);
  // Gives a symbol its number before it is met.
  void bind(int64_t from, int64_t to) { symbols[from] = to; }

private:
  mlir::Attribute convert(mlir::Attribute from);

  mlir::MLIRContext &to;
  llvm::DenseMap<mlir::Type, mlir::Type> types;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> attributes;
  llvm::DenseMap<int64_t, int64_t> symbols;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_TRANSFER_H
