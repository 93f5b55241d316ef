// The dialect, its attributes, and the record that every op fills in.
#ifndef KERATIN_BASE
#define KERATIN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/interfaces/Interfaces.td"

def Keratin_Dialect : Dialect {
  let name = "keratin";
  let cppNamespace = "::keratin::ir";
  let summary = "tensor programs of the keras.backend API";
  let description = [{
    One op for each mathematical idea, on ranked tensors. A dimension known only at run time is an
    expression over symbols, kept in the tensor type: `tensor<?x4xf32, #keratin.dims<d0, 4>>`.
    Elementwise ops never broadcast by themselves; `keratin.broadcast` does.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

//===-- Attributes ----------------------------------------------------------------------------===//

def Keratin_DimsAttr : AttrDef<Keratin_Dialect, "Dims",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "dims";
  let summary = "a list of dimension expressions over symbols";
  let description = [{
    `#keratin.dims<d0, 4, 2*d1 + 1>`. As the encoding of a tensor type it holds one expression a
    dimension; ops use it for starts, paddings and the like. The numbers are
    ir::DimExpr::encode() of each, one after the other. A tensor type has it exactly if a size
    is unknown, and then a size is a number in both or in neither: equal shapes are equal types.
  }];
  // For each expression its length, then its code.
  let parameters = (ins ArrayRefParameter<"int64_t">:$code);
  // ir/dialect/Keratin.cpp: keeps the expressions beside their code.
  let genStorageClass = 0;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static DimsAttr get(::mlir::MLIRContext *context, const ::std::vector<::keratin::ir::DimExpr> &dims);
    ::llvm::ArrayRef<::keratin::ir::DimExpr> getDims() const;
  }];
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 0;
}

//===-- Types ---------------------------------------------------------------------------------===//

def Keratin_Bool : TypeConstraint<CPred<"$_self.isSignlessInteger(1)">, "bool">;
def Keratin_SInt : AnyTypeOf<[I8, I16, I32, I64]>;
def Keratin_UInt : AnyTypeOf<[UI8, UI16, UI32, UI64]>;
def Keratin_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Keratin_Int : AnyTypeOf<[Keratin_SInt, Keratin_UInt]>;
def Keratin_Number : AnyTypeOf<[Keratin_Int, Keratin_Float]>;
def Keratin_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>]>;
def Keratin_Element : AnyTypeOf<[I1, Keratin_Int, Keratin_Float, Keratin_Complex]>;

def Keratin_Tensor : RankedTensorOf<[Keratin_Element]>;
def Keratin_NumberTensor : RankedTensorOf<[Keratin_Number]>;
// Of what is added and subtracted part by part.
def Keratin_SumTensor : RankedTensorOf<[Keratin_Number, Keratin_Complex]>;
def Keratin_FloatTensor : RankedTensorOf<[Keratin_Float]>;
def Keratin_ComplexTensor : RankedTensorOf<[Keratin_Complex]>;
// Of what has derivatives.
def Keratin_DerivedTensor : RankedTensorOf<[Keratin_Float, Keratin_Complex]>;
// Of a part of complex numbers.
def Keratin_PartTensor : RankedTensorOf<[F32, F64]>;
def Keratin_IntTensor : RankedTensorOf<[Keratin_Int]>;
def Keratin_BoolTensor : RankedTensorOf<[I1]>;
def Keratin_BitsTensor : RankedTensorOf<[I1, Keratin_Int]>;

//===-- The op record -------------------------------------------------------------------------===//

// Nodes of the dags `scalar` and `vjp`. A node is a method of that name (lower camel case) on
// ir::ScalarBuilder in `scalar`, on ir::GraphMath in `vjp`; a string argument is copied into the
// call.
class Node;
def None : Node;
def Identity : Node;

// Of GraphMath alone.
def EnterRank : Node;
def Equal : Node;
def Greater : Node;
def GreaterEqual : Node;
def KeepZeros : Node;
def LeaveRank : Node;
def NotEqual : Node;
def OneLike : Node;
def Scale : Node;
def ZeroLike : Node;

// A function of elements: a method of ir::ScalarBuilder, whose absence from code generation
// (codegen/elements/ElementArithmetic.cpp) is a compile error. In `vjp` it is the op of that name.
class ScalarFunction<int operands> : Node {
  int numOperands = operands;
  // Instructions that it becomes, roughly.
  int instructions = 1;
  // 1: costs more than reading the element from memory.
  bit isCostly = 0;
  // Units in the last place that it may be wrong by (docs/vector-math.md), and a little for the
  // machines without FMA; 0: rounded correctly.
  int ulps = 0;
}

// Instructions that are slow: more of them side by side do not help.
class SlowFunction<int operands> : ScalarFunction<operands> { let instructions = 8; }

// A polynomial, mostly. The count is that of float32 on machines with AVX-512; a test counts again
// (tests/codegen/MathFormTest.cpp).
class MathFunction<int operands, int error, int count> : ScalarFunction<operands> {
  let instructions = count;
  let isCostly = 1;
  let ulps = error;
}

// Operands and results have shapes that can be computed with: unknown sizes are expressions, and
// the elements can be counted in 64 bits. First of the traits of an op, so that shape inference and
// verifiers need not ask again.
def Keratin_HasKnownShapes : NativeOpTrait<"HasKnownShapes"> { let cppNamespace = "::keratin::ir"; }

// How attributes of an op name dimensions of its result: nodes of the dag `dimensions`.
class DimensionNode;
def Dimensions : DimensionNode;
// One dimension, or some.
def Axis : DimensionNode;
def Axes : DimensionNode;
// For each dimension of the operand, or of the result, one of the other.
def Places : DimensionNode;
// An entry for each dimension; (Each $strides, 1): 1 for one that the op leaves alone.
def Each : DimensionNode;

// What an op is, for passes, code generation and the interpreter (ir/interfaces/OpProperties.h).
// Conditions are C++ expressions over `op`; an empty one never holds.
class Keratin_Properties {
  // The kind of kernel that the op makes of the kernel it stands in: KernelKind::<kind>, and
  // plan<kind>Kernel of each target, whose absence is a compile error. Ops without stand in loop
  // nests, with others.
  string kernel = "";
  // The function of the runtime by which the host's own code does it; most are done by code of
  // their own.
  string runtimeFunction = "";
  // How many arithmetic operations it does: a C++ expression over `op`, a std::optional<DimExpr>
  // (ir/interfaces/OpCost.cpp). Needed of ops with a kind of kernel; of others it follows from what
  // they say of an element.
  string operations = "";
  // Instructions that an element becomes, roughly; -1: those of the functions in `scalar`, else 1.
  int instructions = -1;
  // 1: may end the call with an error while it runs, such as an index out of range.
  bit canFail = 0;
  // 1: dimensions may be in any order, the same for operands and result. Elementwise ops are so
  // anyway.
  bit takesAnyOrder = 0;
  // 1: makes each element of its result from elements of its operands and nothing else, and hands
  // it on once, finished: no part of the result is needed while the rest is made.
  bit isMadeByElement = 0;
  // 1: nothing is computed and nothing moved: what lies there already, a size, an index, other
  // names or repetitions of elements.
  bit costsNothing = 0;
  // 1: moves all elements of its one operand, so that its result has no fewer of them, and zeros
  // beside them at most.
  bit movesAll = 0;
  // Condition: kernels make it anew wherever they need it, instead of reading it from memory.
  string freeToRepeat = "";
  // Condition: outside of kernels the result is the first operand's memory, or a part of it, under
  // another name.
  string view = "";
  // 1: operands and results may have complex elements, and what it does to them it does to their real
  // and imaginary parts by themselves (passes/complex).
  bit takesComplex = 0;
  // 1: sums products of elements of its two operands.
  bit isContraction = 0;
  // 1: made in tiles of finished sums, from which the rest of its kernel starts.
  bit isTiled = 0;
  // Operands in which it is linear, each by itself, as far as passes move sums through it.
  list<string> linearIn = [];
  // 1: stands for a derivative, until the ops that compute it take its place.
  bit isDerivative = 0;
  // How it is made for all steps of a loop at once (passes/loops/StepBatcher.h). "dimensions": with
  // one more dimension before all others, which `dimensions` of its attributes are told of; "own":
  // by a method of StepBatcher, whose absence is a compile error; "map": by such a method, in a body
  // that is mapped as a whole, while no pass takes it out of a loop; "": not at all.
  string batching = "";
  dag dimensions = (Dimensions);
  // 1 (floats): no element has a sign, NaN aside, whatever the operands are.
  bit isNeverNegative = 0;
  // (integers, element by element) What it makes of sizes: an expression over DimExprs with the
  // operands' names, a std::optional<DimExpr>.
  string size = "";
  // Operands that say where, not what.
  list<string> where = [];
  // How the range of its result follows from those of its operands: a rule of
  // ir/reference/BoundsOfOp.h.
  string bounds = "Unknown";
  // 1 (elementwise ops): the ends of the operands' ranges give the ends of the result's. 0:
  // BoundsOfOp has an `adjust` of its own for it, whose absence is a compile error.
  bit isMonotone = 1;
  // 1 (elementwise ops): rounds nothing, so that no other form of it has other elements.
  bit neverRounds = 0;
}

// What is data about an op stands in its record; what is not is a method in the neighbouring files
// of its family:
//   hasCustomVjp         X::buildVjp        in XGradients.cpp
//   hasCustomJvp         X::buildJvp        there, too
//   hasCustomPaths       X::isDifferentiableOperand   there, too
//   hasCustomEvaluate    X::evaluate        in ir/reference
// Leaving one out is a link error.
class Keratin_Op<string mnemonic, list<Trait> traits = []>
    : Op<Keratin_Dialect, mnemonic, !listconcat([
        Keratin_HasKnownShapes,
        DeclareOpInterfaceMethods<DifferentiableOpInterface>,
        DeclareOpInterfaceMethods<EvaluableOpInterface>], traits)>, Keratin_Properties {
  // Gradient: one expression an operand over $operands, the result $y and its cotangent $dy; None
  // where there is none.
  list<dag> vjp = [];
  bit hasCustomVjp = 0;
  // 1: gradients flow to some of the floating operands only, and no list of them says to which.
  bit hasCustomPaths = 0;
  // Tangent. "linear": the op itself, of the operands' tangents, and of zeros where one has none;
  // "product": the sum of the op with one operand's tangent in its place, for each that has one; "":
  // what follows from the gradient (ir/builder/TangentRules.h).
  string jvp = "";
  bit hasCustomJvp = 0;
  // 0: gradients stop here on purpose (the operands get none).
  bit isDifferentiable = 1;
  // 1: the result takes elements of the operands and leaves others, to which no gradient flows,
  // however infinite their own derivative.
  bit choosesElements = 0;
  // 1: the result has elements that are zeros whatever the operands are.
  bit fillsWithZeros = 0;
  // 1 (elementwise ops): the cotangent is multiplied by what may be infinite or NaN.
  bit hasUnboundedDerivative = 0;

  // The body of the kernel for one element, over $operands (elementwise ops only).
  dag scalar = (None);
  // Units in the last place of that, if it is more than one function; -1: not said.
  int ulps = -1;
  // The same for the reference interpreter: a C++ expression over the operands by name, each of
  // type T (double for floats, the integer type itself otherwise).
  string reference = "";

  // Saved graphs of the format 1.savedSince and later may have it (docs/saved-graphs.md), with its
  // attributes as they are here, for ever. To be said of every op that can be saved.
  int savedSince = -1;
  // 0: cannot be saved, on purpose: it belongs to the frontend's graph or to the compiler.
  bit isSaved = 1;

  // Name of the K function that this op is, without further composition; its parameters are the operands.
  string backend = "";
  // Random graphs: domain of the operands, "any", "positive", "unit" (inside (-1, 1)), "small".
  string domain = "any";

  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // KERATIN_BASE
