#include "frontend/values/DTypeRules.h"

#include <algorithm>

using namespace keratin;

static bool isUnsigned(DType dtype) { return dtype >= DType::UInt8 && dtype <= DType::UInt64; }

static DType signedOfSize(size_t bytes) {
  return bytes <= 1   ? DType::Int8
         : bytes == 2 ? DType::Int16
         : bytes == 4 ? DType::Int32
                      : DType::Int64;
}

DType frontend::partOf(DType complex) {
  return complex == DType::Complex64 ? DType::Float32 : DType::Float64;
}

DType frontend::complexOf(DType part) {
  return part == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

DType frontend::promote(DType a, DType b) {
  if (a == b)
    return a;
  if (a == DType::Bool || b == DType::Bool)
    return a == DType::Bool ? b : a;
  if (isComplex(a) || isComplex(b)) {
    auto isWide = [](DType dtype) { return dtype == DType::Float64 || dtype == DType::Complex128; };
    return isWide(a) || isWide(b) ? DType::Complex128 : DType::Complex64;
  }
  if (isFloating(a) != isFloating(b))
    return isFloating(a) ? a : b;
  size_t sizeA = dtypeSize(a), sizeB = dtypeSize(b);
  if (isFloating(a)) // float16 with bfloat16: neither holds the other
    return sizeA == sizeB ? DType::Float32 : sizeA > sizeB ? a : b;
  if (isUnsigned(a) == isUnsigned(b))
    return sizeA > sizeB ? a : b;
  size_t sizeOfUnsigned = isUnsigned(a) ? sizeA : sizeB;
  size_t sizeOfSigned = isUnsigned(a) ? sizeB : sizeA;
  // "The wider": an unsigned that is wider than the signed wins as it is.
  if (sizeOfUnsigned > sizeOfSigned)
    return isUnsigned(a) ? a : b;
  return sizeOfUnsigned == sizeOfSigned ? signedOfSize(sizeOfSigned * 2)
                                        : signedOfSize(sizeOfSigned);
}
