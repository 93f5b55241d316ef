#include "keratin/dlpack.h"

#include "frontend/values/DLPackStructs.h"

#include <algorithm>
#include <optional>

using namespace keratin;

static DLDataType typeOf(DType dtype) {
  const auto bits = uint8_t(8 * dtypeSize(dtype));
  switch (dtype) {
  case DType::Bool:
    return {kDLBool, bits, 1};
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
    return {kDLInt, bits, 1};
  case DType::UInt8:
  case DType::UInt16:
  case DType::UInt32:
  case DType::UInt64:
    return {kDLUInt, bits, 1};
  case DType::BFloat16:
    return {kDLBfloat, bits, 1};
  case DType::Complex64:
  case DType::Complex128:
    return {kDLComplex, bits, 1};
  default:
    return {kDLFloat, bits, 1};
  }
}

static std::optional<DType> dtypeFor(DLDataType type) {
  for (DType dtype :
       {DType::Bool, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8,
        DType::UInt16, DType::UInt32, DType::UInt64, DType::Float16, DType::BFloat16,
        DType::Float32, DType::Float64, DType::Complex64, DType::Complex128}) {
    DLDataType own = typeOf(dtype);
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1)
      return dtype;
  }
  return std::nullopt;
}

static std::string deviceName(DLDevice device) {
  if (device.device_type == kDLCPU || device.device_type == kDLCUDAHost)
    return "cpu";
  if (device.device_type != kDLCUDA)
    throw ValueError("fromDLPack: device type " + std::to_string(device.device_type) +
                     "; needed 1 (CPU), 2 (CUDA) or 3 (CUDA's host memory)");
  return device.device_id ? "cuda:" + std::to_string(device.device_id) : "cuda";
}

Array keratin::fromDLPack(DLManagedTensor *managed) {
  if (!managed)
    throw ValueError("fromDLPack: the tensor is NULL");
  const DLTensor &tensor = managed->dl_tensor;
  std::optional<DType> dtype = dtypeFor(tensor.dtype);
  if (!dtype)
    throw ValueError(
        "fromDLPack: type code " + std::to_string(tensor.dtype.code) + " of " +
        std::to_string(tensor.dtype.bits) + " bits and " + std::to_string(tensor.dtype.lanes) +
        " lanes; needed a boolean, an integer of 8 to 64 bits, a float of 16 to 64 or a "
        "complex number of 64 or 128, of one lane");
  std::string device = deviceName(tensor.device);
  std::vector<int64_t> dims(tensor.shape, tensor.shape + tensor.ndim), strides;
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  char *data = static_cast<char *>(tensor.data);
  if (data)
    data += tensor.byte_offset;
  // Once the array is made nothing fails any more, and only then is there somebody to delete it.
  auto isTaken = std::make_shared<bool>(false);
  std::shared_ptr<void> owner(static_cast<void *>(managed), [isTaken](void *taken) {
    auto *tensor = static_cast<DLManagedTensor *>(taken);
    if (*isTaken && tensor->deleter)
      tensor->deleter(tensor);
  });
  Array array = Array::deviceView(device, data, *dtype, std::move(dims), std::move(strides), owner);
  *isTaken = true;
  return array;
}

namespace {

// A tensor and what it shows.
struct OwnTensor {
  explicit OwnTensor(Array given)
      : array(std::move(given)), dims(array.shape()), strides(array.strides()) {}

  Array array;
  std::vector<int64_t> dims, strides;
  DLManagedTensor managed = {};
};

} // namespace

static DLDevice deviceOf(const Array &array) {
  const std::string name = array.device();
  if (name == "cpu")
    return {kDLCPU, 0};
  if (name.substr(0, 4) != "cuda")
    throw ValueError("toDLPack: the elements lie on device '" + name +
                     "'; needed 'cpu' or a CUDA device");
  return {kDLCUDA, name.size() > 5 ? std::stoi(name.substr(5)) : 0};
}

DLManagedTensor *keratin::toDLPack(Array array) {
  if (array.isNone())
    throw ValueError("toDLPack: the Array is None");
  if (array.isReadOnly())
    array = Array(static_cast<const Array &>(array));
  DLDevice device = deviceOf(array);
  auto own = std::make_unique<OwnTensor>(std::move(array));
  own->managed.dl_tensor = {const_cast<void *>(own->array.origin()),
                            device,
                            int32_t(own->dims.size()),
                            typeOf(own->array.dtype()),
                            own->dims.data(),
                            own->strides.data(),
                            0};
  own->managed.manager_ctx = own.get();
  own->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<OwnTensor *>(self->manager_ctx);
  };
  return &own.release()->managed;
}
