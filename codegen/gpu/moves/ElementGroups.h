// Code for the elements of a nest that reduces nothing: one by one, and as many neighbours at once
// as an access to memory holds.
#ifndef KERATIN_CODEGEN_GPU_MOVES_ELEMENTGROUPS_H
#define KERATIN_CODEGEN_GPU_MOVES_ELEMENTGROUPS_H

#include "codegen/elements/NestBody.h"
#include "codegen/gpu/DevicePlan.h"
#include "codegen/gpu/threads/Alignment.h"

namespace keratin::codegen {

// Lines are the indices of the outer loops; elements of a line are those of the innermost one. Code
// for a group is vectors that LLVM takes apart, but for the accesses to memory.
class ElementGroups {
public:
  using Value = mlir::Value;

  // Groups of so many elements. They begin on multiples of that in a line.
  ElementGroups(DeviceKernelBuilder &k, const LoopNest &nest, unsigned elements);

  static ir::DimExpr elementsOfLine(const LoopNest &nest);
  bool hasSeveralLines() const { return lines != ir::DimExpr(1); }

  // Whether (i1) groups can be accessed at once; null where an element is a group. To be asked at
  // the beginning of the kernel.
  Value areAligned();

  // What the nest yields at a place of a line. Groups: where they are aligned.
  void emitElement(Value line, Value place);
  void emitGroup(Value line, Value place);
  // Of each integer, in a loop in which both emit.
  void forEach(Value from, Value to, llvm::function_ref<void(Value)> body);

  // Each keeps what it has made.
  struct Code {
    Code(DeviceKernelBuilder &k, const LoopNest &nest, unsigned count)
        : emitter(k, k.loc, k.target, count), body(k, nest, emitter) {}
    ElementEmitter emitter;
    NestBody body;
  } single, grouped;

private:
  void emitAt(Code &code, Value line, LaneIndex place);
  void assumeAligned();
  Value isWhole(Value size);

  DeviceKernelBuilder &k;
  const LoopNest &nest;
  const unsigned elements;
  const ir::DimExpr lines;
  std::optional<Alignment> tensors; // where there are groups
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_ELEMENTGROUPS_H
