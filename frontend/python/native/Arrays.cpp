#include "frontend/python/native/Arrays.h"

#include "frontend/python/native/DeviceArrays.h"
#include "frontend/python/native/Errors.h"
#include "keratin/dlpack.h"

#include <cstring>
#include <string>
#include <vector>

using namespace keratin;
using namespace keratin::python;

namespace {

// What an array returned to Python keeps its elements in: NumPy's array is a view of its buffer.
struct Memory {
  Array array;
};

// As the struct module writes a dtype in the machine's byte order.
const char *formatOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "?";
  case DType::Int8:
    return "b";
  case DType::Int16:
    return "h";
  case DType::Int32:
    return "i";
  case DType::Int64:
    return "q";
  case DType::UInt8:
    return "B";
  case DType::UInt16:
    return "H";
  case DType::UInt32:
    return "I";
  case DType::UInt64:
    return "Q";
  case DType::Float16:
    return "e";
  case DType::BFloat16:
    return "H"; // its bits
  case DType::Float32:
    return "f";
  case DType::Float64:
    return "d";
  case DType::Complex64:
    return "Zf";
  case DType::Complex128:
    return "Zd";
  }
  return nullptr;
}

std::optional<DType> integerOf(bool isSigned, Py_ssize_t bytes) {
  switch (bytes) {
  case 1:
    return isSigned ? DType::Int8 : DType::UInt8;
  case 2:
    return isSigned ? DType::Int16 : DType::UInt16;
  case 4:
    return isSigned ? DType::Int32 : DType::UInt32;
  case 8:
    return isSigned ? DType::Int64 : DType::UInt64;
  default:
    return std::nullopt;
  }
}

// None for what no dtype is, and for the other byte order.
std::optional<DType> dtypeOfFormat(const char *format, Py_ssize_t bytes) {
  if (!format)
    return DType::UInt8;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (std::strcmp(format, "Zf") == 0)
    return DType::Complex64;
  if (std::strcmp(format, "Zd") == 0)
    return DType::Complex128;
  if (format[0] == '\0' || format[1] != '\0')
    return std::nullopt;
  if (std::strchr("bhilqn", format[0]))
    return integerOf(true, bytes);
  if (std::strchr("BHILQN", format[0]))
    return integerOf(false, bytes);
  switch (format[0]) {
  case '?':
    return DType::Bool;
  case 'e':
    return DType::Float16;
  case 'f':
    return DType::Float32;
  case 'd':
    return DType::Float64;
  default:
    return std::nullopt;
  }
}

// False for an object without one.
bool getBuffer(nb::handle object, Py_buffer &buffer) {
  if (PyObject_CheckBuffer(object.ptr()) &&
      PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_FULL_RO) == 0)
    return true;
  PyErr_Clear();
  return false;
}

class Buffer {
public:
  explicit Buffer(nb::handle object) : isValid(getBuffer(object, buffer)) {}
  Buffer(const Buffer &) = delete;
  ~Buffer() {
    if (!isValid || !Py_IsInitialized() || _Py_IsFinalizing())
      return;
    AcquiredGil gil;
    PyBuffer_Release(&buffer);
  }

  Py_buffer buffer = {};
  const bool isValid;
};

} // namespace

// None if it is no array that C++ reads.
static std::optional<Array> viewOf(const Py_buffer &buffer, std::shared_ptr<const void> owner) {
  std::optional<DType> dtype = dtypeOfFormat(buffer.format, buffer.itemsize);
  if (!dtype || buffer.suboffsets ||
      reinterpret_cast<uintptr_t>(buffer.buf) % size_t(buffer.itemsize) != 0)
    return std::nullopt;
  std::vector<int64_t> dims(buffer.shape, buffer.shape + buffer.ndim), strides;
  if (!PyBuffer_IsContiguous(&buffer, 'C'))
    for (int axis = 0; axis < buffer.ndim; ++axis) {
      if (buffer.strides[axis] % buffer.itemsize != 0)
        return std::nullopt;
      strides.push_back(buffer.strides[axis] / buffer.itemsize);
    }
  // Whatever it says of elements that there are none of.
  static const int64_t nothing = 0;
  const void *data = buffer.len == 0 ? &nothing : buffer.buf;
  return Array::constView(data, *dtype, std::move(dims), std::move(strides), std::move(owner));
}

std::optional<Array> keratin::python::viewOf(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return std::nullopt;
  auto owner = std::make_shared<Buffer>(object);
  if (!owner->isValid)
    return std::nullopt;
  const Py_buffer &buffer = owner->buffer;
  return viewOf(buffer, std::move(owner));
}

std::optional<Array> Buffers::viewOf(nb::handle object) {
  // In its place, for it may point into itself.
  Py_buffer &buffer = held.emplace_back();
  if (getBuffer(object, buffer))
    return ::viewOf(buffer, nullptr);
  held.pop_back();
  return std::nullopt;
}

Buffers::~Buffers() {
  for (Py_buffer &buffer : held)
    PyBuffer_Release(&buffer);
}

static bool isNamed(nb::handle dtype, const char *name) {
  nb::object its = nb::getattr(dtype, "name", nb::none());
  return PyUnicode_Check(its.ptr()) && PyUnicode_CompareWithASCIIString(its.ptr(), name) == 0;
}

// An array of NumPy's that is no view as it is: of other byte order, not aligned, of bfloat16.
static std::optional<Array> convertedArray(nb::handle array) {
  nb::object dtype = array.attr("dtype");
  if (isNamed(dtype, "bfloat16")) {
    std::optional<Array> bits = viewOf(array.attr("view")(numpy("uint16")));
    if (!bits)
      return std::nullopt;
    Array result = Array::empty(DType::BFloat16, bits->shape());
    std::memcpy(result.rawData(), Array(*bits).origin(), result.bytes());
    return result;
  }
  nb::object native =
      numpy("array")(array, dtype.attr("newbyteorder")("="), nb::arg("order") = "C");
  return viewOf(native);
}

// Of an object that speaks DLPack.
static bool isOnCuda(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__"))
    return false;
  nb::object device = object.attr("__dlpack_device__")();
  constexpr int cuda = 2; // kDLCUDA
  return nb::cast<int>(nb::int_(device[0])) == cuda;
}

// What has been put into the default stream (1, in the protocol's words) before the tensor was
// taken.
static void await(const Array &array, const std::string &what) {
  std::string message;
  {
    ReleasedGil release;
    message = awaitOthers(array);
  }
  if (!message.empty())
    throw RuntimeError(what + ": " + message);
}

Array keratin::python::arrayOf(nb::handle object, const std::string &what) {
  if (object.is_none())
    return None;
  PyObject *pointer = object.ptr();
  if (PyBool_Check(pointer))
    return Array(pointer == Py_True);
  if (PyLong_Check(pointer)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(pointer, &overflow);
    if (overflow)
      valueError(what + " is " + described(object) + ", which no int64 holds");
    return Array(int64_t(value));
  }
  if (PyFloat_CheckExact(pointer))
    return Array(PyFloat_AS_DOUBLE(pointer));
  if (nb::isinstance<Memory>(object))
    return nb::cast<Memory &>(object).array;
  if (std::optional<Array> view = viewOf(object))
    return std::move(*view);
  if (std::optional<Array> view = viewOnDevice(object))
    return std::move(*view);
  nb::object array;
  if (nb::hasattr(object, "__dlpack__") && !nb::isinstance(object, numpy("ndarray"))) {
    const bool isOnDevice = isOnCuda(object);
    nb::object capsule =
        isOnDevice ? object.attr("__dlpack__")(nb::arg("stream") = 1) : object.attr("__dlpack__")();
    if (auto *tensor =
            static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))) {
      Array result = fromDLPack(tensor);
      PyCapsule_SetName(capsule.ptr(), "used_dltensor");
      if (isOnDevice)
        await(result, what);
      return result;
    }
    PyErr_Clear();
  }
  try {
    array = numpy("asarray")(object);
  } catch (nb::python_error &) {
    // Lists whose rows differ in length, above all.
    valueError(what + " is " + described(object) +
               "; needed an array or numbers in nested lists of equal length");
  }
  if (std::optional<Array> view = viewOf(array))
    return std::move(*view);
  if (std::optional<Array> converted = convertedArray(array))
    return std::move(*converted);
  typeError(what + " is " + described(object) + ", an array of " + textOf(array.attr("dtype")) +
            "; needed numbers or bools");
}

nb::object keratin::python::toPython(Array array) {
  if (array.isNone())
    return nb::none();
  if (array.place())
    return deviceArrayOf(std::move(array));
  const bool isBfloat16 = array.dtype() == DType::BFloat16;
  nb::object bfloat16;
  if (isBfloat16) {
    bfloat16 = nb::steal(PyImport_ImportModule("ml_dtypes"));
    if (!bfloat16.is_valid()) {
      PyErr_Clear();
      typeError("NumPy has no bfloat16: a value of that dtype needs the package ml_dtypes, or "
                "K.cast to float32");
    }
  }
  nb::object memory = nb::cast(Memory{std::move(array)});
  static PyObject *asarray = numpy("asarray").ptr();
  nb::object result = nb::steal(PyObject_CallOneArg(asarray, memory.ptr()));
  if (!result.is_valid())
    nb::raise_python_error();
  if (isBfloat16)
    result = result.attr("view")(bfloat16.attr("bfloat16"));
  return result;
}

nb::object keratin::python::toPython(std::vector<Array> arrays) {
  nb::object list = nb::steal(PyList_New(Py_ssize_t(arrays.size())));
  for (size_t i = 0; i < arrays.size(); ++i)
    PyList_SET_ITEM(list.ptr(), Py_ssize_t(i), toPython(std::move(arrays[i])).release().ptr());
  return list;
}

//===-- The buffer of what is returned --------------------------------------------------------===//

namespace {

struct Layout {
  std::vector<Py_ssize_t> dims, strides;
};

int exportBuffer(PyObject *self, Py_buffer *view, int flags) {
  try {
    Array &array = nb::cast<Memory &>(nb::handle(self)).array;
    auto layout = std::make_unique<Layout>();
    layout->dims.assign(array.shape().begin(), array.shape().end());
    const Py_ssize_t bytes = Py_ssize_t(dtypeSize(array.dtype()));
    for (int64_t stride : array.strides())
      layout->strides.push_back(stride * bytes);
    *view = {};
    view->obj = Py_NewRef(self);
    view->buf = const_cast<void *>(array.origin());
    view->len = Py_ssize_t(array.bytes());
    view->itemsize = bytes;
    view->ndim = int(array.ndim());
    view->readonly = array.isReadOnly();
    view->format = flags & PyBUF_FORMAT ? const_cast<char *>(formatOf(array.dtype())) : nullptr;
    view->shape = layout->dims.data();
    view->strides = layout->strides.data();
    view->internal = layout.release();
    return 0;
  } catch (...) {
    setError();
    view->obj = nullptr;
    return -1;
  }
}

void releaseBuffer(PyObject *, Py_buffer *view) { delete static_cast<Layout *>(view->internal); }

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void *>(exportBuffer)},
                       {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
                       {0, nullptr}};

} // namespace

void keratin::python::registerArrays(nb::module_ &module) {
  nb::class_<Memory>(module, "Memory", nb::type_slots(slots),
                     "The memory of an array that a function has returned.");
}
