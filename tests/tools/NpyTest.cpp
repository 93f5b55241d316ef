// .npy and .npz files, good ones and hostile ones.
#include "tools/npy/Npy.h"
#include "tools/npy/Npz.h"

#include <catch2/catch.hpp>

#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

using namespace keratin::tools;

namespace {

std::string bytesOf(uint64_t value, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i)
    bytes += i < 8 ? char(value >> (8 * i) & 0xFF) : '\0';
  return bytes;
}

std::string npy(const std::string &header, const std::string &data, int major = 1) {
  return "\x93NUMPY" + bytesOf(uint64_t(major), 1) + bytesOf(0, 1) +
         bytesOf(header.size(), major == 1 ? 2 : 4) + header + data;
}

std::string dictionary(const std::string &descr, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <class T> std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

template <class T> std::vector<T> valuesOf(const Array &array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

std::string messageOf(const std::string &bytes) {
  auto array = parseNpy(bytes);
  return array.ok() ? "it was read" : std::string(array.status().message());
}

struct Hostile {
  const char *what;
  std::string bytes;
  const char *message;
};

// A zip archive, piece by piece, so that each can be wrong.
struct Zip {
  struct Member {
    std::string name, data; // as they stand in the archive
    uint64_t size = 0;      // inflated
    uint32_t crc = 0;
    unsigned method = 0, flags = 0;
    uint64_t offset = 0, packed = 0; // filled by build(), unless given
    bool hasOffset = false, hasPacked = false;
    std::string localName;
  };
  std::vector<Member> members;

  static uint32_t crcOf(const std::string &content) {
    return uint32_t(
        crc32(0, reinterpret_cast<const Bytef *>(content.data()), uInt(content.size())));
  }
  static std::string deflated(const std::string &content) {
    std::string out(compressBound(content.size()) + 64, '\0');
    z_stream stream = {};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    stream.avail_in = uInt(content.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = uInt(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  Member &add(const std::string &name, const std::string &content, bool compress = false) {
    Member member;
    member.name = member.localName = name;
    member.data = compress ? deflated(content) : content;
    member.size = content.size();
    member.crc = crcOf(content);
    member.method = compress ? 8 : 0;
    return members.emplace_back(member);
  }

  // As numpy.savez writes it: sizes in the local header stand in a zip64 field.
  std::string build(const std::string &comment = "") const {
    std::string archive, directory;
    for (const Member &member : members) {
      uint64_t offset = member.hasOffset ? member.offset : archive.size();
      uint64_t packed = member.hasPacked ? member.packed : member.data.size();
      std::string common = bytesOf(45, 2) + bytesOf(member.flags, 2) + bytesOf(member.method, 2) +
                           bytesOf(0, 4) + bytesOf(member.crc, 4);
      std::string zip64 =
          bytesOf(1, 2) + bytesOf(16, 2) + bytesOf(member.size, 8) + bytesOf(packed, 8);
      directory += bytesOf(0x02014b50, 4) + bytesOf(45, 2) + common + bytesOf(packed, 4) +
                   bytesOf(member.size, 4) + bytesOf(member.name.size(), 2) + bytesOf(0, 2) +
                   bytesOf(0, 10) + bytesOf(offset, 4) + member.name;
      if (!member.hasOffset)
        archive += bytesOf(0x04034b50, 4) + common + bytesOf(0xFFFFFFFFFFFFFFFF, 8) +
                   bytesOf(member.localName.size(), 2) + bytesOf(zip64.size(), 2) +
                   member.localName + zip64 + member.data;
    }
    return archive + directory + bytesOf(0x06054b50, 4) + bytesOf(0, 4) +
           bytesOf(members.size(), 2) + bytesOf(members.size(), 2) + bytesOf(directory.size(), 4) +
           bytesOf(archive.size(), 4) + bytesOf(comment.size(), 2) + comment;
  }
};

std::string archiveMessage(const std::string &bytes) {
  auto arrays = parseNpz(bytes);
  return arrays.ok() ? "it was read" : std::string(arrays.status().message());
}

} // namespace

TEST_CASE("arrays of all dtypes survive writing and reading") {
  struct {
    keratin_dtype_t dtype;
    size_t size;
  } dtypes[] = {{KERATIN_DTYPE_BOOL, 1},    {KERATIN_DTYPE_INT8, 1},    {KERATIN_DTYPE_INT16, 2},
                {KERATIN_DTYPE_INT32, 4},   {KERATIN_DTYPE_INT64, 8},   {KERATIN_DTYPE_UINT8, 1},
                {KERATIN_DTYPE_UINT16, 2},  {KERATIN_DTYPE_UINT32, 4},  {KERATIN_DTYPE_UINT64, 8},
                {KERATIN_DTYPE_FLOAT16, 2}, {KERATIN_DTYPE_FLOAT32, 4}, {KERATIN_DTYPE_FLOAT64, 8}};
  std::vector<std::vector<int64_t>> shapes = {{}, {1}, {0}, {5}, {2, 3}, {4, 0, 2}, {1, 2, 3, 4}};
  std::vector<NamedArray> all;
  for (auto [dtype, size] : dtypes)
    for (const auto &dims : shapes) {
      size_t count = 1;
      for (int64_t dim : dims)
        count *= size_t(dim);
      Array array{dtype, dims, std::vector<char>(count * size)};
      for (size_t i = 0; i < array.data.size(); ++i)
        array.data[i] = dtype == KERATIN_DTYPE_BOOL ? char(i % 2) : char(37 * i + size);
      std::string text = formatNpy(array);
      CHECK((text.size() - array.data.size()) % 64 == 0);
      auto read = parseNpy(text);
      REQUIRE(read.ok());
      CHECK(read->dtype == dtype);
      CHECK(read->dims == dims);
      CHECK(read->data == array.data);
      all.push_back({"array" + std::to_string(all.size()), std::move(array)});
    }
  auto archive = formatNpz(all);
  REQUIRE(archive.ok());
  CHECK(*archive == *formatNpz(all));
  auto read = parseNpz(*archive);
  REQUIRE(read.ok());
  REQUIRE(read->size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK((*read)[i].name == all[i].name);
    CHECK((*read)[i].array.data == all[i].array.data);
    CHECK((*read)[i].array.dims == all[i].array.dims);
  }
}

TEST_CASE("what NumPy lays out in other ways is converted") {
  auto fortran = parseNpy(npy(dictionary("<i4", "(2, 3)", true), raw<int32_t>({1, 4, 2, 5, 3, 6})));
  REQUIRE(fortran.ok());
  CHECK(valuesOf<int32_t>(*fortran) == std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  auto cube =
      parseNpy(npy(dictionary("|i1", "(2, 2, 2)", true), raw<int8_t>({0, 4, 2, 6, 1, 5, 3, 7})));
  REQUIRE(cube.ok());
  CHECK(valuesOf<int8_t>(*cube) == std::vector<int8_t>{0, 1, 2, 3, 4, 5, 6, 7});
  auto big = parseNpy(npy(dictionary(">i4", "(2,)"), raw<int32_t>({0x01000000, 0x02000000})));
  REQUIRE(big.ok());
  CHECK(valuesOf<int32_t>(*big) == std::vector<int32_t>{1, 2});
  for (int version : {1, 2, 3}) {
    auto array = parseNpy(npy(dictionary("<f8", "()"), raw<double>({2.5}), version));
    REQUIRE(array.ok());
    CHECK(array->dims.empty());
    CHECK(valuesOf<double>(*array) == std::vector<double>{2.5});
  }
  // Keys in another order, double quotes, long integers.
  auto other = parseNpy(
      npy("{\"shape\":(2L,),\"descr\":\"=u2\",'fortran_order':False}", raw<uint16_t>({7, 9})));
  REQUIRE(other.ok());
  CHECK(valuesOf<uint16_t>(*other) == std::vector<uint16_t>{7, 9});
  // bfloat16 1.5 is written as float32.
  Array half{KERATIN_DTYPE_BFLOAT16, {1}, {char(0xC0), char(0x3F)}};
  auto wide = parseNpy(formatNpy(half));
  REQUIRE(wide.ok());
  CHECK(wide->dtype == KERATIN_DTYPE_FLOAT32);
  CHECK(valuesOf<float>(*wide) == std::vector<float>{1.5f});
}

TEST_CASE("a .npy file cut anywhere is refused") {
  std::string good = npy(dictionary("<f4", "(2, 2)"), raw<float>({1, 2, 3, 4}));
  REQUIRE(parseNpy(good).ok());
  for (size_t length = 0; length < good.size(); ++length)
    CHECK(!parseNpy(good.substr(0, length)).ok());
  // No byte may end the process, whatever else it does.
  for (size_t i = 0; i < good.size(); ++i)
    for (int value : {0, 1, 0x27, 0x28, 0x39, 0x7F, 0xFF}) {
      std::string damaged = good;
      damaged[i] = char(value);
      (void)parseNpy(damaged);
    }
}

TEST_CASE("hostile .npy files are refused") {
  std::string data = raw<float>({1, 2, 3, 4});
  std::string deep(4000, '(');
  const Hostile files[] = {
      {"empty", "", "does not begin with \\x93NUMPY"},
      {"wrong magic", "PK" + npy(dictionary("<f4", "(4,)"), data), "this is no .npy file"},
      {"a later version", npy(dictionary("<f4", "(4,)"), data, 9), "version 9.0"},
      {"version 0", npy(dictionary("<f4", "(4,)"), data, 0), "version 0.0"},
      {"a header beyond the file", "\x93NUMPY" + bytesOf(1, 2) + bytesOf(5000, 2) + "{}",
       "ends within its header"},
      {"a header too long", "\x93NUMPY" + bytesOf(2, 2) + bytesOf(0xFFFFFFFF, 4) + "{}",
       "the header has 4294967295 bytes"},
      {"a long header of spaces", npy(dictionary("<f4", "(4,)") + std::string(20000, ' '), data),
       "at most 10000"},
      {"Python objects", npy(dictionary("|O", "(4,)"), data), "pickled Python objects"},
      {"a raw type", npy(dictionary("<V2", "(8,)"), data), "bfloat16"},
      {"complex numbers", npy(dictionary("<c8", "(2,)"), data), "'<c8' is not supported"},
      {"text", npy(dictionary("<U4", "(1,)"), data), "'<U4' is not supported"},
      {"a structured dtype",
       npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}", data),
       "structured dtypes"},
      {"no dtype", npy(dictionary("", "(4,)"), data), "'' is not supported"},
      {"a dtype with strange bytes", npy(dictionary("<f4\x01\xFF", "(4,)"), data), "'<f4?"},
      {"a negative size", npy(dictionary("<f4", "(-4,)"), data), "negative"},
      {"a huge size", npy(dictionary("<f4", "(99999999999999999999,)"), data), "64 bits"},
      {"sizes whose product overflows", npy(dictionary("<f4", "(4294967296, 4294967296)"), data),
       "do not fit in 64 bits"},
      {"sizes whose bytes overflow", npy(dictionary("<f4", "(4611686018427387905,)"), data),
       "do not fit in 64 bits"},
      {"far more than there is", npy(dictionary("<f4", "(1000000000000,)"), data),
       "needs 4000000000000 bytes"},
      {"one element too few", npy(dictionary("<f4", "(5,)"), data), "needs 20 bytes"},
      {"one element too many", npy(dictionary("<f4", "(3,)"), data), "needs 12 bytes"},
      {"too many axes",
       npy(dictionary("<f4",
                      "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                      "1, 1, 1, 1, 1, 1, 1, 1, 1, 4)"),
           data),
       "more than 32 sizes"},
      {"nested parentheses", npy("{'descr': '<f4', 'shape': " + deep, data), "not a tuple"},
      {"nested dictionaries", npy(std::string(4000, '{'), data), "a key is missing"},
      {"a size that is an expression", npy(dictionary("<f4", "(2**2,)"), data), "not a tuple"},
      {"a call", npy(dictionary("<f4", "__import__('os')"), data), "not a tuple"},
      {"a shape that is a number", npy(dictionary("<f4", "(4)"), data), "not a tuple"},
      {"a comma alone", npy(dictionary("<f4", "(,)"), data), "not a tuple"},
      {"a key twice",
       npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", data),
       "there twice"},
      {"an unknown key", npy("{'descr': '<f4', 'order': 1}", data), "no key 'order'"},
      {"a key missing", npy("{'descr': '<f4', 'shape': (4,)}", data), "it must have"},
      {"an order that is neither", npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (4,)}", data),
       "neither True nor False"},
      {"text after the header", npy(dictionary("<f4", "(4,)") + "x", data), "after '}'"},
      {"a string without end", npy("{'descr: <f4", data), "a key is missing"},
      {"bytes that are no bools", npy(dictionary("|b1", "(4,)"), raw<int8_t>({0, 1, 2, 1})),
       "element 2 of a bool array is 2"}};
  CHECK(std::size(files) >= 30);
  for (const Hostile &file : files) {
    INFO(file.what);
    CHECK_THAT(messageOf(file.bytes), Catch::Contains(file.message));
  }
}

TEST_CASE("archives as NumPy writes them are read") {
  Zip zip;
  zip.add("x.npy", npy(dictionary("<f4", "(2,)"), raw<float>({1, 2})));
  zip.add("dense_1/kernel:0.npy", npy(dictionary("<i8", "(3,)"), raw<int64_t>({1, 2, 3})), true);
  zip.add("zeros.npy", npy(dictionary("|u1", "(100000,)"), std::string(100000, '\0')), true);
  for (const char *comment : {"", "a comment"}) {
    auto arrays = parseNpz(zip.build(comment));
    REQUIRE(arrays.ok());
    REQUIRE(arrays->size() == 3);
    CHECK((*arrays)[0].name == "x");
    CHECK(valuesOf<float>((*arrays)[0].array) == std::vector<float>{1, 2});
    CHECK((*arrays)[1].name == "dense_1/kernel:0");
    CHECK(valuesOf<int64_t>((*arrays)[1].array) == std::vector<int64_t>{1, 2, 3});
    CHECK((*arrays)[2].array.dims == std::vector<int64_t>{100000});
  }
  auto none = parseNpz(Zip().build());
  REQUIRE(none.ok());
  CHECK(none->empty());
}

TEST_CASE("an archive cut or damaged anywhere does no harm") {
  Zip zip;
  zip.add("x.npy", npy(dictionary("<f4", "(2,)"), raw<float>({1, 2})));
  zip.add("y.npy", npy(dictionary("<f4", "(2,)"), raw<float>({1, 2})), true);
  std::string good = zip.build();
  REQUIRE(parseNpz(good).ok());
  for (size_t length = 0; length < good.size(); ++length)
    CHECK(!parseNpz(good.substr(0, length)).ok());
  for (size_t i = 0; i < good.size(); ++i)
    for (int value : {0, 1, 0x50, 0x7F, 0x80, 0xFF}) {
      std::string damaged = good;
      damaged[i] = char(value);
      (void)parseNpz(damaged);
    }
}

TEST_CASE("hostile archives are refused") {
  std::string content = npy(dictionary("<f4", "(2,)"), raw<float>({1, 2}));
  auto archive = [&](const std::function<void(Zip &)> &spoil) {
    Zip zip;
    zip.add("x.npy", content);
    zip.add("y.npy", content, true);
    spoil(zip);
    return zip.build();
  };
  auto patched = [&](size_t fromEnd, const std::string &bytes) {
    std::string text = archive([](Zip &) {});
    return text.replace(text.size() - fromEnd, bytes.size(), bytes);
  };
  std::string huge = npy(dictionary("|u1", "(100000000,)"), std::string(100000000, '\0'));
  const Hostile files[] = {
      {"no archive", std::string(100, 'x'), "the end of a zip archive is missing"},
      {"too short", "PK\5\6", "too short"},
      {"a count too large", patched(14, bytesOf(3, 2) + bytesOf(3, 2)), "central directory"},
      {"a count too small", patched(14, bytesOf(1, 2) + bytesOf(1, 2)), "belong to no member"},
      {"several parts", patched(18, bytesOf(1, 2)), "several parts"},
      {"a directory elsewhere", patched(6, bytesOf(0x7FFFFFFF, 4)), "not where the archive says"},
      {"a directory too long", patched(10, bytesOf(0x7FFFFFFF, 4)), "not where the archive says"},
      {"a zip64 archive", patched(14, bytesOf(0xFFFF, 2) + bytesOf(0xFFFF, 2)), "zip64"},
      {"a zip64 member", archive([](Zip &zip) { zip.members[0].size = 0xFFFFFFFF; }), "zip64"},
      {"a wrong checksum", archive([](Zip &zip) { zip.members[0].crc ^= 1; }),
       "member 'x.npy': the checksum is wrong"},
      {"a wrong checksum of compressed data", archive([](Zip &zip) { zip.members[1].crc ^= 1; }),
       "member 'y.npy': the checksum is wrong"},
      {"a name twice", archive([&](Zip &zip) { zip.add("x.npy", content); }), "there twice"},
      {"an encrypted member", archive([](Zip &zip) { zip.members[0].flags = 1; }), "encrypted"},
      {"bzip2", archive([](Zip &zip) { zip.members[0].method = 12; }), "method 12"},
      {"another file", archive([](Zip &zip) { zip.add("readme.txt", "hello"); }),
       "'readme.txt' is not called NAME.npy"},
      {"no name", archive([](Zip &zip) { zip.add("", "hello"); }), "not called NAME.npy"},
      {"a name with control characters",
       archive([&](Zip &zip) { zip.add("a\x1b[2J.npy", content); }), "control characters"},
      {"two names for a member", archive([](Zip &zip) { zip.members[0].localName = "z.npy"; }),
       "described differently"},
      {"overlapping members", archive([](Zip &zip) {
         Zip::Member twin = zip.members[1];
         zip.add("inner.npy", zip.build().substr(0, 200)); // a member that holds an archive
         twin.hasOffset = true;
         twin.offset = 0;
         twin.name = "x.npy";
         zip.members[0].name = zip.members[0].localName = "w.npy";
         zip.members.push_back(twin);
       }),
       "described differently"},
      {"two members in one place", archive([](Zip &zip) {
         // The second name stands within the first's data.
         Zip inner;
         inner.add("v.npy", std::string(8, 'v'));
         std::string whole = inner.build();
         Zip::Member &outer = zip.add("u.npy", whole);
         Zip::Member twin = inner.members[0];
         twin.hasOffset = true;
         Zip before;
         before.members = {zip.members.begin(), zip.members.end() - 1};
         std::string all = zip.build();
         twin.offset = all.find("u.npy") + outer.name.size() + 20;
         zip.members.push_back(twin);
       }),
       "overlap"},
      {"a member beyond the archive", archive([](Zip &zip) {
         zip.members[0].hasPacked = true;
         zip.members[0].packed = zip.members[0].size = 1 << 30;
       }),
       "longer than the archive"},
      {"an offset beyond the archive", archive([](Zip &zip) {
         Zip::Member twin = zip.members[0];
         twin.hasOffset = true;
         twin.offset = 0x7FFFFFF0;
         twin.name = "z.npy";
         zip.members.push_back(twin);
       }),
       "not where the central directory says"},
      {"a stored size that differs", archive([](Zip &zip) { zip.members[0].size += 1; }),
       "cannot have the"},
      {"a ratio that cannot be", archive([](Zip &zip) { zip.members[1].size = 0x7FFFFFFF; }),
       "cannot have the 2147483647 bytes"},
      {"more than it claims", archive([](Zip &zip) { zip.members[1].size -= 1; }),
       "compressed data is damaged"},
      {"less than it claims", archive([](Zip &zip) { zip.members[1].size += 1; }),
       "compressed data is damaged"},
      {"bytes after the compressed data", archive([](Zip &zip) { zip.members[1].data += "xx"; }),
       "compressed data is damaged"},
      {"compressed rubbish",
       archive([](Zip &zip) { zip.members[1].data = std::string(40, '\xEE'); }),
       "compressed data is damaged"},
      {"a bomb", archive([&](Zip &zip) { zip.add("z.npy", huge, true); }), "may have at most"},
      {"a bomb of many members", archive([&](Zip &zip) {
         std::string part = npy(dictionary("|u1", "(4000000,)"), std::string(4000000, '\0'));
         for (int i = 0; i < 25; ++i)
           zip.add("z" + std::to_string(i) + ".npy", part, true);
       }),
       "may have at most"},
      {"too many members", archive([](Zip &zip) {
         for (int i = 0; i < 10001; ++i)
           zip.add("z" + std::to_string(i) + ".npy", "");
       }),
       "at most 10000"},
      {"a member that is no array", archive([](Zip &zip) { zip.add("z.npy", "hello"); }),
       "member 'z.npy': this is no .npy file"},
      {"Python objects within",
       archive([](Zip &zip) { zip.add("z.npy", npy(dictionary("|O", "(1,)"), "12345678")); }),
       "member 'z.npy': dtype '|O' means pickled"}};
  CHECK(std::size(files) >= 30);
  for (const Hostile &file : files) {
    INFO(file.what);
    CHECK_THAT(archiveMessage(file.bytes), Catch::Contains(file.message));
  }
}

TEST_CASE("only regular files are read") {
  auto folder = std::filesystem::temp_directory_path() / "keratin-npy-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "x.npy", std::ios::binary) << "content";
  CHECK(*readArrayFile(folder / "x.npy") == "content");
  CHECK(!readArrayFile(folder).ok());
  CHECK(!readArrayFile("/dev/zero").ok());
  CHECK(!readArrayFile(folder / "none.npy").ok());
  std::filesystem::remove_all(folder);
}
