#include "compiler/arrays/Hdf5.h"

#include "compiler/arrays/Refusal.h"
#include "runtime/core/DType.h"
#include "runtime/files/FileBytes.h"
#include "runtime/files/FileReader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <utility>

using namespace keratin;
using namespace keratin::compiler;

//===-- The library ---------------------------------------------------------------------------===//

namespace {

// As H5public.h and the headers beside it have them, from 1.10 on.
using Id = int64_t;
using Error = int;
using Size = unsigned long long;

enum TypeClass { kInteger = 0, kFloat = 1, kString = 3 };
enum : int { kHardLink = 0, kLittleEndian = 0, kVirtualLayout = 3, kNullSpace = 2 };
enum : int { kDeflate = 1, kShuffle = 2, kFletcher32 = 3 };

#define KERATIN_HDF5_FUNCTIONS(F)                                                                  \
  F(Error, H5open, ())                                                                             \
  F(Error, H5get_libversion, (unsigned *, unsigned *, unsigned *))                                 \
  F(Error, H5Eget_auto2, (Id, void *, void **))                                                    \
  F(Error, H5Eset_auto2, (Id, void *, void *))                                                     \
  F(Id, H5Fopen, (const char *, unsigned, Id))                                                     \
  F(Error, H5Fclose, (Id))                                                                         \
  F(int, H5Lexists, (Id, const char *, Id))                                                        \
  F(Id, H5Oopen, (Id, const char *, Id))                                                           \
  F(Error, H5Oclose, (Id))                                                                         \
  F(int, H5Aexists, (Id, const char *))                                                            \
  F(Id, H5Aopen, (Id, const char *, Id))                                                           \
  F(Id, H5Aget_type, (Id))                                                                         \
  F(Id, H5Aget_space, (Id))                                                                        \
  F(Error, H5Aread, (Id, Id, void *))                                                              \
  F(Error, H5Aclose, (Id))                                                                         \
  F(Id, H5Dopen2, (Id, const char *, Id))                                                          \
  F(Id, H5Dget_type, (Id))                                                                         \
  F(Id, H5Dget_space, (Id))                                                                        \
  F(Id, H5Dget_create_plist, (Id))                                                                 \
  F(Size, H5Dget_storage_size, (Id))                                                               \
  F(Error, H5Dread, (Id, Id, Id, Id, Id, void *))                                                  \
  F(Error, H5Dvlen_reclaim, (Id, Id, Id, void *))                                                  \
  F(Error, H5Dclose, (Id))                                                                         \
  F(int, H5Pget_layout, (Id))                                                                      \
  F(int, H5Pget_external_count, (Id))                                                              \
  F(int, H5Pget_nfilters, (Id))                                                                    \
  F(int, H5Pget_filter2,                                                                           \
    (Id, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *))                  \
  F(Error, H5Pclose, (Id))                                                                         \
  F(int, H5Sget_simple_extent_type, (Id))                                                          \
  F(int, H5Sget_simple_extent_ndims, (Id))                                                         \
  F(int, H5Sget_simple_extent_dims, (Id, Size *, Size *))                                          \
  F(Error, H5Sclose, (Id))                                                                         \
  F(Id, H5Tcopy, (Id))                                                                             \
  F(int, H5Tget_class, (Id))                                                                       \
  F(size_t, H5Tget_size, (Id))                                                                     \
  F(int, H5Tget_sign, (Id))                                                                        \
  F(Error, H5Tget_fields, (Id, size_t *, size_t *, size_t *, size_t *, size_t *))                  \
  F(Error, H5Tset_order, (Id, int))                                                                \
  F(int, H5Tis_variable_str, (Id))                                                                 \
  F(Error, H5Tclose, (Id))

struct Library {
#define KERATIN_HDF5_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
  KERATIN_HDF5_FUNCTIONS(KERATIN_HDF5_MEMBER)
#undef KERATIN_HDF5_MEMBER
  // H5Lget_info, which later versions have under the name H5Lget_info1.
  Error (*linkInfo)(Id, const char *, void *, Id) = nullptr;
  void *handle = nullptr;

  // Of a type that the library keeps in a variable: "H5T_NATIVE_FLOAT_g".
  Id native(const std::string &name) const {
    const auto *id = static_cast<const Id *>(dlsym(handle, ("H5T_NATIVE_" + name + "_g").c_str()));
    return id ? *id : -1;
  }
};

// Of all files, as the library is not always made for threads.
std::mutex theMutex;

} // namespace

template <typename F> static bool find(void *library, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function;
}

static absl::StatusOr<Library> start(void *handle) {
  Library library;
  library.handle = handle;
#define KERATIN_HDF5_FIND(result, name, arguments)                                                 \
  if (!find(handle, #name, library.name))                                                          \
    return absl::FailedPreconditionError("libhdf5 has no function " #name);
  KERATIN_HDF5_FUNCTIONS(KERATIN_HDF5_FIND)
#undef KERATIN_HDF5_FIND
  if (!find(handle, "H5Lget_info", library.linkInfo) &&
      !find(handle, "H5Lget_info1", library.linkInfo))
    return absl::FailedPreconditionError("libhdf5 has no function H5Lget_info");
  unsigned major = 0, minor = 0, release = 0;
  // Before 1.10 an id has 32 bits.
  if (library.H5get_libversion(&major, &minor, &release) < 0 || major != 1 || minor < 10)
    return absl::FailedPreconditionError("libhdf5 has version " + std::to_string(major) + "." +
                                         std::to_string(minor) + "; needed 1.10 or later");
  if (library.H5open() < 0)
    return absl::FailedPreconditionError("libhdf5 does not start");
  return library;
}

// Under theMutex.
static absl::StatusOr<const Library *> findLibrary() {
  static Library found;
  if (found.handle)
    return &found;
  // Debian 12 and 13, their builds without MPI first; what a development package has.
  static constexpr const char *usual[] = {"libhdf5_serial.so.103", "libhdf5.so.103",
                                          "libhdf5_serial.so.310", "libhdf5.so.310",
                                          "libhdf5_serial.so",     "libhdf5.so"};
  const char *named = std::getenv("KERATIN_HDF5");
  void *handle = nullptr;
  if (named && *named)
    handle = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  else
    for (const char *name : usual)
      if (!handle)
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return absl::FailedPreconditionError(
        "files of HDF5 need libhdf5, which cannot be opened; needed is the package libhdf5-103-1 "
        "of Debian 12, or a library that KERATIN_HDF5 names");
  auto library = start(handle);
  if (!library.ok()) {
    dlclose(handle);
    return library.status();
  }
  found = *library;
  return &found;
}

namespace {

// The library writes no errors to the terminal meanwhile.
class Silence {
public:
  explicit Silence(const Library &library) : library(library) {
    library.H5Eget_auto2(0, &function, &data);
    library.H5Eset_auto2(0, nullptr, nullptr);
  }
  ~Silence() { library.H5Eset_auto2(0, function, data); }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  const Library &library;
  void *function = nullptr, *data = nullptr;
};

// Closes an object of the library's.
class Owned {
public:
  Owned(Id id, Error (*close)(Id)) : id(id), close(close) {}
  ~Owned() { reset(); }
  Owned(Owned &&other) noexcept : id(std::exchange(other.id, -1)), close(other.close) {}
  Owned &operator=(Owned &&other) noexcept {
    reset();
    id = std::exchange(other.id, -1);
    close = other.close;
    return *this;
  }
  explicit operator bool() const { return id >= 0; }
  operator Id() const { return id; }

private:
  void reset() {
    if (id >= 0)
      close(id);
  }
  Id id;
  Error (*close)(Id);
};

} // namespace

//===-- Files ---------------------------------------------------------------------------------===//

struct Hdf5File::Impl {
  const Library &h5;
  Id file;
  uint64_t bytes; // of the file

  ~Impl() {
    const std::lock_guard<std::mutex> lock(theMutex);
    const Silence silence(h5);
    h5.H5Fclose(file);
  }

  absl::StatusOr<bool> isThere(const std::string &object) const;
  absl::StatusOr<Owned> open(const std::string &object) const;
  absl::StatusOr<std::vector<int64_t>> dims(Id space) const;
  absl::StatusOr<std::vector<std::string>> texts(Id attribute) const;
  absl::Status checkStorage(Id dataset, uint64_t bytes) const;
  absl::StatusOr<Owned> elementType(Id type, keratin_dtype_t &dtype) const;
};

Hdf5File::Hdf5File(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Hdf5File::Hdf5File(Hdf5File &&) = default;
Hdf5File &Hdf5File::operator=(Hdf5File &&) = default;
Hdf5File::~Hdf5File() = default;

absl::StatusOr<Hdf5File> Hdf5File::open(const std::string &path) {
  constexpr unsigned readOnly = 0;
  runtime::FileReader reader;
  if (!reader.open(path.c_str()))
    return absl::UnavailableError(runtime::failureOf(reader));
  const std::lock_guard<std::mutex> lock(theMutex);
  auto library = findLibrary();
  if (!library.ok())
    return library.status();
  const Silence silence(**library);
  const Id file = (*library)->H5Fopen(path.c_str(), readOnly, 0);
  if (file < 0)
    return refuse("it is no file of HDF5, or damaged");
  return Hdf5File(std::unique_ptr<Impl>(new Impl{**library, file, reader.size()}));
}

// Each part of the way is a link of the file's own groups.
absl::StatusOr<bool> Hdf5File::Impl::isThere(const std::string &object) const {
  for (size_t end = 0; end != std::string::npos && !object.empty();) {
    end = object.find('/', end + 1);
    const std::string part = object.substr(0, end);
    const int exists = h5.H5Lexists(file, part.c_str(), 0);
    if (exists < 0)
      return refuse("'" + part + "' is damaged");
    if (exists == 0)
      return false;
    // The kind comes first; what follows has 40 bytes in all versions.
    alignas(8) char info[128] = {};
    if (h5.linkInfo(file, part.c_str(), info, 0) < 0)
      return refuse("'" + part + "' is damaged");
    int kind = 0;
    std::memcpy(&kind, info, sizeof kind);
    if (kind != kHardLink)
      return refuse("'" + part + "' is a link to another place; needed what lies there itself");
  }
  return true;
}

absl::StatusOr<Owned> Hdf5File::Impl::open(const std::string &object) const {
  auto exists = isThere(object);
  if (!exists.ok())
    return exists.status();
  Owned opened(*exists ? h5.H5Oopen(file, object.empty() ? "/" : object.c_str(), 0) : -1,
               h5.H5Oclose);
  if (!opened)
    return refuse(*exists ? "'" + object + "' is damaged" : "it has no '" + object + "'");
  return opened;
}

absl::StatusOr<std::vector<int64_t>> Hdf5File::Impl::dims(Id space) const {
  constexpr int most = 32; // H5S_MAX_RANK
  const int rank = h5.H5Sget_simple_extent_ndims(space);
  Size sizes[most];
  if (rank < 0 || rank > most || h5.H5Sget_simple_extent_type(space) == kNullSpace ||
      h5.H5Sget_simple_extent_dims(space, sizes, nullptr) < 0)
    return refuse("without elements");
  std::vector<int64_t> dims(sizes, sizes + rank);
  for (int64_t size : dims)
    if (size < 0)
      return refuse("with a size that does not fit 64 bits");
  return dims;
}

// The product, or nullopt if it is more than `most`.
static std::optional<uint64_t> boundedProduct(const std::vector<int64_t> &dims, uint64_t each,
                                              uint64_t most) {
  for (int64_t size : dims)
    if (size == 0)
      return 0;
  for (int64_t size : dims)
    if (__builtin_mul_overflow(each, uint64_t(size), &each) || each > most)
      return std::nullopt;
  return each;
}

absl::StatusOr<bool> Hdf5File::has(const std::string &object) const {
  const std::lock_guard<std::mutex> lock(theMutex);
  const Silence silence(impl->h5);
  return impl->isThere(object);
}

absl::StatusOr<std::vector<std::string>> Hdf5File::Impl::texts(Id attribute) const {
  constexpr uint64_t mostBytes = uint64_t(64) << 20;
  const Owned type(h5.H5Aget_type(attribute), h5.H5Tclose),
      space(h5.H5Aget_space(attribute), h5.H5Sclose);
  if (!type || !space)
    return refuse("that is damaged");
  auto shape = dims(space);
  if (!shape.ok())
    return shape.status();
  // NumPy's empty lists are of floats.
  if (std::count(shape->begin(), shape->end(), 0))
    return std::vector<std::string>();
  if (h5.H5Tget_class(type) != kString)
    return refuse("of no texts");
  const size_t each = h5.H5Tget_size(type);
  const auto bytes = boundedProduct(*shape, each, mostBytes);
  if (!bytes || each == 0)
    return refuse("of more than " + std::to_string(mostBytes) + " bytes");
  const size_t count = *bytes / each;
  std::vector<std::string> texts(count);
  if (h5.H5Tis_variable_str(type) > 0) {
    std::vector<char *> places(count);
    if (h5.H5Aread(attribute, type, places.data()) < 0)
      return refuse("that is damaged");
    for (size_t i = 0; i < count; ++i)
      if (places[i])
        texts[i] = places[i];
    h5.H5Dvlen_reclaim(type, space, 0, places.data());
    return texts;
  }
  std::vector<char> all(*bytes);
  if (h5.H5Aread(attribute, type, all.data()) < 0)
    return refuse("that is damaged");
  for (size_t i = 0; i < count; ++i)
    texts[i].assign(all.data() + i * each, strnlen(all.data() + i * each, each));
  return texts;
}

absl::StatusOr<std::optional<std::vector<std::string>>>
Hdf5File::texts(const std::string &object, const std::string &attribute) const {
  const std::lock_guard<std::mutex> lock(theMutex);
  const Library &h5 = impl->h5;
  const Silence silence(h5);
  auto holder = impl->open(object);
  if (!holder.ok())
    return holder.status();
  const int exists = h5.H5Aexists(*holder, attribute.c_str());
  if (exists == 0)
    return std::nullopt;
  const std::string what =
      "'" + object + "' has an attribute " + attribute + (object.empty() ? " of the root " : " ");
  const Owned opened(exists < 0 ? -1 : h5.H5Aopen(*holder, attribute.c_str(), 0), h5.H5Aclose);
  if (!opened)
    return refuse(what + "that is damaged");
  auto texts = impl->texts(opened);
  if (!texts.ok())
    return refuse(what + std::string(texts.status().message()));
  return *std::move(texts);
}

// What the file holds for the dataset can be so many bytes.
absl::Status Hdf5File::Impl::checkStorage(Id dataset, uint64_t bytes) const {
  const Owned made(h5.H5Dget_create_plist(dataset), h5.H5Pclose);
  if (!made)
    return refuse("is damaged");
  const int layout = h5.H5Pget_layout(made), external = h5.H5Pget_external_count(made),
            filters = h5.H5Pget_nfilters(made);
  if (layout < 0 || layout >= kVirtualLayout || external != 0)
    return refuse("has elements in another file");
  uint64_t ratio = 1;
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    size_t numbers = 0;
    const int filter =
        h5.H5Pget_filter2(made, unsigned(i), &flags, &numbers, nullptr, 0, nullptr, &config);
    if (filter != kDeflate && filter != kShuffle && filter != kFletcher32)
      return refuse("is packed by the filter " + std::to_string(filter) +
                    "; needed deflate, shuffle or fletcher32");
    if (filter == kDeflate)
      ratio = 1032; // the most that deflate gets out of a byte
  }
  const uint64_t stored = h5.H5Dget_storage_size(dataset);
  if (bytes / ratio > stored || stored > this->bytes)
    return refuse("has " + std::to_string(stored) + " bytes in a file of " +
                  std::to_string(this->bytes) + "; its shape and dtype have " +
                  std::to_string(bytes));
  return absl::OkStatus();
}

// What elements are read as.
absl::StatusOr<Owned> Hdf5File::Impl::elementType(Id type, keratin_dtype_t &dtype) const {
  const int kind = h5.H5Tget_class(type);
  const size_t size = h5.H5Tget_size(type);
  auto as = [&](keratin_dtype_t found, const std::string &native) {
    dtype = found;
    return Owned(h5.H5Tcopy(h5.native(native)), h5.H5Tclose);
  };
  if (kind == kFloat && size == 4)
    return as(KERATIN_DTYPE_FLOAT32, "FLOAT");
  if (kind == kFloat && size == 8)
    return as(KERATIN_DTYPE_FLOAT64, "DOUBLE");
  if (kind == kFloat && size == 2) {
    size_t sign = 0, exponent = 0, exponentBits = 0, mantissa = 0, mantissaBits = 0;
    h5.H5Tget_fields(type, &sign, &exponent, &exponentBits, &mantissa, &mantissaBits);
    const bool isBrain = exponentBits == 8;
    if (sign == 15 && mantissa == 0 && exponent == mantissaBits &&
        exponentBits + mantissaBits == 15 && (isBrain || exponentBits == 5)) {
      dtype = isBrain ? KERATIN_DTYPE_BFLOAT16 : KERATIN_DTYPE_FLOAT16;
      Owned copy(h5.H5Tcopy(type), h5.H5Tclose);
      h5.H5Tset_order(copy, kLittleEndian);
      return copy;
    }
  }
  if (kind == kInteger) {
    const bool isSigned = h5.H5Tget_sign(type) != 0;
    switch (size) {
    case 1:
      return isSigned ? as(KERATIN_DTYPE_INT8, "INT8") : as(KERATIN_DTYPE_UINT8, "UINT8");
    case 2:
      return isSigned ? as(KERATIN_DTYPE_INT16, "INT16") : as(KERATIN_DTYPE_UINT16, "UINT16");
    case 4:
      return isSigned ? as(KERATIN_DTYPE_INT32, "INT32") : as(KERATIN_DTYPE_UINT32, "UINT32");
    case 8:
      return isSigned ? as(KERATIN_DTYPE_INT64, "INT64") : as(KERATIN_DTYPE_UINT64, "UINT64");
    default:
      break;
    }
  }
  return refuse("has elements of a type that Keratin has not");
}

absl::StatusOr<Array> Hdf5File::array(const std::string &name) const {
  const std::lock_guard<std::mutex> lock(theMutex);
  const Library &h5 = impl->h5;
  const Silence silence(h5);
  auto exists = impl->isThere(name);
  if (!exists.ok())
    return exists.status();
  auto fail = [&](const std::string &why) { return refuse("'" + name + "' " + why); };
  if (!*exists)
    return refuse("it has no '" + name + "'");
  const Owned dataset(h5.H5Dopen2(impl->file, name.c_str(), 0), h5.H5Dclose);
  const Owned type(dataset ? h5.H5Dget_type(dataset) : -1, h5.H5Tclose),
      space(dataset ? h5.H5Dget_space(dataset) : -1, h5.H5Sclose);
  if (!type || !space)
    return fail("is no dataset, or damaged");
  auto dims = impl->dims(space);
  if (!dims.ok())
    return fail("is a dataset " + std::string(dims.status().message()));
  Array array;
  auto elements = impl->elementType(type, array.dtype);
  if (!elements.ok())
    return fail(std::string(elements.status().message()));
  const auto bytes =
      boundedProduct(*dims, uint64_t(runtime::dtypeSize(array.dtype)), uint64_t(1) << 40);
  if (!bytes)
    return fail("has too many elements");
  if (absl::Status status = impl->checkStorage(dataset, *bytes); !status.ok())
    return fail(std::string(status.message()));
  array.dims = *std::move(dims);
  array.data.resize(*bytes);
  if (*bytes && h5.H5Dread(dataset, *elements, 0, 0, 0, array.data.data()) < 0)
    return fail("cannot be read: it is damaged");
  return array;
}
