#include "frontend/graph/Transfer.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace keratin;
using namespace keratin::frontend;
using namespace mlir;

int64_t Transfer::symbol(int64_t from) {
  return symbols.try_emplace(from, int64_t(symbols.size())).first->second;
}

Type Transfer::type(Type from) {
  Type &result = types[from];
  if (result)
    return result;
  // attribute() below may grow the map, so the place is looked up again.
  Type converted;
  if (auto tensor = dyn_cast<RankedTensorType>(from)) {
    Attribute encoding = tensor.getEncoding() ? attribute(tensor.getEncoding()) : Attribute();
    converted = RankedTensorType::get(tensor.getShape(), type(tensor.getElementType()), encoding);
  } else if (from.isIndex()) {
    converted = IndexType::get(&to);
  } else if (isa<NoneType>(from)) {
    converted = NoneType::get(&to);
  } else {
    converted = ir::elementTypeOf(ir::dtypeOf(from), &to);
  }
  assert(converted && "a type that the graph never holds");
  return types[from] = converted;
}

Attribute Transfer::attribute(Attribute from) {
  auto found = attributes.find(from);
  if (found != attributes.end())
    return found->second;
  Attribute converted = convert(from);
  attributes[from] = converted;
  return converted;
}

Attribute Transfer::convert(Attribute from) {
  return TypeSwitch<Attribute, Attribute>(from)
      .Case([&](ir::DimsAttr dims) {
        std::vector<ir::DimExpr> renumbered;
        for (const ir::DimExpr &dim : dims.getDims())
          // Renaming symbols keeps what is representable representable.
          renumbered.push_back(*dim.substitute([&](int64_t id) -> std::optional<ir::DimExpr> {
            return ir::DimExpr::symbol(symbol(id));
          }));
        return ir::DimsAttr::get(&to, renumbered);
      })
      .Case([&](StringAttr text) { return StringAttr::get(&to, text.getValue()); })
      .Case([&](UnitAttr) { return UnitAttr::get(&to); })
      .Case([&](IntegerAttr number) {
        return IntegerAttr::get(type(number.getType()), number.getValue());
      })
      .Case([&](FloatAttr number) {
        return FloatAttr::get(type(number.getType()), number.getValue());
      })
      .Case([&](DenseI64ArrayAttr numbers) {
        return DenseI64ArrayAttr::get(&to, numbers.asArrayRef());
      })
      .Case([&](DenseI32ArrayAttr numbers) {
        return DenseI32ArrayAttr::get(&to, numbers.asArrayRef());
      })
      .Case([&](DenseBoolArrayAttr flags) {
        return DenseBoolArrayAttr::get(&to, flags.asArrayRef());
      })
      .Case([&](DenseElementsAttr elements) {
        return DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(type(elements.getType())),
                                                   elements.getRawData());
      })
      .Case([&](ArrayAttr list) {
        SmallVector<Attribute> converted;
        for (Attribute entry : list)
          converted.push_back(attribute(entry));
        return ArrayAttr::get(&to, converted);
      });
}

Location Transfer::location(Location from) {
  if (auto place = dyn_cast<FileLineColLoc>(from))
    return FileLineColLoc::get(&to, place.getFilename().getValue(), place.getLine(),
                               place.getColumn());
  if (auto name = dyn_cast<NameLoc>(from))
    return NameLoc::get(StringAttr::get(&to, name.getName().getValue()),
                        location(name.getChildLoc()));
  return UnknownLoc::get(&to);
}

// As they are kept. getAttrDictionary() would make a list of them in the context of the graph, and
// where a compilation is left within that, for want of memory, the context is left in pieces.
static void forEachAttribute(Operation *op, function_ref<void(StringRef, Attribute)> visit) {
  constexpr StringRef segmentSizes = "operandSegmentSizes"; // numbers, not an attribute
  for (StringAttr name : op->getRegisteredInfo()->getAttributeNames())
    if (name != segmentSizes)
      if (std::optional<Attribute> value = op->getInherentAttr(name); value && *value)
        visit(name, *value);
  for (NamedAttribute entry : op->getDiscardableAttrs())
    visit(entry.getName(), entry.getValue());
}

static ArrayRef<int32_t> segmentSizesOf(Operation *op) {
  return TypeSwitch<Operation *, ArrayRef<int32_t>>(op)
      .Case<ir::ScanOp, ir::WhileOp, ir::JvpOp, ir::VjpOp, ir::CustomGradientOp>(
          [](auto listed) -> ArrayRef<int32_t> {
            return listed.getProperties().operandSegmentSizes;
          })
      .Default([](Operation *other) {
        assert(!other->hasTrait<OpTrait::AttrSizedOperandSegments>() && "not listed");
        return ArrayRef<int32_t>();
      });
}

// Regions come with the new op: who is told of it may look at all of it. They are nested no deeper
// than the calls that made them.
Operation *Transfer::clone(Operation *from, OpBuilder &builder, ValueMap &values) {
  OperationState state(location(from->getLoc()), from->getName().getStringRef());
  for (Value operand : from->getOperands())
    state.operands.push_back(values.lookup(operand));
  for (Type result : from->getResultTypes())
    state.types.push_back(type(result));
  forEachAttribute(
      from, [&](StringRef name, Attribute value) { state.addAttribute(name, attribute(value)); });
  if (ArrayRef<int32_t> sizes = segmentSizesOf(from); !sizes.empty())
    state.addAttribute("operandSegmentSizes", DenseI32ArrayAttr::get(&to, sizes));
  for (Region &region : from->getRegions()) {
    Region *copy = state.addRegion();
    for (Block &block : region) {
      Block &body = copy->emplaceBlock();
      for (BlockArgument argument : block.getArguments())
        values[argument] = body.addArgument(type(argument.getType()), location(argument.getLoc()));
      OpBuilder inside(&to);
      inside.setInsertionPointToEnd(&body);
      for (Operation &op : block)
        clone(&op, inside, values);
    }
  }
  Operation *copy = builder.create(state);
  for (auto [old, now] : llvm::zip(from->getResults(), copy->getResults()))
    values[old] = now;
  return copy;
}
