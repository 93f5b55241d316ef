// Formulas that lose digits or overflow, and what computes the same without; one rule a line, with
// its equation. No rule looks through maximum or minimum: a documented clip stays. Constants stand
// on the right of commutative ops.
#ifndef KERATIN_STABILITY_RULES
#define KERATIN_STABILITY_RULES

include "mlir/IR/PatternBase.td"
include "ir/dialect/Keratin.td"

// LLVM 19's generator forgets to compare the uses of one name where patterns share a part; so each
// operand has its own.
def Same : Constraint<CPred<"$0 == $1">, "are the same">;
class Splat<string number> : Constraint<CPred<"isSplat($0, " # number # ")">, "is " # number>;
defvar Zero = Splat<"0.0">;
defvar One = Splat<"1.0">;
defvar Half = Splat<"0.5">;
def IsUnbounded : Constraint<CPred<"!isNegatedAbs($0)">, "may be large">;

// Logarithms and exponentials.
// log(exp(x)) = x
def : Pat<(Keratin_LogOp (Keratin_ExpOp $x)), (replaceWithValue $x)>;
// log(x + 1) = log1p(x)
def : Pat<(Keratin_LogOp (Keratin_AddOp $x, $one)), (Keratin_Log1pOp $x), [(One $one)]>;
// log(1 - x) = log1p(-x)
def : Pat<(Keratin_LogOp (Keratin_SubOp $one, $x)), (Keratin_Log1pOp (Keratin_NegOp $x)), [(One $one)]>;
// log1p(expm1(x)) = x
def : Pat<(Keratin_Log1pOp (Keratin_Expm1Op $x)), (replaceWithValue $x)>;
// exp(x) - 1 = expm1(x)
def : Pat<(Keratin_SubOp (Keratin_ExpOp $x), $one), (Keratin_Expm1Op $x), [(One $one)]>;
// exp(x) + -1 = expm1(x)
def : Pat<(Keratin_AddOp (Keratin_ExpOp $x), $c), (Keratin_Expm1Op $x), [(Splat<"-1.0"> $c)]>;
// 1 - exp(x) = -expm1(x)
def : Pat<(Keratin_SubOp $one, (Keratin_ExpOp $x)), (Keratin_NegOp (Keratin_Expm1Op $x)), [(One $one)]>;

// Logistic function in its spellings.
// 1 / (1 + exp(x)) = logistic(-x)
def : Pat<(Keratin_DivOp $one, (Keratin_AddOp (Keratin_ExpOp $x), $c)),
    (Keratin_LogisticOp (Keratin_NegOp $x)), [(One $one), (One $c)]>;
// exp(x) / (1 + exp(x)) = logistic(x)
def : Pat<(Keratin_DivOp (Keratin_ExpOp $x), (Keratin_AddOp (Keratin_ExpOp $y), $c)),
    (Keratin_LogisticOp $x), [(Same $x, $y), (One $c)]>;
// (tanh(x / 2) + 1) / 2 = logistic(x)
def : Pat<(Keratin_MulOp (Keratin_AddOp (Keratin_TanhOp (Keratin_MulOp $x, $a)), $b), $c),
    (Keratin_LogisticOp $x), [(Half $a), (One $b), (Half $c)]>;
// tanh(x / 2) / 2 + 1 / 2 = logistic(x)
def : Pat<(Keratin_AddOp (Keratin_MulOp (Keratin_TanhOp (Keratin_MulOp $x, $a)), $b), $c),
    (Keratin_LogisticOp $x), [(Half $a), (Half $b), (Half $c)]>;

// Softplus in its spellings, and the crossentropy of a sigmoid.
// log1p(exp(x)) = softplus(x)
def : Pat<(Keratin_Log1pOp (Keratin_ExpOp $x)), (Keratin_SoftplusOp $x), [(IsUnbounded $x)]>;
// log(logistic(x)) = -softplus(-x)
def : Pat<(Keratin_LogOp (Keratin_LogisticOp $x)), (Keratin_NegOp (Keratin_SoftplusOp (Keratin_NegOp $x)))>;
// log(1 - logistic(x)) = -softplus(x)
def : Pat<(Keratin_Log1pOp (Keratin_NegOp (Keratin_LogisticOp $x))), (Keratin_NegOp (Keratin_SoftplusOp $x))>;
multiclass StableSoftplus<dag maximum> {
  // max(x, 0) + log1p(exp(-|x|)) = softplus(x)
  def : Pat<(Keratin_AddOp maximum,
      (Keratin_Log1pOp (Keratin_ExpOp (Keratin_NegOp (Keratin_AbsOp $y))))),
      (Keratin_SoftplusOp $x), [(Zero $zero), (Same $x, $y)]>;
  def : Pat<(Keratin_AddOp (Keratin_Log1pOp (Keratin_ExpOp (Keratin_NegOp (Keratin_AbsOp $y)))),
      maximum), (Keratin_SoftplusOp $x), [(Zero $zero), (Same $x, $y)]>;
  // max(x, 0) - z + log1p(exp(-|x|)) = softplus(x) - z
  def : Pat<(Keratin_AddOp (Keratin_SubOp maximum, $z),
      (Keratin_Log1pOp (Keratin_ExpOp (Keratin_NegOp (Keratin_AbsOp $y))))),
      (Keratin_SubOp (Keratin_SoftplusOp $x), $z), [(Zero $zero), (Same $x, $y)]>;
  def : Pat<(Keratin_AddOp (Keratin_Log1pOp (Keratin_ExpOp (Keratin_NegOp (Keratin_AbsOp $y)))),
      (Keratin_SubOp maximum, $z)), (Keratin_SubOp (Keratin_SoftplusOp $x), $z),
      [(Zero $zero), (Same $x, $y)]>;
}
defm : StableSoftplus<(Keratin_MaximumOp $x, $zero)>;
defm : StableSoftplus<(Keratin_MaximumOp $zero, $x)>;

// Roots.
// sqrt(x * x) = |x|
def : Pat<(Keratin_SqrtOp (Keratin_MulOp $x, $y)), (Keratin_AbsOp $x), [(Same $x, $y)]>;

#endif // KERATIN_STABILITY_RULES
