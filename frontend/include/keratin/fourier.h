// K functions: discrete Fourier transforms, as numpy.fft has them. Results are complex64, or
// complex128 for float64 and complex128.
#ifndef KERATIN_FOURIER_H
#define KERATIN_FOURIER_H

#include "keratin/arguments.h"

#include <string>

namespace keratin::backend {

// Along one axis, of its first n elements, or of all and zeros behind them. norm says what is
// divided by n: "backward" ifft, "forward" fft, "ortho" both by its root.
Tensor fft(const Operand &x, const Size &n = None, Axis axis = -1,
           const std::string &norm = "backward",
           SourceLocation location = SourceLocation::current());
Tensor ifft(const Operand &x, const Size &n = None, Axis axis = -1,
            const std::string &norm = "backward",
            SourceLocation location = SourceLocation::current());
// Of real numbers: the first n / 2 + 1 elements, of which the others are the conjugates.
Tensor rfft(const Operand &x, const Size &n = None, Axis axis = -1,
            const std::string &norm = "backward",
            SourceLocation location = SourceLocation::current());
// The reverse: n real numbers, by default 2 (m - 1) of m.
Tensor irfft(const Operand &x, const Size &n = None, Axis axis = -1,
             const std::string &norm = "backward",
             SourceLocation location = SourceLocation::current());

// The same along several axes, by default the last two, or as many as s has sizes, or all. Of real
// numbers the last of the axes is halved.
Tensor fft2(const Operand &x, const Shape &s = None, const Axes &axes = {-2, -1},
            const std::string &norm = "backward",
            SourceLocation location = SourceLocation::current());
Tensor ifft2(const Operand &x, const Shape &s = None, const Axes &axes = {-2, -1},
             const std::string &norm = "backward",
             SourceLocation location = SourceLocation::current());
Tensor rfft2(const Operand &x, const Shape &s = None, const Axes &axes = {-2, -1},
             const std::string &norm = "backward",
             SourceLocation location = SourceLocation::current());
Tensor irfft2(const Operand &x, const Shape &s = None, const Axes &axes = {-2, -1},
              const std::string &norm = "backward",
              SourceLocation location = SourceLocation::current());
Tensor fftn(const Operand &x, const Shape &s = None, const Axes &axes = None,
            const std::string &norm = "backward",
            SourceLocation location = SourceLocation::current());
Tensor ifftn(const Operand &x, const Shape &s = None, const Axes &axes = None,
             const std::string &norm = "backward",
             SourceLocation location = SourceLocation::current());
Tensor rfftn(const Operand &x, const Shape &s = None, const Axes &axes = None,
             const std::string &norm = "backward",
             SourceLocation location = SourceLocation::current());
Tensor irfftn(const Operand &x, const Shape &s = None, const Axes &axes = None,
              const std::string &norm = "backward",
              SourceLocation location = SourceLocation::current());

// The frequencies of fft's n results, in cycles per unit of the distance d between samples, and of
// rfft's n / 2 + 1.
Tensor fftfreq(const Size &n, double d = 1.0, SourceLocation location = SourceLocation::current());
Tensor rfftfreq(const Size &n, double d = 1.0, SourceLocation location = SourceLocation::current());
// The frequency 0 to the middle of the axes, and back.
Tensor fftshift(const Operand &x, const Axes &axes = None,
                SourceLocation location = SourceLocation::current());
Tensor ifftshift(const Operand &x, const Axes &axes = None,
                 SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_FOURIER_H
