// Discrete Fourier transforms in double.
#ifndef KERATIN_IR_REFERENCE_FOURIERTRANSFORM_H
#define KERATIN_IR_REFERENCE_FOURIERTRANSFORM_H

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::ir {

// Whose factors are stages of a transform; a length with a larger prime factor is a convolution.
constexpr int64_t kLargestFourierFactor = 61;

// What is needed of a known length that is too large: of any, or of one that is a convolution, of
// which the compiler makes constants of several times as many elements.
std::optional<std::string> neededOfFourierLength(int64_t length);

// exp(2 pi i k / n), right to the last place or nearly: the sine and cosine of an eighth of a turn
// at most. Precondition: 0 < n <= 2^60.
std::complex<double> rootOfUnity(int64_t k, int64_t n);

// y[k] = the sum of x[j] exp(-2 pi i j k / n), with `inverse` exp(2 pi i j k / n). The time goes
// with n times the sum of its prime factors.
std::vector<std::complex<double>> fourierTransform(const std::vector<std::complex<double>> &x,
                                                   bool inverse);

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_FOURIERTRANSFORM_H
