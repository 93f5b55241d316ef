// Arrays to and from other libraries (keratin/dlpack.h).
#include "keratin/dlpack.h"

#include "frontend/values/DLPackStructs.h"
#include "tests/frontend/FrontendTest.h"

using namespace keratin;

namespace {

// Another library's tensor, which counts how often it is deleted.
struct Theirs {
  explicit Theirs(std::vector<float> given) : values(std::move(given)) {
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      ++static_cast<Theirs *>(self->manager_ctx)->deleted;
    };
  }

  std::vector<float> values;
  int64_t shape[2] = {2, 2}, strides[2] = {1, 2};
  DLManagedTensor managed = {};
  int deleted = 0;
};

} // namespace

TEST_CASE("a tensor of another library is read where it lies, and let go once", "[dlpack]") {
  Theirs theirs({9, 1, 2, 3, 4});
  theirs.managed.dl_tensor.byte_offset = 4;
  {
    Array array = fromDLPack(&theirs.managed);
    CHECK(array.origin() == theirs.values.data() + 1);
    CHECK(array.device() == "cpu");
    checkArray(array, Array{{1.0, 2.0}, {3.0, 4.0}});
    Array moved = std::move(array);
    CHECK(theirs.deleted == 0);
    theirs.values[1] = 7;
    CHECK(moved.item<float>(0) == 7);
  }
  CHECK(theirs.deleted == 1);
  theirs.managed.dl_tensor.strides = theirs.strides;
  {
    Array columns = fromDLPack(&theirs.managed);
    CHECK(!columns.isRowMajor());
    checkArray(columns, Array{{7.0, 3.0}, {2.0, 4.0}});
    Tensor x = K::placeholder({2, 2});
    checkArray(K::function({x}, {x * 2.0})({columns})[0], Array{{14.0, 6.0}, {4.0, 8.0}});
  }
  CHECK(theirs.deleted == 2);
}

TEST_CASE("a tensor that no array can be stays its owner's", "[dlpack]") {
  Theirs theirs({1, 2, 3, 4});
  auto refusal = [&] { return errorOf<ValueError>([&] { fromDLPack(&theirs.managed); }); };
  theirs.managed.dl_tensor.dtype.lanes = 2;
  CHECK(refusal() == "fromDLPack: type code 2 of 32 bits and 2 lanes; needed a boolean, an integer "
                     "of 8 to 64 bits, a float of 16 to 64 or a complex number of 64 or 128, of "
                     "one lane");
  theirs.managed.dl_tensor.dtype = {5, 32, 1}; // complex, of two halves
  CHECK(refusal().find("fromDLPack: type code 5 of 32 bits") == 0);
  theirs.managed.dl_tensor.dtype = {kDLFloat, 32, 1};
  theirs.managed.dl_tensor.device.device_type = 10;
  CHECK(refusal() == "fromDLPack: device type 10; needed 1 (CPU), 2 (CUDA) or 3 (CUDA's host "
                     "memory)");
  theirs.managed.dl_tensor.device.device_type = kDLCPU;
  theirs.managed.dl_tensor.byte_offset = 1;
  CHECK(refusal().find("is not aligned") != std::string::npos);
  CHECK(theirs.deleted == 0);
  CHECK(errorOf<ValueError>([] { fromDLPack(nullptr); }) == "fromDLPack: the tensor is NULL");
}

TEST_CASE("an array as another library's tensor, of every dtype", "[dlpack]") {
  for (DType dtype : {DType::Bool, DType::Int8, DType::Int64, DType::UInt16, DType::Float16,
                      DType::BFloat16, DType::Float64}) {
    INFO(dtypeName(dtype));
    const Array numbers = Array{{1.0, 0.0, 1.0}}.astype(dtype);
    DLManagedTensor *tensor = toDLPack(numbers);
    CHECK(tensor->dl_tensor.device.device_type == kDLCPU);
    CHECK(tensor->dl_tensor.dtype.bits == 8 * dtypeSize(dtype));
    CHECK(tensor->dl_tensor.ndim == 2);
    CHECK(tensor->dl_tensor.shape[1] == 3);
    CHECK(tensor->dl_tensor.strides[0] == 3);
    Array again = fromDLPack(tensor);
    CHECK(again.dtype() == dtype);
    checkArray(again, numbers);
  }
  const Array scalar = 3.5;
  Array again = fromDLPack(toDLPack(scalar));
  CHECK(again.item() == 3.5);
  // What is only read is copied: the other library might write it.
  const float constant[] = {1, 2};
  DLManagedTensor *tensor = toDLPack(Array::constView(constant, DType::Float32, {2}));
  CHECK(tensor->dl_tensor.data != constant);
  tensor->deleter(tensor);
  CHECK(errorOf<ValueError>([] { toDLPack(Array()); }) == "toDLPack: the Array is None");
}
