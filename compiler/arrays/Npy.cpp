#include "compiler/arrays/Npy.h"

#include "compiler/arrays/Refusal.h"
#include "runtime/files/FileBytes.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace keratin;
using namespace keratin::compiler;

static constexpr std::string_view magic = "\x93NUMPY";
// As numpy.load has it; what Keratin reads needs a few hundred.
static constexpr size_t maxHeaderBytes = 10'000;

//===-- Dtypes --------------------------------------------------------------------------------===//

namespace {
struct DTypeEntry {
  const char *code;
  keratin_dtype_t dtype;
  size_t size;
};
} // namespace

static constexpr DTypeEntry dtypes[] = {
    {"b1", KERATIN_DTYPE_BOOL, 1},      {"i1", KERATIN_DTYPE_INT8, 1},
    {"i2", KERATIN_DTYPE_INT16, 2},     {"i4", KERATIN_DTYPE_INT32, 4},
    {"i8", KERATIN_DTYPE_INT64, 8},     {"u1", KERATIN_DTYPE_UINT8, 1},
    {"u2", KERATIN_DTYPE_UINT16, 2},    {"u4", KERATIN_DTYPE_UINT32, 4},
    {"u8", KERATIN_DTYPE_UINT64, 8},    {"f2", KERATIN_DTYPE_FLOAT16, 2},
    {"f4", KERATIN_DTYPE_FLOAT32, 4},   {"f8", KERATIN_DTYPE_FLOAT64, 8},
    {"c8", KERATIN_DTYPE_COMPLEX64, 8}, {"c16", KERATIN_DTYPE_COMPLEX128, 16}};

static const DTypeEntry *findDType(keratin_dtype_t dtype) {
  for (const DTypeEntry &entry : dtypes)
    if (entry.dtype == dtype)
      return &entry;
  return nullptr;
}

// Text of a file in a message.
static std::string quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 40))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

static absl::StatusOr<const DTypeEntry *> parseDType(std::string_view descr) {
  std::string_view code = descr;
  if (!code.empty() && std::strchr("<>|=", code[0]))
    code.remove_prefix(1);
  for (const DTypeEntry &entry : dtypes)
    if (code == entry.code)
      return &entry;
  if (code.substr(0, 1) == "O")
    return refuse("dtype " + quoted(descr) +
                  " means pickled Python objects; reading those would run code");
  if (code == "V2")
    return absl::UnimplementedError("dtype " + quoted(descr) +
                                    " has no meaning of its own (bfloat16 is saved so); save the "
                                    "array as float32");
  return absl::UnimplementedError("dtype " + quoted(descr) +
                                  " is not supported; bool, integers of 8 to 64 bits, float16, "
                                  "float32, float64, complex64 and complex128 are");
}

//===-- The header ----------------------------------------------------------------------------===//

namespace {

struct Header {
  std::string_view descr;
  bool fortranOrder = false;
  std::vector<int64_t> dims;
};

// The literal of a dictionary with exactly the keys that the format has. Nothing in it nests.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  absl::StatusOr<Header> parse() {
    if (!eat('{'))
      return bad("it does not begin with '{'");
    while (!eat('}')) {
      if (absl::Status status = entry(); !status.ok())
        return status;
      if (eat(','))
        continue;
      if (!eat('}'))
        return bad("',' or '}' is missing");
      break;
    }
    skipSpace();
    if (at != text.size())
      return bad("there is text after '}'");
    if (!sawDescr || !sawOrder || !sawShape)
      return bad("it must have 'descr', 'fortran_order' and 'shape'");
    return std::move(header);
  }

private:
  static absl::Status bad(const std::string &why) {
    return refuse("the header is damaged: " + why);
  }

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool eat(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool eatWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }

  bool string(std::string_view &result) {
    char quote = eat('\'') ? '\'' : eat('"') ? '"' : '\0';
    size_t end = quote ? text.find(quote, at) : std::string_view::npos;
    if (end == std::string_view::npos)
      return false;
    result = text.substr(at, end - at);
    at = end + 1;
    return result.find('\\') == std::string_view::npos;
  }

  absl::Status entry() {
    std::string_view key;
    if (!string(key) || !eat(':'))
      return bad("a key is missing");
    bool *saw = key == "descr"           ? &sawDescr
                : key == "fortran_order" ? &sawOrder
                : key == "shape"         ? &sawShape
                                         : nullptr;
    if (!saw)
      return bad("there is no key " + quoted(key));
    if (*saw)
      return bad("the key " + quoted(key) + " is there twice");
    *saw = true;
    if (saw == &sawDescr)
      return descr();
    if (saw == &sawShape)
      return shape();
    if (eatWord("True"))
      header.fortranOrder = true;
    else if (!eatWord("False"))
      return bad("'fortran_order' is neither True nor False");
    return absl::OkStatus();
  }

  absl::Status descr() {
    if (eat('['))
      return absl::UnimplementedError("structured dtypes are not supported");
    if (!string(header.descr))
      return bad("'descr' is not a string");
    return absl::OkStatus();
  }

  absl::Status shape() {
    absl::Status notATuple = bad("'shape' is not a tuple of numbers");
    if (!eat('('))
      return notATuple;
    bool sawComma = false;
    while (!eat(')')) {
      if (!header.dims.empty() && !sawComma)
        return notATuple;
      skipSpace();
      if (at < text.size() && text[at] == '-')
        return bad("a size in 'shape' is negative");
      int64_t size = 0;
      auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), size);
      if (error == std::errc::result_out_of_range)
        return bad("a size in 'shape' does not fit in 64 bits");
      if (error != std::errc())
        return notATuple;
      at = size_t(end - text.data());
      if (at < text.size() && text[at] == 'L') // Python 2's long integers
        ++at;
      header.dims.push_back(size);
      if (header.dims.size() > KERATIN_MAX_RANK)
        return bad("'shape' has more than " + std::to_string(KERATIN_MAX_RANK) + " sizes");
      sawComma = eat(',');
    }
    return header.dims.size() == 1 && !sawComma ? notATuple : absl::OkStatus();
  }

  std::string_view text;
  size_t at = 0;
  Header header;
  bool sawDescr = false, sawOrder = false, sawShape = false;
};

} // namespace

// Takes magic, version, length and header from the front of the bytes.
static absl::StatusOr<std::string_view> takeHeader(std::string_view &bytes) {
  if (bytes.substr(0, magic.size()) != magic)
    return refuse("this is no .npy file: it does not begin with \\x93NUMPY");
  bytes.remove_prefix(magic.size());
  if (bytes.size() < 2)
    return refuse("the file ends within its header");
  unsigned major = uint8_t(bytes[0]), minor = uint8_t(bytes[1]);
  if (major < 1 || major > 3 || minor != 0)
    return absl::UnimplementedError("version " + std::to_string(major) + "." +
                                    std::to_string(minor) + " of the .npy format is not known");
  bytes.remove_prefix(2);
  size_t lengthBytes = major == 1 ? 2 : 4, length = 0;
  if (bytes.size() < lengthBytes)
    return refuse("the file ends within its header");
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(uint8_t(bytes[i])) << (8 * i);
  bytes.remove_prefix(lengthBytes);
  if (length > maxHeaderBytes)
    return refuse("the header has " + std::to_string(length) + " bytes; at most " +
                  std::to_string(maxHeaderBytes) + " are read");
  if (length > bytes.size())
    return refuse("the file ends within its header");
  std::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return header;
}

//===-- Elements ------------------------------------------------------------------------------===//

// From the order where the first axis changes fastest.
static void copyFromFortran(const char *from, Array &array, size_t size) {
  size_t rank = array.dims.size();
  std::vector<int64_t> index(rank, 0), strides(rank, 1);
  for (size_t axis = 1; axis < rank; ++axis)
    strides[axis] = strides[axis - 1] * array.dims[axis - 1];
  int64_t offset = 0;
  for (char *to = array.data.data(), *end = to + array.data.size(); to != end; to += size) {
    std::memcpy(to, from + size_t(offset) * size, size);
    for (size_t axis = rank; axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < array.dims[axis])
        break;
      offset -= strides[axis] * array.dims[axis];
      index[axis] = 0;
    }
  }
}

absl::StatusOr<Array> compiler::parseNpy(std::string_view bytes) {
  auto text = takeHeader(bytes);
  if (!text.ok())
    return text.status();
  auto header = HeaderParser(*text).parse();
  if (!header.ok())
    return header.status();
  auto dtype = parseDType(header->descr);
  if (!dtype.ok())
    return dtype.status();
  size_t size = (*dtype)->size, expected = size;
  bool isEmpty = std::count(header->dims.begin(), header->dims.end(), 0) != 0;
  for (int64_t dim : header->dims)
    if (!isEmpty && __builtin_mul_overflow(expected, size_t(dim), &expected))
      return refuse("the bytes of the array's shape do not fit in 64 bits");
  if (isEmpty)
    expected = 0;
  if (bytes.size() != expected)
    return refuse("its shape needs " + std::to_string(expected) +
                  " bytes of elements; the file has " + std::to_string(bytes.size()));
  Array array{(*dtype)->dtype, std::move(header->dims), std::vector<char>(expected)};
  if (header->fortranOrder && array.dims.size() > 1)
    copyFromFortran(bytes.data(), array, size);
  else
    std::copy(bytes.begin(), bytes.end(), array.data.begin());
  if (header->descr[0] == '>') {
    const bool hasParts =
        array.dtype == KERATIN_DTYPE_COMPLEX64 || array.dtype == KERATIN_DTYPE_COMPLEX128;
    const auto number = ptrdiff_t(hasParts ? size / 2 : size);
    for (auto at = array.data.begin(); at != array.data.end(); at += number)
      std::reverse(at, at + number);
  }
  if (array.dtype == KERATIN_DTYPE_BOOL)
    for (size_t i = 0; i < array.data.size(); ++i)
      if (array.data[i] != 0 && array.data[i] != 1)
        return refuse("element " + std::to_string(i) + " of a bool array is " +
                      std::to_string(uint8_t(array.data[i])) + ", neither 0 nor 1");
  return array;
}

ArrayView compiler::forNumpy(const ArrayView &array, std::string &widened) {
  if (array.dtype != KERATIN_DTYPE_BFLOAT16)
    return array;
  // The upper halves of float32.
  widened.assign(array.data.size() * 2, '\0');
  for (size_t i = 0; i < array.data.size(); i += 2) {
    widened[2 * i + 2] = array.data[i];
    widened[2 * i + 3] = array.data[i + 1];
  }
  return {KERATIN_DTYPE_FLOAT32, array.dims, widened};
}

std::string compiler::npyHeader(const ArrayView &array) {
  const DTypeEntry *dtype = findDType(array.dtype);
  std::string header = std::string("{'descr': '") + (dtype->size == 1 ? "|" : "<") + dtype->code +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.dims.size(); ++i)
    header += (i ? ", " : "") + std::to_string(array.dims[i]);
  header += array.dims.size() == 1 ? ",), }" : "), }";
  // The elements begin on a boundary of 64 bytes.
  size_t before = magic.size() + 4, total = (before + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - before - 1, ' ');
  header += '\n';
  std::string result(magic);
  result += {'\1', '\0', char(header.size() & 0xFF), char(header.size() >> 8)};
  return result + header;
}

std::string compiler::formatNpy(const ArrayView &array) {
  std::string widened;
  const ArrayView content = forNumpy(array, widened);
  return npyHeader(content).append(content.data);
}

//===-- Files ---------------------------------------------------------------------------------===//

// Memory for it is asked for at once, and what is larger in name may hold nothing.
static constexpr uint64_t kMostFileBytes = uint64_t(1) << 36;

absl::StatusOr<std::string> compiler::readArrayFile(const std::string &path) {
  std::string bytes;
  std::string problem = runtime::readFile(path, runtime::FileKinds::Regular, kMostFileBytes, bytes);
  if (!problem.empty())
    return absl::UnavailableError(problem);
  return bytes;
}
