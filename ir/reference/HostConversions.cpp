#include "ir/reference/HostConversions.h"

#include "ir/dialect/TensorShape.h"
#include "ir/reference/ElementMath.h"
#include "runtime/core/Half.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace keratin::runtime;
using llvm::APFloat;
using llvm::APInt;

// Of the numbers that are held: a part of complex ones.
static keratin_dtype_t heldDtype(keratin_dtype_t dtype) {
  return dtype == KERATIN_DTYPE_COMPLEX64    ? KERATIN_DTYPE_FLOAT32
         : dtype == KERATIN_DTYPE_COMPLEX128 ? KERATIN_DTYPE_FLOAT64
                                             : dtype;
}

static const llvm::fltSemantics &semanticsOf(keratin_dtype_t dtype) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return APFloat::IEEEhalf();
  case KERATIN_DTYPE_BFLOAT16:
    return APFloat::BFloat();
  case KERATIN_DTYPE_FLOAT32:
    return APFloat::IEEEsingle();
  default:
    return APFloat::IEEEdouble();
  }
}

// In the format of the dtype, rounded once.
static uint64_t bitsOf(keratin_dtype_t dtype, double value) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return float16FromDouble(value);
  case KERATIN_DTYPE_BFLOAT16:
    return bfloat16FromDouble(value);
  case KERATIN_DTYPE_FLOAT32:
    return std::bit_cast<uint32_t>(float(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

static double fromBits(keratin_dtype_t dtype, uint64_t bits) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return doubleFromFloat16(uint16_t(bits));
  case KERATIN_DTYPE_BFLOAT16:
    return doubleFromBfloat16(uint16_t(bits));
  case KERATIN_DTYPE_FLOAT32:
    return std::bit_cast<float>(uint32_t(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

static double widen(APFloat value) {
  bool lossy;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}

double keratin::ir::roundToFloat(keratin_dtype_t dtype, double value) {
  return fromBits(dtype, bitsOf(dtype, value));
}

int64_t keratin::ir::wrapToInteger(keratin_dtype_t dtype, int64_t value) {
  return dispatchElement(dtype, [&](auto zero) { return int64_t(decltype(zero)(value)); });
}

// Truncates, saturates, NaN is 0.
template <class T> static int64_t saturate(double value) {
  if (std::isnan(value))
    return 0;
  // The limits of 64-bit types round up to the power of two when they become a double, and are
  // exact otherwise: in both cases what is below them fits.
  if (value <= double(std::numeric_limits<T>::min()))
    return int64_t(std::numeric_limits<T>::min());
  if (value >= double(std::numeric_limits<T>::max()))
    return int64_t(std::numeric_limits<T>::max());
  return int64_t(T(value));
}

static bool isFloatDtype(keratin_dtype_t dtype) { return HostTensor{dtype, {}, {}, {}}.isFloat(); }

HostElement keratin::ir::castElement(keratin_dtype_t from, HostElement element,
                                     keratin_dtype_t to) {
  HostElement result;
  if (isFloatDtype(from)) {
    if (isFloatDtype(to))
      result.floating = roundToFloat(to, element.floating);
    else if (to == KERATIN_DTYPE_BOOL)
      result.integer = element.floating != 0;
    else
      result.integer = dispatchElement(
          to, [&](auto zero) { return saturate<decltype(zero)>(element.floating); });
    return result;
  }
  if (!isFloatDtype(to)) {
    result.integer = wrapToInteger(to, element.integer);
    return result;
  }
  // In one rounding: through double there would be two.
  APFloat converted(semanticsOf(to));
  converted.convertFromAPInt(APInt(64, element.integer), from != KERATIN_DTYPE_UINT64,
                             APFloat::rmNearestTiesToEven);
  result.floating = widen(converted);
  return result;
}

std::optional<HostTensor> keratin::ir::makeHostTensor(keratin_dtype_t dtype,
                                                      std::vector<int64_t> dims) {
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
  }
  int64_t count = empty ? 0 : 1;
  for (int64_t dim : dims) {
    if (!empty && dim > kMaxHostElements / count)
      return std::nullopt;
    count *= empty ? 0 : dim;
  }
  HostTensor tensor{dtype, std::move(dims), {}, {}};
  if (tensor.isFloat() || numbersPerElement(dtype) == 2)
    tensor.floats.assign(count * numbersPerElement(dtype), 0.0);
  else
    tensor.ints.assign(count, 0);
  return tensor;
}

template <class T> static T readAs(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

std::optional<HostTensor> keratin::ir::fromBytes(keratin_dtype_t dtype, std::vector<int64_t> dims,
                                                 const void *data) {
  std::optional<HostTensor> tensor = makeHostTensor(dtype, std::move(dims));
  if (!tensor)
    return std::nullopt;
  auto *bytes = static_cast<const char *>(data);
  dtype = heldDtype(dtype);
  int64_t width = dtypeBytes(dtype);
  for (size_t i = 0; i < tensor->floats.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + int64_t(i) * width, width);
    tensor->floats[i] = fromBits(dtype, bits);
  }
  for (size_t i = 0; i < tensor->ints.size(); ++i) {
    const char *element = bytes + int64_t(i) * width;
    if (dtype == KERATIN_DTYPE_BOOL)
      tensor->ints[i] = *element != 0;
    else
      tensor->ints[i] = dispatchElement(
          dtype, [&](auto zero) { return int64_t(readAs<decltype(zero)>(element)); });
  }
  return tensor;
}

std::vector<char> keratin::ir::toBytes(const HostTensor &tensor) {
  const keratin_dtype_t dtype = heldDtype(tensor.dtype);
  int64_t width = dtypeBytes(dtype);
  std::vector<char> bytes((tensor.floats.size() + tensor.ints.size()) * width);
  char *next = bytes.data();
  // Little endian, as every machine that we compile for. One of the two has elements.
  auto add = [&](uint64_t bits) {
    std::memcpy(next, &bits, width);
    next += width;
  };
  for (double value : tensor.floats)
    add(bitsOf(dtype, value));
  for (int64_t value : tensor.ints)
    add(uint64_t(value));
  return bytes;
}

std::optional<HostTensor> keratin::ir::fromElements(mlir::ElementsAttr elements) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(elements.getShapedType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  keratin_dtype_t dtype = dtypeOf(type.getElementType());
  if (dtype == KERATIN_DTYPE_INVALID)
    return std::nullopt;
  std::vector<int64_t> dims(type.getShape().begin(), type.getShape().end());

  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    std::optional<HostTensor> shape = makeHostTensor(dtype, dims);
    if (!blob || !shape ||
        int64_t(blob->getData().size()) !=
            int64_t(shape->floats.size() + shape->ints.size()) * dtypeBytes(heldDtype(dtype)))
      return std::nullopt;
    return fromBytes(dtype, dims, blob->getData().data());
  }
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements);
  std::optional<HostTensor> tensor = makeHostTensor(dtype, std::move(dims));
  if (!dense || !tensor)
    return std::nullopt;
  int64_t i = 0;
  if (numbersPerElement(dtype) == 2)
    for (const std::complex<APFloat> &value : dense.getValues<std::complex<APFloat>>()) {
      tensor->floats[i++] = widen(value.real());
      tensor->floats[i++] = widen(value.imag());
    }
  else if (tensor->isFloat())
    for (const APFloat &value : dense.getValues<APFloat>())
      tensor->floats[i++] = widen(value);
  else
    for (const APInt &value : dense.getValues<APInt>())
      tensor->ints[i++] = wrapToInteger(dtype, value.getZExtValue());
  return tensor;
}

mlir::DenseElementsAttr keratin::ir::toElements(const HostTensor &tensor,
                                                mlir::RankedTensorType type) {
  std::vector<char> bytes = toBytes(tensor);
  if (tensor.dtype == KERATIN_DTYPE_BOOL) {
    // Attributes pack bools into bits.
    llvm::SmallVector<bool> bools(bytes.begin(), bytes.end());
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(bools));
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, bytes);
}
