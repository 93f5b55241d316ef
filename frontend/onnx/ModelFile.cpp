#include "frontend/onnx/ModelFile.h"

#include "frontend/graph/Printable.h"
#include "frontend/graph/SourcePlace.h"
#include "keratin/error.h"
#include "runtime/files/FileBytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>
#include <filesystem>

using namespace keratin;
using namespace keratin::frontend::onnx_models;

namespace fs = std::filesystem;

// A file of zeros is read fast, and takes much memory; messages in messages take stack.
static constexpr int kDeepestMessage = 64;

static std::string nameOf(const std::string &domain, const std::string &name,
                          const std::string &overload) {
  return domain + ":" + name + ":" + overload;
}

namespace {

// What a file has, piece by piece.
class Pieces : public google::protobuf::io::CopyingInputStream {
public:
  Pieces(runtime::FileReader &file, ImportSteps &steps) : file(file), steps(steps) {}
  int Read(void *buffer, int size) override {
    const ptrdiff_t count = file.read(buffer, size_t(size));
    return count > 0 && !steps.read(uint64_t(count)) ? -1 : int(count);
  }

private:
  runtime::FileReader &file;
  ImportSteps &steps;
};

} // namespace

ModelFile::ModelFile(const std::string &path, SourceLocation location, ImportSteps &steps)
    : location(location), steps(steps), thePath(path),
      fileName(fs::path(path).filename().string()) {
  constexpr uint64_t most = INT_MAX;
  runtime::FileReader file;
  // A failure stays, and reading tells of it.
  (void)file.open(path.c_str());
  Pieces pieces(file, steps);
  google::protobuf::io::CopyingInputStreamAdaptor buffered(&pieces, 1 << 16);
  google::protobuf::io::CodedInputStream stream(&buffered);
  stream.SetRecursionLimit(kDeepestMessage);
  const bool isParsed =
      file.size() <= most && model.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  if (steps.isEnded())
    throw ImportSteps::Ended();
  if (file.error() || file.refusal())
    throw RuntimeError(withPlace(
        "load_onnx: '" + path + "' cannot be read: " + runtime::failureOf(file), location));
  if (file.size() > most)
    fail("has " + std::to_string(file.size()) +
         " bytes; needed fewer than 2 GiB, and large tensors "
         "in other files");
  if (!isParsed)
    fail("is no model of ONNX, or damaged");
  if (!model.has_graph())
    fail("has no graph");
  theOpsets = opsetsOf(model.opset_import());
  // Before version 3 of the format there were no opsets.
  if (theOpsets.empty() && model.ir_version() < 3)
    theOpsets[""] = 1;
  for (const onnx::FunctionProto &function : model.functions())
    functions[nameOf(function.domain(), function.name(), function.overload())] = &function;
}

ModelFile::Opsets
ModelFile::opsetsOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto &set : imports) {
    int64_t &version = opsets[domainOf(set.domain())];
    version = std::max(version, set.version());
  }
  return opsets;
}

const onnx::FunctionProto *ModelFile::function(const onnx::NodeProto &node) const {
  auto found = functions.find(nameOf(node.domain(), node.op_type(), node.overload()));
  return found == functions.end() ? nullptr : found->second;
}

void ModelFile::fail(const std::string &what) const {
  throw ValueError(withPlace("load_onnx: " + printable("'" + thePath + "' " + what), location));
}

void ModelFile::notImplemented(const std::string &what) const {
  throw NotImplementedError(withPlace(
      "load_onnx: " + printable("'" + thePath + "': not implemented: " + what), location));
}

// The elements of a field of numbers, which may be wider than they are.
template <typename To, typename Field> static void copyElements(const Field &field, void *to) {
  auto *out = static_cast<To *>(to);
  for (const auto &value : field)
    *out++ = static_cast<To>(value);
}

// Elements that stay where they are, as long as the owner holds them.
static Array heldArray(DType dtype, std::vector<int64_t> dims, std::shared_ptr<const char> bytes) {
  const char *data = bytes.get();
  const bool isAligned = reinterpret_cast<uintptr_t>(data) % dtypeSize(dtype) == 0;
  if (isAligned && dtype != DType::Bool)
    return Array::constView(data, dtype, std::move(dims), {}, std::move(bytes));
  Array array = Array::copyOf(dtype, std::move(dims), data);
  // What is not 0 is true.
  if (dtype == DType::Bool)
    for (int64_t i = 0; i < array.size(); ++i)
      static_cast<bool *>(array.rawData())[i] = data[i] != 0;
  return array;
}

Array ModelFile::takeInitializer(int i) {
  onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(i);
  const std::string what = "initializer '" + tensor.name() + "'";
  const Form form = formOf(tensor, what);
  if (!tensor.has_raw_data() || tensor.data_location() == onnx::TensorProto::EXTERNAL ||
      form.type.isNarrow())
    return array(tensor, what);
  checkCount(tensor.raw_data().size(), form.bytes, "bytes", what);
  const std::shared_ptr<const std::string> raw(tensor.release_raw_data());
  return heldArray(form.type.dtype, form.dims, {raw, raw->data()});
}

// What a tensor says of its elements.
ModelFile::Form ModelFile::formOf(const onnx::TensorProto &tensor, const std::string &what) const {
  const std::optional<ElementType> type = elementTypeOf(tensor.data_type());
  if (!type)
    notImplemented(what + " has elements of type " + elementTypeName(tensor.data_type()));
  if (tensor.has_segment())
    notImplemented(what + " is in segments");
  Form form{*type, {tensor.dims().begin(), tensor.dims().end()}, 1, 0};
  for (int64_t dim : form.dims) {
    if (dim < 0)
      fail("has a negative size in " + what);
    if (__builtin_mul_overflow(form.count, uint64_t(dim), &form.count) ||
        form.count > (uint64_t(1) << 40))
      fail("has a tensor of too many elements, " + what);
  }
  form.bytes = type->isNarrow() ? (form.count * uint64_t(type->bits) + 7) / 8
                                : form.count * dtypeSize(type->dtype);
  return form;
}

void ModelFile::checkCount(uint64_t found, uint64_t needed, const char *unit,
                           const std::string &what) const {
  if (found != needed)
    fail("has " + std::to_string(found) + " " + unit + " in " + what + "; its shape needs " +
         std::to_string(needed));
}

// Integers of fewer than 8 bits lie in bytes, the first in the lowest bits.
Array ModelFile::unpacked(const onnx::TensorProto &tensor, const std::string &what,
                          const Form &form) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return unpackedIntegers(form.type, form.dims, external(tensor, what, form.bytes).get());
  if (tensor.has_raw_data()) {
    checkCount(tensor.raw_data().size(), form.bytes, "bytes", what);
    return unpackedIntegers(form.type, form.dims, tensor.raw_data().data());
  }
  checkCount(uint64_t(tensor.int32_data_size()), form.bytes, "elements", what);
  const std::string bytes(tensor.int32_data().begin(), tensor.int32_data().end());
  return unpackedIntegers(form.type, form.dims, bytes.data());
}

Array ModelFile::array(const onnx::TensorProto &tensor, const std::string &what) {
  const Form form = formOf(tensor, what);
  if (form.type.isNarrow())
    return unpacked(tensor, what, form);
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return heldArray(form.type.dtype, form.dims, external(tensor, what, form.bytes));
  if (tensor.has_raw_data()) {
    checkCount(tensor.raw_data().size(), form.bytes, "bytes", what);
    const auto raw = std::make_shared<const std::string>(tensor.raw_data());
    return heldArray(form.type.dtype, form.dims, {raw, raw->data()});
  }
  const DType dtype = form.type.dtype;
  const uint64_t found = dtype == DType::Float32   ? tensor.float_data_size()
                         : dtype == DType::Float64 ? tensor.double_data_size()
                         : dtype == DType::Int64   ? tensor.int64_data_size()
                         : dtype == DType::UInt64 || dtype == DType::UInt32
                             ? tensor.uint64_data_size()
                             : tensor.int32_data_size();
  checkCount(found, form.count, "elements", what);
  Array array = Array::empty(dtype, form.dims);
  void *to = array.rawData();
  switch (dtype) {
  case DType::Float32:
    copyElements<float>(tensor.float_data(), to);
    break;
  case DType::Float64:
    copyElements<double>(tensor.double_data(), to);
    break;
  case DType::Int64:
    copyElements<int64_t>(tensor.int64_data(), to);
    break;
  case DType::UInt64:
    copyElements<uint64_t>(tensor.uint64_data(), to);
    break;
  case DType::UInt32:
    copyElements<uint32_t>(tensor.uint64_data(), to);
    break;
  case DType::Int32:
    copyElements<int32_t>(tensor.int32_data(), to);
    break;
  case DType::Int16:
  case DType::UInt16:
  case DType::Float16: // their bits
  case DType::BFloat16:
    copyElements<uint16_t>(tensor.int32_data(), to);
    break;
  case DType::Int8:
  case DType::UInt8:
    copyElements<uint8_t>(tensor.int32_data(), to);
    break;
  case DType::Bool:
    copyElements<bool>(tensor.int32_data(), to);
    break;
  case DType::Complex64: // no element type of ours in ONNX
  case DType::Complex128:
    break;
  }
  return array;
}

std::shared_ptr<const char> ModelFile::external(const onnx::TensorProto &tensor,
                                                const std::string &what, uint64_t bytes) {
  std::string where;
  uint64_t offset = 0, length = bytes;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    auto number = [&] {
      uint64_t value = 0;
      const std::string &text = entry.value();
      if (text.empty() || text.size() > 18 ||
          text.find_first_not_of("0123456789") != std::string::npos)
        fail("has '" + text + "' for the " + entry.key() + " of " + what + "; needed a number");
      value = std::stoull(text);
      return value;
    };
    if (entry.key() == "location")
      where = entry.value();
    else if (entry.key() == "offset")
      offset = number();
    else if (entry.key() == "length")
      length = number();
  }
  if (length != bytes)
    fail("has " + std::to_string(length) + " bytes in " + what + "; its shape needs " +
         std::to_string(bytes));
  const fs::path relative(where);
  bool isInside = !where.empty() && relative.is_relative() && where.find('\0') == std::string::npos;
  for (const fs::path &part : relative)
    isInside = isInside && part != "..";
  if (!isInside)
    fail("has the elements of " + what + " in '" + where +
         "'; needed a file in the model's folder");
  const fs::path file = fs::path(thePath).parent_path() / relative;
  std::error_code error;
  // A link might lead out of the folder.
  fs::path folder = fs::path(thePath).parent_path();
  for (const fs::path &part : relative) {
    folder /= part;
    if (fs::is_symlink(fs::symlink_status(folder, error)))
      fail("has the elements of " + what + " behind the link '" + folder.string() + "'");
  }
  std::shared_ptr<const MappedFile> &mapped = otherFiles[file.string()];
  if (std::string problem; !mapped && !(mapped = MappedFile::open(file.string(), problem)))
    throw RuntimeError(
        withPlace("load_onnx: " + printable("'" + thePath + "': the elements of " + what +
                                            " cannot be read: '" + file.string() + "': " + problem),
                  location));
  const uint64_t size = mapped->size();
  if (offset > size || length > size - offset)
    fail("needs " + std::to_string(length) + " bytes from " + std::to_string(offset) + " on of '" +
         file.string() + "' for " + what + ", which has " + std::to_string(size));
  return {mapped, mapped->data() + offset};
}
