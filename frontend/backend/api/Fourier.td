// Discrete Fourier transforms.
class Keratin_FourierFunction<string name, string signature>
    : Keratin_Mathematics<name, name # signature> {
  let takesComplex = 1;
}

class Keratin_FourierTransform<string name, string what, string extent, string result,
                               string refused = "">
    : Keratin_FourierFunction<name, "(x, n=None, axis=-1, norm='backward')"> {
  let hasAddress = 0;
  let documentation = what # [{, as numpy.fft.}] # name # [{.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        n: how many elements are transformed: elements behind them are cut off, and zeros
            stand for those that are missing. None: }] # extent # [{.
        axis: along which.
        norm: what the sums are divided by: 'backward' divides inverse transforms by n, 'forward'
            the others, 'ortho' all by sqrt(n).

    Returns:
        }] # result # [{.

    Raises:
        ValueError: for an unknown norm, and for less than one element.}] # refused # [{
  }];
}
class Keratin_FourierTransformOfAxes<string name, string what, string axes, string standsFor,
                                     string result, string refused>
    : Keratin_FourierFunction<name, "(x, s=None, axes=" # axes # ", norm='backward')"> {
  let hasAddress = 0;
  let documentation = what # [{, as numpy.fft.}] # name # [{.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        s: how many elements are transformed along each of the axes: elements behind them are cut
            off, and zeros stand for those that are missing. None, also for one axis: as many as
            there are.
        axes: along which.}] # standsFor # [{
        norm: what the sums are divided by: 'backward' divides inverse transforms by the number of
            elements, 'forward' the others, 'ortho' all by its square root.

    Returns:
        }] # result # [{.

    Raises:
        ValueError: for an unknown norm, for an axis that is there twice, for another number of
            sizes than axes, and for less than one element.}] # refused # [{
  }];
}

defvar complexResult = "A complex64 tensor; complex128 for float64 and complex128";
defvar realResult = "A float32 tensor; float64 for float64 and complex128";
defvar isReal = "\n        TypeError: for complex numbers.";

def Api_fft : Keratin_FourierTransform<"fft", "The discrete Fourier transform along an axis",
    "as many as there are", complexResult>;
def Api_ifft : Keratin_FourierTransform<"ifft", "The inverse of fft()",
    "as many as there are", complexResult>;
def Api_rfft : Keratin_FourierTransform<"rfft",
    "The first n // 2 + 1 elements of fft() of real numbers, of which the others are conjugates",
    "as many as there are", complexResult, isReal>;
def Api_irfft : Keratin_FourierTransform<"irfft", "The inverse of rfft()",
    "2 * (m - 1), m being as many as there are", realResult>;

class Keratin_FourierTransformOfTwoAxes<string name, string what, string result, string refused = "">
    : Keratin_FourierTransformOfAxes<name, what, "(-2, -1)", "", result, refused>;
def Api_fft2 : Keratin_FourierTransformOfTwoAxes<"fft2",
    "The discrete Fourier transform along two axes", complexResult>;
def Api_ifft2 : Keratin_FourierTransformOfTwoAxes<"ifft2", "The inverse of fft2()", complexResult>;
def Api_rfft2 : Keratin_FourierTransformOfTwoAxes<"rfft2",
    "fft2() of real numbers, along the last of the axes the elements that rfft() gives",
    complexResult, isReal>;
def Api_irfft2 : Keratin_FourierTransformOfTwoAxes<"irfft2", "The inverse of rfft2()", realResult>;

class Keratin_FourierTransformOfAllAxes<string name, string what, string result, string refused = "">
    : Keratin_FourierTransformOfAxes<name, what, "None", " None: the last ones, as many as s has sizes, or all.", result, refused>;
def Api_fftn : Keratin_FourierTransformOfAllAxes<"fftn",
    "The discrete Fourier transform along several axes", complexResult>;
def Api_ifftn : Keratin_FourierTransformOfAllAxes<"ifftn", "The inverse of fftn()", complexResult>;
def Api_rfftn : Keratin_FourierTransformOfAllAxes<"rfftn",
    "fftn() of real numbers, along the last of the axes the elements that rfft() gives",
    complexResult, isReal>;
def Api_irfftn : Keratin_FourierTransformOfAllAxes<"irfftn", "The inverse of rfftn()", realResult>;

class Keratin_Frequencies<string name, string of, string result>
    : Keratin_FourierFunction<name, "(n, d=1.0)"> {
  let documentation = "The frequencies of the results of " # of # [{, as numpy.fft.}] # name # [{.

    Args:
        n: how many elements are transformed.
        d: the distance between two of them.

    Returns:
        A vector of floatx: cycles per unit of d, }] # result # [{.

    Raises:
        ValueError: for n below 1 and for a distance of 0.
  }];
}
def Api_fftfreq : Keratin_Frequencies<"fftfreq", "fft()", "the negative ones behind the others">;
def Api_rfftfreq : Keratin_Frequencies<"rfftfreq", "rfft()", "from 0 to the largest">;

class Keratin_FrequencyShift<string name, string what>
    : Keratin_FourierFunction<name, "(x, axes=None)"> {
  let documentation = what # [{, as numpy.fft.}] # name # [{.

    Args:
        x: a tensor or what becomes one.
        axes: an axis or a list of axes; None: all.

    Returns:
        A tensor of x's shape and dtype.
  }];
}
def Api_fftshift : Keratin_FrequencyShift<"fftshift",
    "Frequencies in ascending order: 0 comes to the middle of each of the axes">;
def Api_ifftshift : Keratin_FrequencyShift<"ifftshift", "The inverse of fftshift()">;
