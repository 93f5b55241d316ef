// Elementwise ops: operands and result have the same shape; nothing broadcasts here.
#ifndef KERATIN_ELEMENTWISE_OPS
#define KERATIN_ELEMENTWISE_OPS

include "ir/dialect/KeratinBase.td"

//===-- Functions of elements -----------------------------------------------------------------===//

def Abs : ScalarFunction<1>;
def Add : ScalarFunction<2>;
def And : ScalarFunction<2>;
def Atan : MathFunction<1, 3, 24>;
// The incomplete beta function, regularized.
def Betainc : MathFunction<3, 60, 900>;
def BesselI0e : MathFunction<1, 4, 47>;
def BesselI1e : MathFunction<1, 4, 49>;
// How a number of the beta distribution with these parameters, drawn as the quantile of a fixed
// probability, changes with the first of them.
def BetaSampleGradient : MathFunction<3, 200, 1500>;
def Ceil : ScalarFunction<1>;
def Cos : MathFunction<1, 3, 30>;
def Digamma : MathFunction<1, 5, 116>;
def Div : SlowFunction<2>;
def Erf : MathFunction<1, 3, 36>;
def Erfc : MathFunction<1, 5, 61>;
def Erfinv : MathFunction<1, 4, 52>;
def Exp : MathFunction<1, 2, 20>;
def Expm1 : MathFunction<1, 2, 29>;
def Floor : ScalarFunction<1>;
def FloorDiv : SlowFunction<2>;
// How a number of the gamma distribution changes with the distribution's shape.
def GammaSampleGradient : MathFunction<2, 200, 1200>;
// The incomplete gamma function, regularized, and 1 minus that.
def Igamma : MathFunction<2, 30, 900>;
def Igammac : MathFunction<2, 30, 900>;
def IsFinite : ScalarFunction<1>;
def Lgamma : MathFunction<1, 4, 150>;
def Log : MathFunction<1, 2, 24>;
def Log1p : MathFunction<1, 2, 36>;
def Logistic : MathFunction<1, 3, 32>;
def Maximum : ScalarFunction<2>;
def Minimum : ScalarFunction<2>;
// Exact, however large the quotient is.
def Mod : SlowFunction<2> { let isCostly = 1; }
def Mul : ScalarFunction<2>;
def MultiplyAdd : ScalarFunction<3>;
def Neg : ScalarFunction<1>;
def Not : ScalarFunction<1>;
def Or : ScalarFunction<2>;
def Pow : MathFunction<2, 2, 84>;
def Round : ScalarFunction<1>;
def Rsqrt : SlowFunction<1> { let ulps = 2; }
def Select : ScalarFunction<3>;
def ShiftLeft : ScalarFunction<2>;
def ShiftRight : ScalarFunction<2>;
def Sign : ScalarFunction<1>;
def Sin : MathFunction<1, 3, 30>;
def Softplus : MathFunction<1, 4, 52>;
def Sqrt : SlowFunction<1>;
def Sub : ScalarFunction<2>;
def Tan : MathFunction<1, 5, 30>;
def Tanh : MathFunction<1, 3, 30>;
def Xor : ScalarFunction<2>;
// Of Hurwitz.
def Zeta : MathFunction<2, 10, 400>;

//===-- Families ------------------------------------------------------------------------------===//

class Keratin_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Keratin_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<ElementwiseOpInterface>,
        DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  // How the element type of the result follows from the operands: "same" (as the last operand), "bool".
  string resultElement = "same";
  let isMadeByElement = 1;
  let batching = "dimensions";
  let bounds = "Elementwise";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return ::keratin::ir::inferElementwise(getOperationName(), location, operands,
          }] # !if(!eq(resultElement, "bool"), "true", "false") # [{, inferred);
    }
  }];
}

class Keratin_UnaryOp<string mnemonic, TypeConstraint type, list<Trait> traits = []>
    : Keratin_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultElementType], traits)> {
  let arguments = (ins type:$x);
  let results = (outs type:$y);
}

class Keratin_FloatUnaryOp<string mnemonic> : Keratin_UnaryOp<mnemonic, Keratin_FloatTensor>;

class Keratin_TernaryFloatOp<string mnemonic>
    : Keratin_ElementwiseOp<mnemonic, [SameOperandsAndResultElementType]> {
  let arguments = (ins Keratin_FloatTensor:$a, Keratin_FloatTensor:$b, Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$y);
}

class Keratin_BinaryOp<string mnemonic, TypeConstraint type, list<Trait> traits = []>
    : Keratin_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultElementType], traits)> {
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$y);
}

//===-- Unary ---------------------------------------------------------------------------------===//

def Keratin_NegOp : Keratin_UnaryOp<"neg", Keratin_SumTensor> {
  let summary = "negation, element by element";
  let savedSince = 0;
  let takesComplex = 1;
  let neverRounds = 1;
  let linearIn = ["x"];
  let size = "sub(DimExpr(0), x)";
  let description = "y = -x; integers wrap. Gradient: dx = -dy.";
  let scalar = (Neg $x);
  let reference = "negate(x)";
  let vjp = [(Neg $dy)];
  let hasFolder = 1;
}

def Keratin_AbsOp : Keratin_UnaryOp<"abs", Keratin_NumberTensor> {
  let summary = "absolute value, element by element";
  let savedSince = 0;
  let neverRounds = 1;
  let isMonotone = 0;
  let isNeverNegative = 1;
  let description = "y = |x|. Gradient: dx = dy * sign(x), 0 at 0.";
  let scalar = (Abs $x);
  let reference = "absolute(x)";
  let vjp = [(Mul $dy, (Sign $x))];
  let backend = "abs";
}

def Keratin_SignOp : Keratin_UnaryOp<"sign", Keratin_NumberTensor> {
  let summary = "sign, element by element";
  let savedSince = 0;
  let description = "y = -1, 0 or 1; NaN stays NaN. Gradient: zeros.";
  let scalar = (Sign $x);
  let reference = "x > T(0) ? T(1) : x < T(0) ? negate(T(1)) : x == T(0) ? T(0) : x";
  let vjp = [(ZeroLike $x)];
  let backend = "sign";
}

def Keratin_RoundOp : Keratin_UnaryOp<"round", Keratin_NumberTensor> {
  let summary = "nearest integer, ties to even, element by element";
  let savedSince = 0;
  let description = "Integers are unchanged. No gradient.";
  let scalar = (Round $x);
  let reference = "roundEven(x)";
  let isDifferentiable = 0;
  let backend = "round";
}

def Keratin_FloorOp : Keratin_FloatUnaryOp<"floor"> {
  let summary = "largest integer not above, element by element";
  let savedSince = 0;
  let description = "No gradient.";
  let scalar = (Floor $x);
  let reference = "std::floor(x)";
  let isDifferentiable = 0;
}

def Keratin_CeilOp : Keratin_FloatUnaryOp<"ceil"> {
  let summary = "smallest integer not below, element by element";
  let savedSince = 0;
  let description = "No gradient.";
  let scalar = (Ceil $x);
  let reference = "std::ceil(x)";
  let isDifferentiable = 0;
}

def Keratin_ExpOp : Keratin_FloatUnaryOp<"exp"> {
  let summary = "exponential, element by element";
  let savedSince = 0;
  let isNeverNegative = 1;
  let description = "y = exp(x). Gradient: dx = dy * y.";
  let scalar = (Exp $x);
  let reference = "std::exp(x)";
  let vjp = [(Mul $dy, $y)];
  let backend = "exp";
  let domain = "small";
  let hasUnboundedDerivative = 1;
}

def Keratin_Expm1Op : Keratin_FloatUnaryOp<"expm1"> {
  let summary = "exp(x) - 1 without cancellation, element by element";
  let savedSince = 0;
  let description = "Gradient: dx = dy * (y + 1).";
  let scalar = (Expm1 $x);
  let reference = "std::expm1(x)";
  let vjp = [(Mul $dy, (Add $y, (OneLike $y)))];
  let domain = "small";
  let hasUnboundedDerivative = 1;
  let backend = "expm1";
}

def Keratin_LogOp : Keratin_FloatUnaryOp<"log"> {
  let summary = "natural logarithm, element by element";
  let savedSince = 0;
  let description = "log 0 = -inf, log of a negative number is NaN. Gradient: dx = dy / x.";
  let scalar = (Log $x);
  let reference = "std::log(x)";
  let vjp = [(Div $dy, $x)];
  let backend = "log";
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_Log1pOp : Keratin_FloatUnaryOp<"log1p"> {
  let summary = "log(1 + x) without cancellation, element by element";
  let savedSince = 0;
  let description = "Gradient: dx = dy / (1 + x).";
  let scalar = (Log1p $x);
  let reference = "std::log1p(x)";
  let vjp = [(Div $dy, (Add $x, (OneLike $x)))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
  let backend = "log1p";
}

def Keratin_SqrtOp : Keratin_FloatUnaryOp<"sqrt"> {
  let summary = "square root, element by element";
  let savedSince = 0;
  let description = "IEEE: NaN for negative numbers (K::sqrt clamps first). Gradient: dx = dy / (2 "
      "y), +inf at 0.";
  let scalar = (Sqrt $x);
  let reference = "std::sqrt(x)";
  let vjp = [(Div (Scale $dy, "0.5"), $y)];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_RsqrtOp : Keratin_FloatUnaryOp<"rsqrt"> {
  let summary = "1 / sqrt(x), element by element";
  let savedSince = 0;
  let description = "Gradient: dx = -dy / 2 * y^3.";
  let scalar = (Rsqrt $x);
  let reference = "1.0 / std::sqrt(x)";
  let vjp = [(Mul (Scale $dy, "-0.5"), (Mul $y, (Mul $y, $y)))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_SinOp : Keratin_FloatUnaryOp<"sin"> {
  let summary = "sine, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let description = "Gradient: dx = dy * cos(x).";
  let scalar = (Sin $x);
  let reference = "std::sin(x)";
  let vjp = [(Mul $dy, (Cos $x))];
  let backend = "sin";
}

def Keratin_CosOp : Keratin_FloatUnaryOp<"cos"> {
  let summary = "cosine, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let description = "Gradient: dx = -dy * sin(x).";
  let scalar = (Cos $x);
  let reference = "std::cos(x)";
  let vjp = [(Neg (Mul $dy, (Sin $x)))];
  let backend = "cos";
}

def Keratin_TanOp : Keratin_FloatUnaryOp<"tan"> {
  let summary = "tangent, element by element";
  let savedSince = 4;
  let isMonotone = 0;
  let description = "Gradient: dx = dy * (1 + y * y).";
  let scalar = (Tan $x);
  let reference = "std::tan(x)";
  let vjp = [(Mul $dy, (Add (OneLike $y), (Mul $y, $y)))];
  let backend = "tan";
  let domain = "unit";
  let hasUnboundedDerivative = 1;
}

def Keratin_AtanOp : Keratin_FloatUnaryOp<"atan"> {
  let summary = "arc tangent, element by element";
  let savedSince = 4;
  let description = "Between -pi/2 and pi/2. Gradient: dx = dy / (1 + x * x).";
  let scalar = (Atan $x);
  let reference = "std::atan(x)";
  let vjp = [(Div $dy, (Add (OneLike $x), (Mul $x, $x)))];
  let backend = "atan";
}

def Keratin_TanhOp : Keratin_FloatUnaryOp<"tanh"> {
  let summary = "hyperbolic tangent, element by element";
  let savedSince = 0;
  let description = [{
    y = tanh(x). Gradient: dx = dy * (1 - y * y).

    ```mlir
    %y = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let scalar = (Tanh $x);
  let reference = "std::tanh(x)";
  let vjp = [(Mul $dy, (Sub (OneLike $y), (Mul $y, $y)))];
  let backend = "tanh";
}

def Keratin_LogisticOp : Keratin_FloatUnaryOp<"logistic"> {
  let summary = "1 / (1 + exp(-x)), element by element";
  let savedSince = 0;
  let isNeverNegative = 1;
  let description = "No overflow for large |x|. Gradient: dx = dy * y * (1 - y).";
  let scalar = (Logistic $x);
  let reference = "x >= T(0) ? T(1) / (T(1) + std::exp(-x)) : std::exp(x) / (T(1) + std::exp(x))";
  let vjp = [(Mul $dy, (Mul $y, (Sub (OneLike $y), $y)))];
  let backend = "sigmoid";
}

def Keratin_SoftplusOp : Keratin_FloatUnaryOp<"softplus"> {
  let summary = "log(1 + exp(x)), element by element";
  let savedSince = 0;
  let isNeverNegative = 1;
  let description = "max(x, 0) + log1p(exp(-|x|)): no overflow. Gradient: dx = dy * logistic(x).";
  let scalar = (Softplus $x);
  let reference = "x != x ? x : (x > T(0) ? x : T(0)) + std::log1p(std::exp(-std::fabs(x)))";
  let vjp = [(Mul $dy, (Logistic $x))];
  let backend = "softplus";
}

def Keratin_ErfOp : Keratin_FloatUnaryOp<"erf"> {
  let summary = "error function, element by element";
  let savedSince = 4;
  let description = "Gradient: dx = dy * 2 / sqrt(pi) * exp(-x * x).";
  let scalar = (Erf $x);
  let reference = "std::erf(x)";
  let vjp = [(Mul (Scale $dy, "1.1283791670955126"), (Exp (Neg (Mul $x, $x))))];
  let backend = "erf";
}

def Keratin_ErfcOp : Keratin_FloatUnaryOp<"erfc"> {
  let summary = "1 - erf(x) without cancellation, element by element";
  let savedSince = 5;
  let isNeverNegative = 1;
  let description = "Gradient: dx = -dy * 2 / sqrt(pi) * exp(-x * x).";
  let scalar = (Erfc $x);
  let reference = "std::erfc(x)";
  let vjp = [(Mul (Scale $dy, "-1.1283791670955126"), (Exp (Neg (Mul $x, $x))))];
  let backend = "erfc";
}

def Keratin_ErfinvOp : Keratin_FloatUnaryOp<"erfinv"> {
  let summary = "the inverse of the error function, element by element";
  let savedSince = 5;
  let description = "-inf at -1, +inf at 1, NaN outside. Gradient: dx = dy * sqrt(pi) / 2 * exp(y * y).";
  let scalar = (Erfinv $x);
  let reference = "erfinv(x)";
  let vjp = [(Mul (Scale $dy, "0.88622692545275801"), (Exp (Mul $y, $y)))];
  let domain = "unit";
  let hasUnboundedDerivative = 1;
  let backend = "erfinv";
}

def Keratin_LgammaOp : Keratin_FloatUnaryOp<"lgamma"> {
  let summary = "log |gamma(x)|, element by element";
  let savedSince = 5;
  let isMonotone = 0;
  let description = "+inf at 0, -1, -2, … and at both infinities. Gradient: dx = dy * digamma(x).";
  let scalar = (Lgamma $x);
  let reference = "logGamma(x)";
  let vjp = [(Mul $dy, (Digamma $x))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
  let backend = "lgamma";
}

def Keratin_DigammaOp : Keratin_FloatUnaryOp<"digamma"> {
  let summary = "the derivative of log gamma(x), element by element";
  let savedSince = 5;
  let isMonotone = 0;
  let description = "NaN at -1, -2, …; -inf at +0, +inf at -0. Gradient: dx = dy * zeta(2, x).";
  let scalar = (Digamma $x);
  let reference = "digamma(x)";
  let vjp = [(Mul $dy, (Zeta (Scale (OneLike $x), "2"), $x))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
  let backend = "digamma";
}

def Keratin_ZetaOp : Keratin_BinaryOp<"zeta", Keratin_FloatTensor> {
  let summary = "the zeta function of Hurwitz, element by element";
  let savedSince = 5;
  let isMonotone = 0;
  let description = [{
    zeta(a, b): the sum of (b + k)^-a over k = 0, 1, … . NaN for a < 1, +inf for a = 1. For b <= 0:
    +inf at whole numbers where a is even, NaN where it is not whole, as SciPy has it. Gradient:
    db = -dy * a * zeta(a + 1, b); none of a.
  }];
  let scalar = (Zeta $a, $b);
  let reference = "zeta(a, b)";
  let vjp = [(None), (Neg (Mul $dy, (Mul $a, (Zeta (Add $a, (OneLike $a)), $b))))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_BesselI0eOp : Keratin_FloatUnaryOp<"bessel_i0e"> {
  let summary = "exp(-|x|) times the modified Bessel function of order 0, element by element";
  let savedSince = 5;
  let isMonotone = 0;
  let isNeverNegative = 1;
  let description = "Gradient: dx = dy * (bessel_i1e(x) - sign(x) * y).";
  let scalar = (BesselI0e $x);
  let reference = "besselI0e(x)";
  let vjp = [(Mul $dy, (Sub (BesselI1e $x), (Mul (Sign $x), $y)))];
  let backend = "bessel_i0e";
}

def Keratin_BesselI1eOp : Keratin_FloatUnaryOp<"bessel_i1e"> {
  let summary = "exp(-|x|) times the modified Bessel function of order 1, element by element";
  let savedSince = 5;
  let isMonotone = 0;
  let description = "Gradient: dx = dy * (bessel_i0e(x) - y * (sign(x) + 1 / x)), and 0.5 dy at 0.";
  let scalar = (BesselI1e $x);
  let reference = "besselI1e(x)";
  let hasCustomVjp = 1;
  let backend = "bessel_i1e";
}

// Of the lower part P(a, x) the derivative by x is the density of the gamma distribution.
class Keratin_IncompleteGammaOp<string mnemonic> : Keratin_BinaryOp<mnemonic, Keratin_FloatTensor> {
  let savedSince = 6;
  let isNeverNegative = 1;
  let domain = "positive";
  let hasCustomVjp = 1;
}

def Keratin_IgammaOp : Keratin_IncompleteGammaOp<"igamma"> {
  let summary = "the lower incomplete gamma function, regularized, element by element";
  let description = [{
    igamma(a, b): the integral of t^(a - 1) exp(-t) from 0 to b over gamma(a). NaN for a < 0 or
    b < 0, 1 for a = 0 < b. Gradient: db = dy * density(a, b); da = -dy * density(a, b) *
    gamma_sample_gradient(a, b).
  }];
  let scalar = (Igamma $a, $b);
  let reference = "igamma(a, b)";
}

def Keratin_IgammacOp : Keratin_IncompleteGammaOp<"igammac"> {
  let summary = "1 minus igamma(a, b), without its loss of digits, element by element";
  let description = "Gradient: that of igamma with the other sign.";
  let scalar = (Igammac $a, $b);
  let reference = "igammac(a, b)";
}

def Keratin_GammaSampleGradientOp : Keratin_BinaryOp<"gamma_sample_gradient", Keratin_FloatTensor> {
  let summary = "how a gamma-distributed number b changes with its distribution's shape a";
  let savedSince = 6;
  let isMonotone = 0;
  let description = [{
    db/da where igamma(a, b) stays as it is (Figurnov, Mohamed, Mnih: Implicit reparameterization
    gradients, 2018). Gradient: of b; that of a is not implemented.
  }];
  let scalar = (GammaSampleGradient $a, $b);
  let reference = "gammaSampleGradient(a, b)";
  let domain = "positive";
  let hasCustomVjp = 1;
}

def Keratin_BetaincOp : Keratin_TernaryFloatOp<"betainc"> {
  let summary = "the incomplete beta function, regularized, element by element";
  let savedSince = 6;
  let isNeverNegative = 1;
  let description = [{
    betainc(a, b, x): the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x over beta(a, b). NaN for
    a < 0, b < 0, x < 0 or x > 1; all lies at 0 for a = 0 and at 1 for b = 0. Gradient: dx = dy * density(a, b, x); of a and b that times
    -beta_sample_gradient(a, b, x) and beta_sample_gradient(b, a, 1 - x).
  }];
  let scalar = (Betainc $a, $b, $x);
  let reference = "betainc(a, b, x)";
  let domain = "unit";
  let hasCustomVjp = 1;
}

def Keratin_BetaSampleGradientOp : Keratin_TernaryFloatOp<"beta_sample_gradient"> {
  let summary = "how a beta-distributed number x changes with its distribution's a";
  let savedSince = 6;
  let isMonotone = 0;
  let description = "dx/da where betainc(a, b, x) stays as it is. Gradient: of x; those of a and b "
      "are not implemented.";
  let scalar = (BetaSampleGradient $a, $b, $x);
  let reference = "betaSampleGradient(a, b, x)";
  let domain = "unit";
  let hasCustomVjp = 1;
}

def Keratin_IsFiniteOp : Keratin_ElementwiseOp<"is_finite"> {
  let summary = "whether neither infinite nor NaN, element by element";
  let savedSince = 0;
  let description = "No gradient.";
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_BoolTensor:$y);
  let resultElement = "bool";
  let scalar = (IsFinite $x);
  let reference = "std::isfinite(x)";
  let isDifferentiable = 0;
}

def Keratin_NotOp : Keratin_UnaryOp<"not", Keratin_BitsTensor> {
  let summary = "complement, element by element";
  let savedSince = 0;
  let description = "Logical on bool, bitwise on integers. No gradient.";
  let scalar = (Not $x);
  let reference = "complement(x)";
  let isDifferentiable = 0;
}

//===-- Binary --------------------------------------------------------------------------------===//

def Keratin_AddOp : Keratin_BinaryOp<"add", Keratin_SumTensor, [Commutative]> {
  let summary = "sum, element by element";
  let savedSince = 0;
  let takesComplex = 1;
  let size = "add(a, b)";
  let description = "Integers wrap. Gradient: da = dy, db = dy.";
  let scalar = (Add $a, $b);
  let reference = "wrapAdd(a, b)";
  let vjp = [(Identity $dy), (Identity $dy)];
  let hasFolder = 1;
}

def Keratin_SubOp : Keratin_BinaryOp<"sub", Keratin_SumTensor> {
  let summary = "difference, element by element";
  let savedSince = 0;
  let takesComplex = 1;
  let size = "sub(a, b)";
  let description = "Integers wrap. Gradient: da = dy, db = -dy.";
  let scalar = (Sub $a, $b);
  let reference = "wrapSub(a, b)";
  let vjp = [(Identity $dy), (Neg $dy)];
  let hasFolder = 1;
}

def Keratin_MulOp : Keratin_BinaryOp<"mul", Keratin_NumberTensor, [Commutative]> {
  let summary = "product, element by element";
  let savedSince = 0;
  let linearIn = ["a", "b"];
  let size = "mul(a, b)";
  let description = "Integers wrap. Gradient: da = dy * b, db = dy * a.";
  let scalar = (Mul $a, $b);
  let reference = "wrapMul(a, b)";
  let vjp = [(Mul $dy, $b), (Mul $dy, $a)];
  let hasFolder = 1;
  let hasUnboundedDerivative = 1;
}

def Keratin_MultiplyAddOp : Keratin_ElementwiseOp<"multiply_add", [SameTypeOperands]> {
  let summary = "product and sum, rounded once, element by element";
  let description = [{
    y = a * b + c, of floats with one rounding where the machine has an instruction for it, with one
    after the product and one after the sum elsewhere. Integers wrap. The compiler makes it of products
    and sums (`keratin-fuse-products`). Gradient: da = dy * b, db = dy * a, dc = dy.
  }];
  let arguments = (ins Keratin_NumberTensor:$a, Keratin_NumberTensor:$b, Keratin_NumberTensor:$c);
  let results = (outs Keratin_NumberTensor:$y);
  let isSaved = 0;
  let scalar = (MultiplyAdd $a, $b, $c);
  let reference = "multiplyAdd(a, b, c)";
  let vjp = [(Mul $dy, $b), (Mul $dy, $a), (Identity $dy)];
  let hasUnboundedDerivative = 1;
}

def Keratin_DivOp : Keratin_BinaryOp<"div", Keratin_FloatTensor> {
  let summary = "quotient, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let description = "Gradient: da = dy / b, db = -dy * y / b.";
  let scalar = (Div $a, $b);
  let reference = "a / b";
  let vjp = [(Div $dy, $b), (Neg (Div (Mul $dy, $y), $b))];
  let hasFolder = 1;
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_FloorDivOp : Keratin_BinaryOp<"floor_div", Keratin_NumberTensor> {
  let summary = "quotient rounded towards minus infinity, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  // Of integers, divided by 0 gives 0; as a size it is none.
  let size = "b == DimExpr(0) ? std::nullopt : floordiv(a, b)";
  let description = [{
    An integer divided by 0 gives 0; the smallest integer by -1 gives itself. Of floats the
    exact quotient is rounded down; one of 2^23 (f64: 2^52) and more is the nearest number to a
    / b. No gradient.
  }];
  let scalar = (FloorDiv $a, $b);
  let reference = "floorDiv(a, b)";
  let isDifferentiable = 0;
}

def Keratin_ModOp : Keratin_BinaryOp<"mod", Keratin_NumberTensor> {
  let summary = "remainder with the sign of the divisor, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let size = "b == DimExpr(0) ? std::nullopt : mod(a, b)";
  let description = [{
    a - b * floor(a / b), for floats rounded once, however large the quotient is; 0 has the sign
    of b. An integer modulo 0 gives 0, a float NaN. Gradient: da = dy, db = -dy * floor(a / b).
  }];
  let scalar = (Mod $a, $b);
  let reference = "floorMod(a, b)";
  let vjp = [(Identity $dy), (Neg (Mul $dy, (FloorDiv $a, $b)))];
  let hasUnboundedDerivative = 1;
}

def Keratin_PowOp : Keratin_BinaryOp<"pow", Keratin_NumberTensor> {
  let summary = "power, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let description = [{
    C's pow for floats; integers by repeated squaring with wrap-around, a negative integer
    exponent gives 0 (the frontend refuses it). Gradient: da = dy * b * a^(b-1), 0 where dy is
    0, or a and b are; db = dy * y * log(a) where a > 0, else 0.
  }];
  let scalar = (Pow $a, $b);
  let reference = "power(a, b)";
  let vjp = [
    // The derivative of a^0 is 0 at 0 too: higher derivatives of a^3 end there.
    (KeepZeros $dy, (Mul $dy, (Mul $b, (Pow (Select (And (Equal $b, (ZeroLike $b)),
        (Equal $a, (ZeroLike $a))), (OneLike $a), $a),
      (Sub $b, (OneLike $b)))))),
    (Select (Greater $a, (ZeroLike $a)), (Mul $dy,
        (Mul $y, (Log (Select (Greater $a, (ZeroLike $a)), $a, (OneLike $a))))), (ZeroLike $a))];
  let domain = "positive";
  let hasUnboundedDerivative = 1;
}

def Keratin_MaximumOp : Keratin_BinaryOp<"maximum", Keratin_NumberTensor> {
  let summary = "larger of two, element by element";
  let savedSince = 0;
  let size = "max(a, b)";
  let description = "NaN if either is NaN. Gradient: to a where a >= b, else to b (a tie goes to a).";
  let scalar = (Maximum $a, $b);
  let reference = "a != a || b != b ? notANumber<T>() : a >= b ? a : b";
  let vjp = [(Select (GreaterEqual $a, $b), $dy, (ZeroLike $dy)),
      (Select (GreaterEqual $a, $b), (ZeroLike $dy), $dy)];
  let hasFolder = 1;
  let choosesElements = 1;
}

def Keratin_MinimumOp : Keratin_BinaryOp<"minimum", Keratin_NumberTensor> {
  let summary = "smaller of two, element by element";
  let savedSince = 0;
  let size = "min(a, b)";
  let description = "NaN if either is NaN. Gradient: to a where a <= b, else to b (a tie goes to a).";
  let scalar = (Minimum $a, $b);
  let reference = "a != a || b != b ? notANumber<T>() : a <= b ? a : b";
  let vjp = [(Select (GreaterEqual $b, $a), $dy, (ZeroLike $dy)),
      (Select (GreaterEqual $b, $a), (ZeroLike $dy), $dy)];
  let hasFolder = 1;
  let choosesElements = 1;
}

class Keratin_BitsOp<string mnemonic, list<Trait> traits = []>
    : Keratin_BinaryOp<mnemonic, Keratin_BitsTensor, traits> {
  let isDifferentiable = 0;
}

def Keratin_AndOp : Keratin_BitsOp<"and", [Commutative]> {
  let summary = "conjunction, element by element";
  let savedSince = 0;
  let description = "Logical on bool, bitwise on integers. No gradient.";
  let scalar = (And $a, $b);
  let reference = "bitAnd(a, b)";
  let hasFolder = 1;
}

def Keratin_OrOp : Keratin_BitsOp<"or", [Commutative]> {
  let summary = "disjunction, element by element";
  let savedSince = 0;
  let description = "Logical on bool, bitwise on integers. No gradient.";
  let scalar = (Or $a, $b);
  let reference = "bitOr(a, b)";
  let hasFolder = 1;
}

def Keratin_XorOp : Keratin_BitsOp<"xor", [Commutative]> {
  let summary = "exclusive or, element by element";
  let savedSince = 0;
  let description = "Logical on bool, bitwise on integers. No gradient.";
  let scalar = (Xor $a, $b);
  let reference = "bitXor(a, b)";
}

def Keratin_ShiftLeftOp : Keratin_BinaryOp<"shift_left", Keratin_IntTensor> {
  let summary = "shift towards the high bits, element by element";
  let savedSince = 0;
  let description = "0 where the shift is not within the width. No gradient.";
  let scalar = (ShiftLeft $a, $b);
  let reference = "shiftLeft(a, b)";
  let isDifferentiable = 0;
}

def Keratin_ShiftRightOp : Keratin_BinaryOp<"shift_right", Keratin_IntTensor> {
  let summary = "shift towards the low bits filling with zeros, element by element";
  let savedSince = 0;
  let description = "0 where the shift is not within the width. No gradient.";
  let scalar = (ShiftRight $a, $b);
  let reference = "shiftRight(a, b)";
  let isDifferentiable = 0;
}

//===-- Compare, select, cast -----------------------------------------------------------------===//

def Keratin_Eq : I64EnumAttrCase<"EQ", 0, "eq">;
def Keratin_Ne : I64EnumAttrCase<"NE", 1, "ne">;
def Keratin_Lt : I64EnumAttrCase<"LT", 2, "lt">;
def Keratin_Le : I64EnumAttrCase<"LE", 3, "le">;
def Keratin_Gt : I64EnumAttrCase<"GT", 4, "gt">;
def Keratin_Ge : I64EnumAttrCase<"GE", 5, "ge">;
def Keratin_ComparisonAttr : I64EnumAttr<"Comparison", "which comparison",
    [Keratin_Eq, Keratin_Ne, Keratin_Lt, Keratin_Le, Keratin_Gt, Keratin_Ge]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_CompareOp : Keratin_ElementwiseOp<"compare", [SameTypeOperands]> {
  let summary = "comparison, element by element";
  let savedSince = 0;
  let isMonotone = 0;
  let description = "Every comparison with NaN is false, except ne. No gradient.";
  let arguments = (ins Keratin_Tensor:$a, Keratin_Tensor:$b, Keratin_ComparisonAttr:$direction);
  let results = (outs Keratin_BoolTensor:$y);
  let resultElement = "bool";
  let assemblyFormat = "$direction operands attr-dict `:` functional-type(operands, results)";
  let reference = "compare(getDirection(), a, b)";
  let isDifferentiable = 0;
}

def Keratin_SelectOp : Keratin_ElementwiseOp<"select"> {
  let summary = "choice between two, element by element";
  let savedSince = 0;
  let takesComplex = 1;
  let description = "y = condition ? a : b. Gradient: to the chosen one, exactly 0 to the other.";
  let arguments = (ins Keratin_BoolTensor:$condition, Keratin_Tensor:$a, Keratin_Tensor:$b);
  let results = (outs Keratin_Tensor:$y);
  let scalar = (Select $condition, $a, $b);
  let vjp = [(None), (Select $condition, $dy, (ZeroLike $dy)), (Select $condition, (ZeroLike $dy), $dy)];
  let hasFolder = 1;
  let choosesElements = 1;
}

def Keratin_CastOp : Keratin_Op<"cast", [Pure, DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "conversion to another element type, element by element";
  let savedSince = 0;
  let takesComplex = 1;
  let neverRounds = 1;
  let bounds = "Elementwise";
  let batching = "dimensions";
  let isMadeByElement = 1;
  let description = [{
    Float to integer truncates towards zero, saturates, and turns NaN into 0; to bool: nonzero;
    from bool: 0 or 1; between integers: wraps. Gradient between floats: dx = cast(dy); none
    otherwise.
  }];
  let arguments = (ins Keratin_Tensor:$x);
  let results = (outs Keratin_Tensor:$y);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCustomVjp = 1;
  let jvp = "linear";
}

//===-- Markers: elementwise identities with a meaning ----------------------------------------===//

class Keratin_MarkerOp<string mnemonic> : Keratin_UnaryOp<mnemonic, Keratin_Tensor> {
  let takesComplex = 1;
  let neverRounds = 1;
  let scalar = (Identity $x);
  let reference = "x";
}

def Keratin_StopGradientOp : Keratin_MarkerOp<"stop_gradient"> {
  let summary = "the same value, a constant for gradients";
  let savedSince = 0;
  let description = "No gradient on purpose.";
  let isDifferentiable = 0;
}

def Keratin_IdentityOp : Keratin_MarkerOp<"identity"> {
  let summary = "the same value as a new node";
  let savedSince = 0;
  let description = "Gradient: dx = dy.";
  let vjp = [(Identity $dy)];
  let hasFolder = 1;
}

#endif // KERATIN_ELEMENTWISE_OPS
