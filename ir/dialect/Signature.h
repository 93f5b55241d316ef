// What the arguments and results of a function are: inputs and variables, outputs and new values of
// variables. They say so in attributes, of which nobody else knows the names:
//
//   %x: tensor<…> {keratin.kind = "input", keratin.name = "x"}
//   %w: tensor<…> {keratin.kind = "variable", keratin.name = "w"}
//   -> (tensor<…> {keratin.kind = "output"}, tensor<…> {keratin.kind = "update",
//       keratin.variable = 0 : i64})
//
//   keratin.symbol   on an argument: the symbol of the sizes that its value is; those of a value of
//                    any sign are keratin.positive_part and keratin.negative_part (ValuePart.h)
//   keratin.stated   on an argument whose sizes have got other names: its shape as callers know it
//   keratin.default  on an input: the elements that it has where nothing is fed
//   keratin.initial  on a variable of a text: the elements that it begins with
//   keratin.sharded  on an input or variable: the dimension along which each rank of a job is to
//                    have a part
//   keratin.in_parts on a variable: each rank is to have a part of its elements (EvenParts.h); the
//                    symbols of the rank's number and of how many ranks there are
//   keratin.own_part on a variable that is sharded: where the rank's part begins along the
//                    dimension, and its size: <3*d1, 3> of equal parts, d1 the rank's number, or
//                    <d1, d2> with a number for each
//   keratin.part     on an input or output of what a rank computes: the dimension along which it is
//                    a part of the whole
//   keratin.further_parts
//                    on an output that is a part along several axes of a mesh: of each but one
//                    the dimension and the axis, [0, "data"]
//   keratin.mesh_axis beside one of these: the axis of the mesh that the parts are along, by its
//                    name; without it they are those of all ranks
//
// Inputs come before variables, outputs before updates (the dialect's verifier sees to it).
#ifndef KERATIN_IR_DIALECT_SIGNATURE_H
#define KERATIN_IR_DIALECT_SIGNATURE_H

#include "ir/dialect/TensorShape.h"
#include "ir/dialect/ValuePart.h"
#include "ir/shapes/EvenParts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>

namespace keratin::ir {

// The text of an attribute that is one; nothing for null and for any other.
llvm::StringRef textOf(mlir::Attribute attribute);

// The attributes of one argument or result that is being made.
class SignatureEntry {
public:
  explicit SignatureEntry(mlir::MLIRContext *context, mlir::DictionaryAttr attributes = {})
      : b(context), list(attributes) {}
  static SignatureEntry input(mlir::MLIRContext *context, const llvm::Twine &name);
  static SignatureEntry variable(mlir::MLIRContext *context, const llvm::Twine &name);
  static SignatureEntry output(mlir::MLIRContext *context);
  static SignatureEntry update(mlir::MLIRContext *context, int64_t variable);

  bool hasKind() const;
  bool isInput() const;
  bool isVariable() const;
  // Null: it has none.
  mlir::StringAttr name() const;

  SignatureEntry &makeInput();
  SignatureEntry &makeOutput();
  SignatureEntry &setName(const llvm::Twine &name);
  SignatureEntry &setSymbol(const ArgumentSymbol &symbol);
  SignatureEntry &setDefault(mlir::Attribute elements);
  // Without an axis of the mesh along all ranks.
  SignatureEntry &setSharded(int64_t dimension, mlir::StringAttr axis = {});
  // What a variable begins with, which is no attribute of it afterwards; null: nothing said so.
  mlir::DenseElementsAttr takeInitial();

  mlir::DictionaryAttr attributes() { return list.getDictionary(b.getContext()); }

private:
  mlir::Builder b;
  mlir::NamedAttrList list;
};

// Of a variable, what a rank has of its elements along a dimension.
struct OwnPart {
  unsigned dimension;
  DimExpr begin, size;
};

// Of a function, which must stay where it is. What nothing says is nullopt, null or false.
class Signature {
public:
  explicit Signature(mlir::FunctionOpInterface function) : function(function) {}

  bool hasKind(unsigned argument) const;
  bool isInput(unsigned argument) const;
  bool isVariable(unsigned argument) const;
  mlir::StringAttr argumentName(unsigned argument) const;
  // "input" or "variable"; what nothing is said of is an input.
  llvm::StringRef argumentKind(unsigned argument) const;
  // Of the sizes that the argument's value is part of; none for most.
  llvm::SmallVector<ArgumentSymbol, 1> symbols(unsigned argument) const;
  // The shape that callers know.
  Shape statedShape(unsigned argument) const;
  mlir::DenseElementsAttr defaultValue(unsigned argument) const;
  // The dimension along which each rank is to have a part of the argument; of which it is a part;
  // none: all ranks have the same.
  std::optional<int64_t> sharded(unsigned argument) const;
  std::optional<int64_t> part(unsigned argument) const;
  std::optional<EvenParts> inParts(unsigned argument) const;
  std::optional<OwnPart> ownPart(unsigned argument) const;
  // Of the mesh, that the parts are along; null: they are those of all ranks.
  mlir::StringAttr meshAxis(unsigned argument) const;
  // Variables are the last arguments.
  unsigned numVariables() const;
  bool hasVariable(int64_t number) const;
  unsigned firstVariable() const { return function.getNumArguments() - numVariables(); }

  bool resultHasKind(unsigned result) const;
  bool isOutput(unsigned result) const;
  bool isUpdate(unsigned result) const;
  mlir::StringAttr resultName(unsigned result) const;
  // The number of the variable that a result is the new value of.
  std::optional<int64_t> updatedVariable(unsigned result) const;
  // Along which dimensions a result is a part of the whole, and along which axes of a mesh.
  struct ResultPart {
    int64_t dimension;
    mlir::StringAttr axis; // null: all ranks have parts
  };
  llvm::SmallVector<ResultPart, 1> resultParts(unsigned result) const;
  // Whether a result is written to its variable's own buffer, as the memory plan says.
  bool isInPlace(unsigned result) const;

  void makeInput(unsigned argument);
  void makeOutput(unsigned result);
  // What was sharded is the part of a rank from here on.
  void makePart(unsigned argument);
  // It is the first of them.
  void addResultPart(unsigned result, int64_t dimension, mlir::StringAttr axis);
  void setInParts(unsigned argument, const EvenParts &parts, mlir::StringAttr axis = {});
  // With the dimension, which is sharded, along an axis of the mesh or along all ranks.
  void setOwnPart(unsigned argument, const OwnPart &part, mlir::StringAttr axis = {});
  void removeInParts(unsigned argument);
  void removeOwnPart(unsigned argument);
  void setArgumentName(unsigned argument, const llvm::Twine &name);
  // Unless it is stated already.
  void setStated(unsigned argument, const Shape &shape);

  // For the dialect's verifier: one attribute of an argument or result; others are right.
  static mlir::LogicalResult verifyArgument(mlir::Operation *op, unsigned argument,
                                            mlir::NamedAttribute attribute);
  static mlir::LogicalResult verifyResult(mlir::Operation *op, unsigned result,
                                          mlir::NamedAttribute attribute);

private:
  mutable mlir::FunctionOpInterface function; // whose methods are not const
};

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SIGNATURE_H
