#include "codegen/gpu/contractions/ContractionSource.h"

using namespace keratin::codegen;
using namespace mlir;

ContractionSource::~ContractionSource() = default;

// Whether the number is a multiple of the divisor; null: it is known not to be.
static Value isMultiple(LoopEmitter &emit, Value number, std::optional<int64_t> constant,
                        int64_t divisor) {
  if (constant)
    return *constant % divisor == 0 ? emit.equal(emit.constant(0), emit.constant(0)) : Value();
  return emit.equal(emit.rem(number, emit.constant(divisor)), emit.constant(0));
}

StridedSource::StridedSource(LoopEmitter &emit, Value base, Type type, Direction lines,
                             Direction depths, int64_t group, Value isAligned)
    : base(base), lines(lines), depths(depths) {
  elementType = type;
  neighbours = depths.constantStride == 1  ? Neighbours::Depths
               : lines.constantStride == 1 ? Neighbours::Lines
                                           : Neighbours::Depths;
  const Direction &near = neighbours == Neighbours::Depths ? depths : lines;
  const Direction &far = neighbours == Neighbours::Depths ? lines : depths;
  if (near.constantStride != 1)
    return;
  Value isWhole = isMultiple(emit, near.size, near.constantSize, group);
  Value isEven = isMultiple(emit, far.stride, far.constantStride, group);
  if (isWhole && isEven)
    isGrouped = emit.logicalAnd(emit.logicalAnd(isWhole, isEven), isAligned);
}

// How far it is, and whether it is there.
ContractionSource::Values StridedSource::along(LoopEmitter &emit, const Direction &direction,
                                               Value number) {
  if (direction.first)
    number = emit.add(direction.first, number);
  Values result = {emit.mul(number, direction.stride)};
  if (!direction.isWhole)
    result.push_back(emit.less(number, direction.size));
  return result;
}

ContractionSource::Values StridedSource::line(LoopEmitter &emit, Value number) {
  return along(emit, lines, number);
}

ContractionSource::Values StridedSource::depth(LoopEmitter &emit, Value number) {
  return along(emit, depths, number);
}

ContractionSource::Element StridedSource::element(LoopEmitter &emit, ValueRange line,
                                                  ValueRange depth) {
  Value pointer = emit.address(base, elementType, line[0]);
  pointer = emit.address(pointer, elementType, depth[0]);
  Value exists = line.size() > 1 ? line[1] : Value();
  if (depth.size() > 1)
    exists = exists ? emit.logicalAnd(exists, depth[1]) : depth[1];
  return {pointer, exists};
}
