// Complex numbers become pairs of real ones.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/ComplexNumbers.h"
#include "ir/dialect/GraphError.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_EXPANDCOMPLEX
#include "passes/Passes.h.inc"

namespace {

struct Parts {
  Value re, im;
};

bool isComplex(Value value) { return hasComplexElements(value.getType()); }

RankedTensorType partType(Type type) {
  return withElementType(cast<RankedTensorType>(type), complexElementsOf(type).getElementType());
}

// One type for a real value, two for a complex one.
SmallVector<Type> withParts(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    result.append(hasComplexElements(type) ? 2 : 1,
                  hasComplexElements(type) ? partType(type) : type);
  return result;
}

Value pairOf(GraphMath &g, const Parts &parts) {
  Shape column = getShape(parts.re);
  column.push_back(DimExpr(1));
  return g.concatenate({g.reshape(parts.re, column), g.reshape(parts.im, column)},
                       int64_t(column.size()) - 1);
}

Parts partsOfPair(GraphMath &g, Value pair) {
  Shape shape = getShape(pair);
  shape.pop_back();
  Shape starts(shape.size() + 1, DimExpr(0)), column = shape;
  column.push_back(DimExpr(1));
  const SmallVector<int64_t> strides(column.size(), 1);
  auto part = [&](int64_t at) {
    starts.back() = DimExpr(at);
    return g.reshape(g.slice(pair, starts, column, strides), shape);
  };
  Value re = part(0);
  return {re, part(1)};
}

// Of a block and all that lies in it.
class ComplexExpander {
public:
  explicit ComplexExpander(bool keepViews) : keepViews(keepViews) {}

  LogicalResult expandFunction(func::FuncOp function) {
    Block &body = function.getBody().front();
    const SmallVector<Operation *> ops = opsOf(body); // without the views
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (Value argument : body.getArguments())
      if (isComplex(argument))
        partsOf[argument] = partsOfArgument(builder, argument);
    if (failed(expandOps(ops)))
      return failure();
    joinReturned(body);
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    for (Block *block : bodies)
      block->eraseArguments([](BlockArgument argument) { return isComplex(argument); });
    return success();
  }

private:
  Parts partsOfArgument(OpBuilder &builder, Value argument) {
    const Location loc = argument.getLoc();
    const RankedTensorType type = partType(argument.getType());
    if (!keepViews) {
      Value re = builder.create<RealOp>(loc, type, argument);
      return {re, builder.create<ImagOp>(loc, type, argument)};
    }
    GraphMath g(builder, loc);
    return partsOfPair(
        g, builder.create<AsPartsOp>(loc, getTensorType(pairShape(argument), type.getElementType()),
                                     argument));
  }

  void joinReturned(Block &body) {
    Operation *end = body.getTerminator();
    OpBuilder builder(end);
    llvm::DenseMap<Value, Value> joined; // what is returned twice is one value
    for (OpOperand &operand : end->getOpOperands()) {
      Value value = operand.get();
      if (!isComplex(value))
        continue;
      Value &whole = joined[value];
      if (!whole) {
        const Parts parts = partsOf.lookup(value);
        GraphMath g(builder, value.getLoc());
        whole = keepViews ? Value(builder.create<FromPartsOp>(value.getLoc(), value.getType(),
                                                              pairOf(g, parts)))
                          : Value(builder.create<ComplexOp>(value.getLoc(), value.getType(),
                                                            parts.re, parts.im));
      }
      operand.set(whole);
    }
  }

  static SmallVector<Operation *> opsOf(Block &block) {
    return llvm::to_vector(llvm::make_pointer_range(block));
  }

  LogicalResult expandOps(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (failed(expandOp(op)))
        return failure();
    return success();
  }

  LogicalResult expandOp(Operation *op) {
    if (isa<func::ReturnOp>(op))
      return success();
    const bool takes = llvm::any_of(op->getOperandTypes(), hasComplexElements);
    const bool makes = llvm::any_of(op->getResultTypes(), hasComplexElements);
    if (isa<YieldOp>(op)) {
      if (takes)
        op->setOperands(withParts(op->getOperands()));
      return success();
    }
    if (takes || makes) {
      if (op->getNumRegions() != 0 || isDerivative(op))
        return expandInPlace(op);
      if (failed(replace(op, makes)))
        return failure();
      replaced.push_back(op);
      return success();
    }
    // What is inside may be complex where nothing goes in or out that is.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(expandBody(block)))
          return failure();
    return success();
  }

  SmallVector<Value> withParts(ValueRange values) const {
    SmallVector<Value> result;
    for (Value value : values)
      if (isComplex(value)) {
        const Parts parts = partsOf.lookup(value);
        result.append({parts.re, parts.im});
      } else {
        result.push_back(value);
      }
    return result;
  }

  // The body of a loop or a branch: two arguments stand behind each complex one, which goes last.
  LogicalResult expandBody(Block &block) {
    bool any = false;
    for (unsigned i = 0; i < block.getNumArguments(); ++i) {
      BlockArgument argument = block.getArgument(i);
      if (!isComplex(argument))
        continue;
      const Type type = partType(argument.getType());
      Value re = block.insertArgument(i + 1, type, argument.getLoc());
      partsOf[argument] = {re, block.insertArgument(i + 2, type, argument.getLoc())};
      i += 2;
      any = true;
    }
    if (any)
      bodies.push_back(&block);
    return expandOps(opsOf(block));
  }

  // The same op with two operands, results and arguments of bodies for each complex one.
  LogicalResult expandInPlace(Operation *op) {
    if (auto gradients = dyn_cast<GradientsOp>(op); gradients && isComplex(gradients.getLoss()))
      return emitGraphError(op) << "gradients: the loss is complex; needed a real one, such as its "
                                   "keratin.real";
    SmallVector<NamedAttribute> attributes;
    const bool hasSegments = op->hasTrait<OpTrait::AttrSizedOperandSegments>();
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      if (hasSegments && attribute.getName() == kSegments)
        attribute.setValue(segmentsOf(op, cast<DenseI32ArrayAttr>(attribute.getValue())));
      attributes.push_back(attribute);
    }
    OperationState state(op->getLoc(), op->getName(), withParts(op->getOperands()),
                         keratin::passes::withParts(op->getResultTypes()), attributes);
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    OpBuilder builder(op);
    Operation *made = builder.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions()))
      to.takeBody(from);
    unsigned next = 0;
    for (Value result : op->getResults())
      if (isComplex(result)) {
        partsOf[result] = {made->getResult(next), made->getResult(next + 1)};
        next += 2;
      } else {
        result.replaceAllUsesWith(made->getResult(next++));
      }
    replaced.push_back(op);
    for (Region &region : made->getRegions())
      for (Block &block : region)
        if (failed(expandBody(block)))
          return failure();
    return success();
  }

  static DenseI32ArrayAttr segmentsOf(Operation *op, DenseI32ArrayAttr sizes) {
    SmallVector<int32_t> expanded;
    unsigned next = 0;
    for (int32_t size : sizes.asArrayRef()) {
      OperandRange operands = op->getOperands().slice(next, unsigned(size));
      expanded.push_back(int32_t(keratin::passes::withParts(operands.getTypes()).size()));
      next += unsigned(size);
    }
    return DenseI32ArrayAttr::get(op->getContext(), expanded);
  }

  // Says what the parts of the op's result are, or replaces the real result.
  LogicalResult replace(Operation *op, bool makes) {
    OpBuilder builder(op);
    GraphMath g(builder, op->getLoc());
    if (auto complex = dyn_cast<ComplexOp>(op)) {
      // A derivative with respect to it sees other uses of its parts not.
      const bool isDerived = llvm::any_of(op->getUsers(), isDerivative);
      auto own = [&](Value part) {
        return isDerived ? Value(builder.create<IdentityOp>(op->getLoc(), part)) : part;
      };
      Value re = own(complex.getRe());
      partsOf[op->getResult(0)] = {re, own(complex.getIm())};
    } else if (auto real = dyn_cast<RealOp>(op)) {
      op->getResult(0).replaceAllUsesWith(partsOf.lookup(real.getX()).re);
    } else if (auto imag = dyn_cast<ImagOp>(op)) {
      op->getResult(0).replaceAllUsesWith(partsOf.lookup(imag.getX()).im);
    } else if (auto view = dyn_cast<AsPartsOp>(op)) {
      op->getResult(0).replaceAllUsesWith(pairOf(g, partsOf.lookup(view.getX())));
    } else if (auto joined = dyn_cast<FromPartsOp>(op)) {
      partsOf[op->getResult(0)] = partsOfPair(g, joined.getX());
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      return splitConstant(builder, constant);
    } else if (auto cast = dyn_cast<CastOp>(op)) {
      return splitCast(g, cast);
    } else if (auto truncate = dyn_cast<TruncateOp>(op)) {
      // One op defines the size.
      Value pair = pairOf(g, partsOf.lookup(truncate.getX()));
      auto type = getTensorType(pairShape(truncate.getY()), getElementType(pair));
      Value first = builder.create<TruncateOp>(op->getLoc(), type, pair, truncate.getSize(),
                                               truncate.getAxis());
      partsOf[op->getResult(0)] = partsOfPair(g, first);
    } else if (makes) {
      if (!takesComplex(op))
        return op->emitOpError("has no form for complex numbers");
      Value re = cloneFor(builder, op, &Parts::re), im = cloneFor(builder, op, &Parts::im);
      partsOf[op->getResult(0)] = {re, im};
    } else {
      // A question about the shape, or a real value that waits for a complex one.
      op->getResult(0).replaceAllUsesWith(cloneFor(builder, op, &Parts::re));
    }
    return success();
  }

  Value cloneFor(OpBuilder &builder, Operation *op, Value Parts::*part) {
    Operation *copy = builder.clone(*op);
    if (auto depend = dyn_cast<DependOp>(copy))
      depend.getAfterMutable().assign(withParts(depend.getAfter()));
    for (OpOperand &operand : copy->getOpOperands())
      if (isComplex(operand.get()))
        operand.set(partsOf.lookup(operand.get()).*part);
    Value result = copy->getResult(0);
    if (isComplex(result))
      result.setType(partType(result.getType()));
    return result;
  }

  LogicalResult splitConstant(OpBuilder &builder, ConstantOp op) {
    auto value = cast<DenseElementsAttr>(op.getValue());
    const RankedTensorType type = partType(op.getType());
    const size_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    ArrayRef<char> raw = value.getRawData();
    std::vector<char> parts[2];
    for (size_t at = 0; at + 2 * bytes <= raw.size(); at += 2 * bytes)
      for (size_t part = 0; part < 2; ++part)
        parts[part].insert(parts[part].end(), raw.data() + at + part * bytes,
                           raw.data() + at + (part + 1) * bytes);
    auto make = [&](size_t part) {
      return Value(builder.create<ConstantOp>(
          op.getLoc(), type, DenseElementsAttr::getFromRawBuffer(type, parts[part])));
    };
    Value re = make(0);
    partsOf[op.getResult()] = {re, make(1)};
    return success();
  }

  LogicalResult splitCast(GraphMath &g, CastOp op) {
    if (!isComplex(op.getY()))
      return op.emitOpError("of complex numbers to real ones; needed keratin.real");
    const Type part = complexElementsOf(op.getType()).getElementType();
    if (isComplex(op.getX())) {
      const Parts parts = partsOf.lookup(op.getX());
      Value re = g.cast(parts.re, part);
      partsOf[op.getResult()] = {re, g.cast(parts.im, part)};
    } else {
      Value re = g.cast(op.getX(), part);
      partsOf[op.getResult()] = {re, g.zeroLike(re)};
    }
    return success();
  }

  static constexpr StringLiteral kSegments = "operandSegmentSizes";

  const bool keepViews;
  llvm::DenseMap<Value, Parts> partsOf;
  // In their order; erased when nothing asks for them any more.
  SmallVector<Operation *> replaced;
  SmallVector<Block *> bodies;
};

bool hasComplex(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), hasComplexElements) ||
         function
             .walk([&](Operation *op) {
               return llvm::any_of(op->getResultTypes(), hasComplexElements)
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

struct ExpandComplexPass : impl::ExpandComplexBase<ExpandComplexPass> {
  using ExpandComplexBase::ExpandComplexBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !hasComplex(function))
      return markAllAnalysesPreserved();
    if (!function.getBody().hasOneBlock()) {
      emitGraphError(function) << "needs a body of one block";
      return signalPassFailure();
    }
    if (failed(ComplexExpander(keepViews).expandFunction(function)))
      signalPassFailure();
  }
};

} // namespace
} // namespace keratin::passes
