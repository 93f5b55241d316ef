// Complex numbers, which become pairs of real ones before all else (passes/complex), and the transform
// that makes them.
#ifndef KERATIN_COMPLEX_OPS
#define KERATIN_COMPLEX_OPS

include "ir/dialect/KeratinBase.td"

class Keratin_ComplexNumberOp<string mnemonic, dag operands, dag made>
    : Keratin_Op<mnemonic, [Pure]> {
  let takesComplex = 1;
  let arguments = operands;
  let results = made;
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

def Keratin_ComplexOp : Keratin_ComplexNumberOp<"complex",
    (ins Keratin_PartTensor:$re, Keratin_PartTensor:$im), (outs Keratin_ComplexTensor:$y)> {
  let summary = "complex numbers of their real and imaginary parts";
  let savedSince = 6;
  let description = [{
    Gradients are taken once complex numbers are pairs: of a real loss dL/d(re) + i dL/d(im).

    ```mlir
    %y = keratin.complex %re, %im : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    ```
  }];
}

def Keratin_RealOp : Keratin_ComplexNumberOp<"real",
    (ins Keratin_ComplexTensor:$x), (outs Keratin_PartTensor:$y)> {
  let summary = "the real parts of complex numbers";
  let savedSince = 6;
  let description = "The element type is that of a part.";
}

def Keratin_ImagOp : Keratin_ComplexNumberOp<"imag",
    (ins Keratin_ComplexTensor:$x), (outs Keratin_PartTensor:$y)> {
  let summary = "the imaginary parts of complex numbers";
  let savedSince = 6;
  let description = "The element type is that of a part.";
}

// The same memory with one dimension more or less: arguments and results of functions.
class Keratin_ComplexViewOp<string mnemonic, dag operands, dag made>
    : Keratin_ComplexNumberOp<mnemonic, operands, made> {
  let isSaved = 0;
  let costsNothing = 1;
  let view = "true";
}

def Keratin_AsPartsOp : Keratin_ComplexViewOp<"as_parts",
    (ins Keratin_ComplexTensor:$x), (outs Keratin_PartTensor:$y)> {
  let summary = "complex numbers as pairs in a last dimension of two";
  let description = "y[..., 0] are the real parts, y[..., 1] the imaginary ones.";
}

def Keratin_FromPartsOp : Keratin_ComplexViewOp<"from_parts",
    (ins Keratin_PartTensor:$x), (outs Keratin_ComplexTensor:$y)> {
  let summary = "complex numbers of pairs in a last dimension of two";
  let description = "The reverse of keratin.as_parts.";
}

def Keratin_FftOp : Keratin_Op<"fft", [Pure, AllTypesMatch<["re", "im", "y_re", "y_im"]>]> {
  let summary = "the discrete Fourier transform along the last axis";
  let savedSince = 6;
  let description = [{
    y[k] = the sum of x[j] exp(-2 pi i j k / n) over j, n the size of the last axis; with `inverse`
    exp(2 pi i j k / n): nothing is divided by n. Before kernels are formed it becomes products and
    sums (passes/linalg). Gradient: the transform of dy with the other sign.

    ```mlir
    %re, %im = keratin.fft %a, %b : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Keratin_PartTensor:$re, Keratin_PartTensor:$im, UnitAttr:$inverse);
  let results = (outs Keratin_PartTensor:$y_re, Keratin_PartTensor:$y_im);
  let batching = "dimensions";
  let jvp = "linear";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

#endif // KERATIN_COMPLEX_OPS
