// What passes, the interpreter and code generation ask of an op, without knowing which op it is.
#ifndef KERATIN_INTERFACES
#define KERATIN_INTERFACES

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "Derivatives: the map from the cotangents of the results to those of the "
      "operands, and the map from the tangents of the operands to those of the results.";
  let methods = [
    InterfaceMethod<[{
      Whether a gradient can flow from the results to this operand at all.
    }], "bool", "isDifferentiableOperand", (ins "unsigned":$operand)>,
    InterfaceMethod<[{
      Builds the cotangent of each operand for the given cotangents of the results (null where
      a result has none). An entry stays null where there is no gradient. Emits at the
      builder's insertion point, with ops of the dialect only, so that the result can be
      differentiated again.
    }], "::mlir::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ArrayRef<::mlir::Value>":$cotangents,
           "::mlir::SmallVectorImpl<::mlir::Value> &":$gradients)>,
    InterfaceMethod<[{
      Builds the tangent of each result for the given tangents of the operands (null where an
      operand has none, or no gradient flows to it). An entry stays null where there is none.
    }], "::mlir::LogicalResult", "buildJvp",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ArrayRef<::mlir::Value>":$tangents,
           "::mlir::SmallVectorImpl<::mlir::Value> &":$results)>,
    InterfaceMethod<[{
      Whether the result takes elements of the operands and leaves others: the cotangent of
      those is exactly zero, whatever they are.
    }], "bool", "choosesElements">,
    InterfaceMethod<[{
      Whether the result has elements that are zeros, and whose tangent is exactly zero, whatever
      the operands are.
    }], "bool", "fillsWithZeros">,
    InterfaceMethod<[{
      Whether a gradient may be infinite or NaN times the cotangent, element by element. Where
      such a cotangent is zero by choice, the gradient is zero too.
    }], "bool", "hasUnboundedDerivative">
  ];
}

def EvaluableOpInterface : OpInterface<"EvaluableOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "Evaluation in the plainest code: the judge of every pass and kernel.";
  let methods = [
    InterfaceMethod<[{
      Computes the results, whose shapes are already allocated, from the operands.
    }], "::mlir::LogicalResult", "evaluate",
      (ins "::keratin::ir::EvaluationContext &":$context,
          "::llvm::ArrayRef<const ::keratin::ir::HostTensor *>":$operands,
           "::llvm::MutableArrayRef<::keratin::ir::HostTensor>":$results)>
  ];
}

// Elementwise ops: one scalar body serves vectors on a CPU, threads on a GPU.
def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "The result at an index depends on the operands at the same index only.";
  let methods = [
    InterfaceMethod<[{
      Emits the body for one element (or one vector of elements).
    }], "::mlir::Value", "buildScalar",
      (ins "::keratin::ir::ScalarBuilder &":$builder, "::mlir::ValueRange":$operands)>
  ];
}

// Ops that only move elements: where each element of the result comes from.
def IndexingOpInterface : OpInterface<"IndexingOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "The result at an index is an operand at an index computed from it (or a value "
      "computed from the index).";
  let methods = [
    InterfaceMethod<[{
      Emits the element of the result at the given index.
    }], "::mlir::Value", "buildElement",
      (ins "::keratin::ir::ElementBuilder &":$builder, "::llvm::ArrayRef<::keratin::ir::Index>":$index)>,
    InterfaceMethod<[{
      Which loops must stay apart: true if dimensions `dim` and `dim + 1` of the result can be
      walked as one because the op treats them alike.
    }], "bool", "canCollapse", (ins "unsigned":$dim)>
  ];
}

// Ops that combine elements along axes with an associative function.
def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "Reduction of one operand along axes; the axes are removed from the result.";
  let methods = [
    InterfaceMethod<"The reduced axes, ascending.", "::llvm::ArrayRef<int64_t>", "getReducedAxes">,
    InterfaceMethod<[{
      Whether partial results of long runs are kept with their rounding errors: sums of floats.
    }], "bool", "isCompensated">,
    InterfaceMethod<"The element that changes nothing, in the accumulator's type.", "::mlir::Value",
        "buildIdentity",
      (ins "::keratin::ir::ScalarBuilder &":$builder)>,
    InterfaceMethod<"Combines an accumulator with an element or with another accumulator.",
        "::mlir::Value", "buildCombine",
      (ins "::keratin::ir::ScalarBuilder &":$builder, "::mlir::Value":$accumulator, "::mlir::Value":$element)>
  ];
}

// What the loops have in common: states that each step hands to the next one, captures, and stacks
// of what the steps yield.
def LoopOpInterface : OpInterface<"LoopOpInterface"> {
  let cppNamespace = "::keratin::ir";
  let description = "A loop. Its body is given the step's number, the states, elements of "
      "sequences and captures; it yields the next states, then elements of stacks.";
  let methods = [
    InterfaceMethod<"The region that is a step.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"How many states there are.",
      "unsigned", "getNumStates", (ins), [{}], [{
        return $_op.getInits().size();
      }]>,
    InterfaceMethod<[{
      The number of steps; of keratin.while the symbol that stands for it, which must be there.
    }],
      "::keratin::ir::DimExpr", "getSteps">,
    InterfaceMethod<"The states before the first step.", "::mlir::OperandRange", "getInits">,
    InterfaceMethod<"The tensors of which each step is given an element.", "::mlir::OperandRange",
        "getSequences">,
    InterfaceMethod<"What is the same in each step.", "::mlir::OperandRange", "getCaptures">,
    InterfaceMethod<"The body's argument for the step's number.",
      "::mlir::BlockArgument", "getStepNumber", (ins), [{}], [{
        return $_op.getBody().getArgument(0);
      }]>,
    InterfaceMethod<"The body's arguments for the states.",
      "::mlir::Block::BlockArgListType", "getStateArguments", (ins), [{}], [{
        return $_op.getBody().getArguments().slice(1, $_op.getNumStates());
      }]>,
    InterfaceMethod<"The body's arguments for elements.",
      "::mlir::Block::BlockArgListType", "getElementArguments", (ins), [{}], [{
        return $_op.getBody().getArguments().slice(1 + $_op.getNumStates(), $_op.getSequences().size());
      }]>,
    InterfaceMethod<"The body's arguments for captures.",
      "::mlir::Block::BlockArgListType", "getCaptureArguments", (ins), [{}], [{
        return $_op.getBody().getArguments().drop_front(1 + $_op.getNumStates() + $_op.getSequences().size());
      }]>,
    InterfaceMethod<"The states after the last step.",
      "::mlir::ResultRange", "getLastStates", (ins), [{}], [{
        return $_op->getResults().take_front($_op.getNumStates());
      }]>,
    InterfaceMethod<"What the steps have yielded beside the states.", "::mlir::ResultRange", "getStacks">,
    InterfaceMethod<"The result that an operand of the yield becomes.", "::mlir::OpResult",
        "getResultOf", (ins "unsigned":$yielded)>
  ];
}

#endif // KERATIN_INTERFACES
