// Algebra that holds for every input, NaN, infinities and signed zeros included; one rule a line,
// with its equation. Constants stand on the right of commutative ops (populateAlgebraPatterns sees
// to it), and are splats.
#ifndef KERATIN_ALGEBRA_RULES
#define KERATIN_ALGEBRA_RULES

include "mlir/IR/PatternBase.td"
include "ir/dialect/Keratin.td"

// LLVM 19's generator forgets to compare the uses of one name where patterns share a part; so each
// operand has its own.
def Same : Constraint<CPred<"$0 == $1">, "are the same">;
class Splat<string number> : Constraint<CPred<"isSplat($0, " # number # ")">, "is " # number>;
def IsInteger : Constraint<CPred<"isInteger($0)">, "is an integer">;
def IsSigned : Constraint<CPred<"!getElementType($0).isUnsignedInteger()">, "may be negative">;
def IsBool : Constraint<CPred<"isBool($0)">, "is a bool">;
def IsConstant : Constraint<CPred<"bool(getSplat($0))">, "is the same constant everywhere">;
def HasReciprocal : Constraint<CPred<"hasExactReciprocal($0)">, "has an exact reciprocal">;
def Mergeable : Constraint<CPred<"canMergeFactors($0, $1)">, "scale in the same direction">;
def Zero : NativeCodeCall<"GraphMath($_builder, $_loc).zeroLike($0)">;
def Reciprocal : NativeCodeCall<"reciprocal($_builder, $_loc, $0)">;
def Product : NativeCodeCall<"productOfSplats($_builder, $_loc, $0, $1)">;
def Negated : NativeCodeCall<"negatedSplat($_builder, $_loc, $0)">;

// Signs.
// x + -y = x - y
def : Pat<(Keratin_AddOp $x, (Keratin_NegOp $y)), (Keratin_SubOp $x, $y)>;
// -x + y = y - x
def : Pat<(Keratin_AddOp (Keratin_NegOp $x), $y), (Keratin_SubOp $y, $x)>;
// x - -y = x + y
def : Pat<(Keratin_SubOp $x, (Keratin_NegOp $y)), (Keratin_AddOp $x, $y)>;
// -x * -y = x * y
def : Pat<(Keratin_MulOp (Keratin_NegOp $x), (Keratin_NegOp $y)), (Keratin_MulOp $x, $y)>;
// -x / -y = x / y
def : Pat<(Keratin_DivOp (Keratin_NegOp $x), (Keratin_NegOp $y)), (Keratin_DivOp $x, $y)>;
// -x * c = x * -c
def : Pat<(Keratin_MulOp (Keratin_NegOp $x), $c), (Keratin_MulOp $x, (Negated $c)), [(IsConstant $c)]>;
// -(x * c) = x * -c
def : Pat<(Keratin_NegOp (Keratin_MulOp $x, $c)), (Keratin_MulOp $x, (Negated $c)), [(IsConstant $c)]>;
// x * -1 = -x
def : Pat<(Keratin_MulOp $x, $c), (Keratin_NegOp $x), [(Splat<"-1.0"> $c)]>;
// x / -1 = -x
def : Pat<(Keratin_DivOp $x, $c), (Keratin_NegOp $x), [(Splat<"-1.0"> $c)]>;
// -0 - x = -x
def : Pat<(Keratin_SubOp $c, $x), (Keratin_NegOp $x), [(Splat<"-0.0"> $c)]>;
// 0 - x = -x
def : Pat<(Keratin_SubOp $c, $x), (Keratin_NegOp $x), [(Splat<"0.0"> $c), (IsInteger $x)]>;
// |-x| = |x|, but for unsigned integers, which are what their absolute value is.
def : Pat<(Keratin_AbsOp (Keratin_NegOp $x)), (Keratin_AbsOp $x), [(IsSigned $x)]>;
// ||x|| = |x|
def : Pat<(Keratin_AbsOp (Keratin_AbsOp:$y $x)), (replaceWithValue $y)>;
// |x| * |x| = x * x
def : Pat<(Keratin_MulOp (Keratin_AbsOp $x), (Keratin_AbsOp $y)), (Keratin_MulOp $x, $y), [(Same $x, $y)]>;

// Scale factors.
// x / 2^k = x * 2^-k
def : Pat<(Keratin_DivOp $x, $c), (Keratin_MulOp $x, (Reciprocal $c)), [(HasReciprocal $c)]>;
// (x * c) * d = x * (c * d)
def : Pat<(Keratin_MulOp (Keratin_MulOp $x, $c), $d), (Keratin_MulOp $x, (Product $c, $d)),
    [(Mergeable $c, $d)]>;

// Integers: what floats may not, because of NaN and -0.
// x - x = 0
def : Pat<(Keratin_SubOp $x, $y), (Zero $x), [(Same $x, $y), (IsInteger $x)]>;
// x * 0 = 0
def : Pat<(Keratin_MulOp $x, $c), (Zero $x), [(Splat<"0.0"> $c), (IsInteger $x)]>;

// Logic.
// not not x = x
def : Pat<(Keratin_NotOp (Keratin_NotOp $x)), (replaceWithValue $x)>;
// (not c) ? a : b = c ? b : a
def : Pat<(Keratin_SelectOp (Keratin_NotOp $c), $a, $b), (Keratin_SelectOp $c, $b, $a)>;
// c ? (c ? a : _) : b = c ? a : b
def : Pat<(Keratin_SelectOp $c, (Keratin_SelectOp $d, $a, $_), $b), (Keratin_SelectOp $c, $a, $b),
    [(Same $c, $d)]>;
// c ? a : (c ? _ : b) = c ? a : b
def : Pat<(Keratin_SelectOp $c, $a, (Keratin_SelectOp $d, $_, $b)), (Keratin_SelectOp $c, $a, $b),
    [(Same $c, $d)]>;
// c ? true : false = c
def : Pat<(Keratin_SelectOp $c, $t, $f), (replaceWithValue $c),
    [(IsBool $t), (Splat<"1.0"> $t), (Splat<"0.0"> $f)]>;
// c ? false : true = not c
def : Pat<(Keratin_SelectOp $c, $f, $t), (Keratin_NotOp $c),
    [(IsBool $t), (Splat<"1.0"> $t), (Splat<"0.0"> $f)]>;
// x and true = x
def : Pat<(Keratin_AndOp $x, $c), (replaceWithValue $x), [(IsBool $c), (Splat<"1.0"> $c)]>;
// x and 0 = 0
def : Pat<(Keratin_AndOp $x, $c), (replaceWithValue $c), [(Splat<"0.0"> $c)]>;
// x or 0 = x
def : Pat<(Keratin_OrOp $x, $c), (replaceWithValue $x), [(Splat<"0.0"> $c)]>;
// x or true = true
def : Pat<(Keratin_OrOp $x, $c), (replaceWithValue $c), [(IsBool $c), (Splat<"1.0"> $c)]>;
// x xor x = 0
def : Pat<(Keratin_XorOp $x, $y), (Zero $x), [(Same $x, $y)]>;

#endif // KERATIN_ALGEBRA_RULES
