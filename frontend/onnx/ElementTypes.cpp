#include "frontend/onnx/ElementTypes.h"

#include "third_party/onnx/onnx.pb.h"

using namespace keratin;
using namespace keratin::frontend::onnx_models;
using onnx::TensorProto;

std::optional<ElementType> keratin::frontend::onnx_models::elementTypeOf(int64_t number) {
  switch (number) {
  case TensorProto::FLOAT:
    return ElementType{DType::Float32};
  case TensorProto::UINT8:
    return ElementType{DType::UInt8};
  case TensorProto::INT8:
    return ElementType{DType::Int8};
  case TensorProto::UINT16:
    return ElementType{DType::UInt16};
  case TensorProto::INT16:
    return ElementType{DType::Int16};
  case TensorProto::INT32:
    return ElementType{DType::Int32};
  case TensorProto::INT64:
    return ElementType{DType::Int64};
  case TensorProto::BOOL:
    return ElementType{DType::Bool};
  case TensorProto::FLOAT16:
    return ElementType{DType::Float16};
  case TensorProto::DOUBLE:
    return ElementType{DType::Float64};
  case TensorProto::UINT32:
    return ElementType{DType::UInt32};
  case TensorProto::UINT64:
    return ElementType{DType::UInt64};
  case TensorProto::BFLOAT16:
    return ElementType{DType::BFloat16};
  case TensorProto::UINT4:
    return ElementType{DType::UInt8, 4};
  case TensorProto::INT4:
    return ElementType{DType::Int8, 4};
  case TensorProto::UINT2:
    return ElementType{DType::UInt8, 2};
  case TensorProto::INT2:
    return ElementType{DType::Int8, 2};
  default:
    return std::nullopt;
  }
}

std::string keratin::frontend::onnx_models::elementTypeName(int64_t number) {
  if (number == int32_t(number) && TensorProto::DataType_IsValid(int32_t(number)))
    return TensorProto::DataType_Name(TensorProto::DataType(number));
  return std::to_string(number);
}

std::string keratin::frontend::onnx_models::elementTypeName(ElementType type) {
  if (!type.isNarrow())
    return dtypeName(type.dtype);
  return (type.dtype == DType::Int8 ? "int" : "uint") + std::to_string(type.bits);
}

std::optional<IntegerRange> keratin::frontend::onnx_models::rangeOf(ElementType type) {
  if (!isInteger(type.dtype) || dtypeSize(type.dtype) > 2)
    return std::nullopt;
  const int bits = type.isNarrow() ? type.bits : int(8 * dtypeSize(type.dtype));
  const bool isSigned = type.dtype == DType::Int8 || type.dtype == DType::Int16;
  const double numbers = double(1 << bits), low = isSigned ? -numbers / 2 : 0;
  return IntegerRange{low, low + numbers - 1};
}

Array keratin::frontend::onnx_models::unpackedIntegers(ElementType type, std::vector<int64_t> dims,
                                                       const char *bytes) {
  Array array = Array::empty(type.dtype, std::move(dims));
  auto *to = static_cast<uint8_t *>(array.rawData());
  const int unused = 8 - type.bits;
  for (int64_t i = 0; i < array.size(); ++i) {
    const int64_t bit = i * type.bits;
    const auto high = uint8_t(uint8_t(bytes[bit / 8]) << (unused - bit % 8));
    to[i] = type.dtype == DType::Int8 ? uint8_t(int8_t(high) >> unused) : uint8_t(high >> unused);
  }
  return array;
}
