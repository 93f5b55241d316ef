// .npz files, good ones and hostile ones.
#include "compiler/arrays/Npz.h"

#include "tests/arrays/Zip.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace keratin::compiler;
using namespace keratin::tests;

namespace {

std::string archiveMessage(const std::string &bytes) {
  auto arrays = parseNpz(bytes);
  return arrays.ok() ? "it was read" : std::string(arrays.status().message());
}

} // namespace

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
  auto large = parseNpz(zip.build("", /*isZip64=*/true),
                        [](const std::string &name) { return name != "x"; });
  REQUIRE(large.ok());
  REQUIRE(large->size() == 2);
  CHECK(valuesOf<int64_t>((*large)[0].array) == std::vector<int64_t>{1, 2, 3});
  auto none = parseNpz(Zip().build());
  REQUIRE(none.ok());
  CHECK(none->empty());
}

TEST_CASE("an archive cut or damaged anywhere does no harm") {
  Zip zip;
  zip.add("x.npy", npy(dictionary("<f4", "(2,)"), raw<float>({1, 2})));
  zip.add("y.npy", npy(dictionary("<f4", "(2,)"), raw<float>({1, 2})), true);
  for (bool isZip64 : {false, true}) {
    std::string good = zip.build("", isZip64);
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
}

// 4.3 GB, so not in every run.
TEST_CASE("arrays beyond 4 GiB survive writing and reading", "[.large]") {
  std::vector<NamedArray> arrays(2);
  const int64_t size = (int64_t(1) << 32) + 10;
  arrays[0] = {"large", {KERATIN_DTYPE_UINT8, {size}, std::vector<char>(size_t(size), 7)}};
  arrays[1] = {"behind", {KERATIN_DTYPE_UINT8, {3}, {1, 2, 3}}};
  const std::string archive = archiveOf(arrays);
  auto behind = parseNpz(archive, [](const std::string &name) { return name == "behind"; });
  REQUIRE(behind.ok());
  CHECK(behind->front().array.data == arrays[1].array.data);
  auto large = parseNpz(archive, [](const std::string &name) { return name == "large"; });
  REQUIRE(large.ok());
  CHECK(large->front().array.data == arrays[0].array.data);
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
  auto archive64 = [&](const std::function<void(Zip &)> &spoil) {
    Zip zip;
    zip.add("x.npy", content);
    zip.add("y.npy", content, true);
    spoil(zip);
    return zip.build("", /*isZip64=*/true);
  };
  auto patched64 = [&](size_t fromEnd, const std::string &bytes) {
    std::string text = archive64([](Zip &) {});
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
      {"zip64 without its end", patched(14, bytesOf(0xFFFF, 2) + bytesOf(0xFFFF, 2)),
       "zip64's end of the archive is missing or damaged"},
      {"zip64's end elsewhere", patched64(34, bytesOf(1, 1)), "zip64's end of the archive"},
      {"zip64 of several parts", patched64(26, bytesOf(2, 4)), "several parts"},
      {"zip64's directory beyond the archive", patched64(50, bytesOf(0xFFFFFFFFFFFFFFFF, 8)),
       "not where the archive says"},
      {"a directory of 2^64 bytes", patched64(58, bytesOf(0xFFFFFFFFFFFFFFFF, 8)),
       "not where the archive says"},
      {"zip64 with a count of members that wraps",
       patched64(74, bytesOf(uint64_t(1) << 60, 8) + bytesOf(uint64_t(1) << 60, 8)),
       "has 1152921504606846976 members"},
      {"zip64 with sizes that wrap",
       archive64([](Zip &zip) { zip.members[1].size = 0xFFFFFFFFFFFFFFFF; }),
       "cannot have the 18446744073709551615 bytes"},
      {"zip64 with an offset that wraps", archive64([](Zip &zip) {
         Zip::Member twin = zip.members[0];
         twin.name = "z.npy";
         twin.hasOffset = true;
         twin.offset = 0xFFFFFFFFFFFFFFF0;
         zip.members.push_back(twin);
       }),
       "not where the central directory says"},
      {"a zip64 member without its field",
       archive([](Zip &zip) { zip.members[0].size = 0xFFFFFFFF; }), "damaged zip64 field"},
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
      {"a bomb", archive([&](Zip &zip) { zip.add("z.npy", huge, true); }),
       "; save arrays of zeros and the like uncompressed"},
      {"a bomb of many members", archive([&](Zip &zip) {
         std::string part = npy(dictionary("|u1", "(4000000,)"), std::string(4000000, '\0'));
         for (int i = 0; i < 25; ++i)
           zip.add("z" + std::to_string(i) + ".npy", part, true);
       }),
       "may have at most"},
      {"too many members", archive64([](Zip &zip) {
         for (int i = 0; i < 100001; ++i)
           zip.add("z" + std::to_string(i) + ".npy", "");
       }),
       "has 100003 members; at most 100000 are read"},
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
