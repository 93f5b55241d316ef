// Complex numbers.
class Keratin_ComplexFunction<string name, string signature> : Keratin_Extension<name, signature> {
  let takesComplex = 1;
}

def Api_complex : Keratin_ComplexFunction<"complex", "complex(re, im)"> {
  let documentation = [{
    Complex numbers of their real and imaginary parts.

    Args:
        re, im: tensors or what becomes tensors, which are broadcast; what is not float64 becomes
            float32.

    Returns:
        A tensor: complex128 if one of them is float64, else complex64.

    Raises:
        TypeError: if one of them is complex.
  }];
}
def Api_real : Keratin_ComplexFunction<"real", "real(x)"> {
  let documentation = [{
    The real parts, element by element.

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of float32 for complex64 and of float64 for complex128; any other x as it is.
  }];
}
def Api_imag : Keratin_ComplexFunction<"imag", "imag(x)"> {
  let documentation = [{
    The imaginary parts, element by element.

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of float32 for complex64 and of float64 for complex128; zeros of x's dtype for any
        other.
  }];
}
def Api_conj : Keratin_ComplexFunction<"conj", "conj(x)"> {
  let documentation = [{
    The numbers with the other sign of their imaginary parts, element by element.

    Args:
        x: a tensor or what becomes one.

    Returns:
        A tensor of x's shape and dtype; a real x as it is.
  }];
}
def Api_angle : Keratin_ComplexFunction<"angle", "angle(x)"> {
  let documentation = [{
    The angles in radians, from -pi to pi, element by element; of real numbers 0 or pi.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of the parts' dtype. At 0 the gradient is 0.
  }];
}
