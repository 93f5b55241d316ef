// How an op says what it computes for one element, without saying for which machine.
#ifndef KERATIN_IR_INTERFACES_SCALARBUILDER_H
#define KERATIN_IR_INTERFACES_SCALARBUILDER_H

#include "ir/shapes/DimExpr.h"

#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>

namespace keratin::ir {

enum class Comparison : uint64_t;

// Emits arithmetic on elements. A value stands for one element or for several at once, as the
// target pleases; integers carry no sign in it, so the element type of the operands is set before
// each op. float16 and bfloat16 elements are held as float32.
class ScalarBuilder {
public:
  virtual ~ScalarBuilder() = default;

  // The element type (as in the tensor type: ui8, i32, bf16, …) that the methods below work on.
  void setElementType(mlir::Type type) { elementType = type; }
  mlir::Type getElementType() const { return elementType; }

  virtual mlir::Value constant(double value) = 0;
  // For integer element types, exact over their whole range.
  virtual mlir::Value integerConstant(int64_t value) = 0;
  mlir::Value identity(mlir::Value x) { return x; }

  // The functions of the records (ScalarFunction in ir/dialect/KeratinBase.td).
#define KERATIN_SCALAR_FUNCTION(name, parameters) virtual mlir::Value name parameters = 0;
#include "ir/interfaces/ScalarFunctions.inc"

  virtual mlir::Value compare(Comparison direction, mlir::Value a, mlir::Value b) = 0;
  // From the current element type to another, with the rules of keratin.cast.
  virtual mlir::Value cast(mlir::Value x, mlir::Type to) = 0;

protected:
  mlir::Type elementType;
};

// A position along a dimension. What it is made of only the ElementBuilder knows that made it; ops
// pass it on.
struct Index {
  std::array<const void *, 3> words{};
};

// Adds what ops that move elements need: positions, and operands at positions.
class ElementBuilder : public ScalarBuilder {
public:
  virtual Index index(const DimExpr &value) = 0;
  virtual Index add(const Index &a, const Index &b) = 0;
  virtual Index sub(const Index &a, const Index &b) = 0;
  virtual Index scale(const Index &a, int64_t factor) = 0;
  virtual Index floorDiv(const Index &a, int64_t divisor) = 0;
  // The integer as a position.
  virtual Index toIndex(mlir::Value integer) = 0;
  // The position as an element of the current element type.
  virtual mlir::Value fromIndex(const Index &a) = 0;
  // Conditions: bool elements.
  virtual mlir::Value less(const Index &a, const Index &b) = 0;
  virtual mlir::Value equal(const Index &a, const Index &b) = 0;

  // The element of an operand of the op being emitted.
  virtual mlir::Value element(unsigned operand, llvm::ArrayRef<Index> index) = 0;
  // The same where `inside` holds, zero elsewhere; nothing is read there.
  virtual mlir::Value elementOrZero(unsigned operand, llvm::ArrayRef<Index> index,
                                    mlir::Value inside) = 0;
  // Makes the call fail with the op's message where the condition does not hold for an element that
  // is really computed; gives a position that is safe to read: `a` where it holds, 0 elsewhere.
  virtual Index checked(const Index &a, mlir::Value condition, llvm::StringRef message) = 0;

  using ScalarBuilder::add;
  using ScalarBuilder::floorDiv;
  using ScalarBuilder::sub;
  mlir::Value add(mlir::Value a, mlir::Value b) override = 0;
  mlir::Value sub(mlir::Value a, mlir::Value b) override = 0;
  mlir::Value floorDiv(mlir::Value a, mlir::Value b) override = 0;
};

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_SCALARBUILDER_H
