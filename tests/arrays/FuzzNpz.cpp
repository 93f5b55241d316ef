// libFuzzer over the reader of .npz: whatever the bytes, arrays that fill their memory or an error;
// and what was read survives writing.
//
// Checksums would keep most of what is drawn at the door: the input says what members there are,
// and what is then wrong with the archive around them.
#include "tests/arrays/Elements.h"
#include "tests/arrays/Zip.h"

#include <algorithm>

using namespace keratin;

namespace {

// Takes from the front; zeros when nothing is left.
struct Input {
  std::string_view bytes;

  uint64_t number(size_t length) {
    uint64_t value = 0;
    for (size_t i = 0; i < length && !bytes.empty(); ++i, bytes.remove_prefix(1))
      value |= uint64_t(uint8_t(bytes.front())) << (8 * i);
    return value;
  }
  std::string text(size_t length) {
    std::string result(bytes.substr(0, length));
    bytes.remove_prefix(result.size());
    return result;
  }
};

} // namespace

static std::string archiveFrom(Input input) {
  tests::Zip zip;
  const uint64_t shape = input.number(1);
  for (uint64_t count = shape % 4; count; --count) {
    const uint64_t how = input.number(1);
    std::string name = how & 1 ? input.text(how >> 5) : "x" + std::to_string(count);
    std::string content = input.text(input.number(1));
    // Its magic and a length that is right, else the header is not looked at.
    if (how & 2)
      content = tests::npy(content, input.text(input.number(1)));
    auto &member = zip.add(name + ".npy", content, how & 4);
    if (how & 8)
      member.size = input.number(8);
    if (how & 16) {
      member.hasOffset = true;
      member.offset = input.number(8);
    }
  }
  std::string archive = zip.build(shape & 4 ? "comment" : "", shape & 8);
  for (uint64_t patches = shape >> 6; patches; --patches)
    archive[size_t(input.number(2) % archive.size())] = char(input.number(1));
  return archive;
}

static void check(std::string_view bytes) {
  auto arrays = compiler::parseNpz(bytes);
  if (!arrays.ok())
    return;
  for (const compiler::NamedArray &named : *arrays)
    tests::readAll(named.array);
  auto again = compiler::parseNpz(tests::archiveOf(*arrays));
  if (!again.ok() || again->size() != arrays->size() ||
      !std::equal(arrays->begin(), arrays->end(), again->begin(),
                  [](const compiler::NamedArray &a, const compiler::NamedArray &b) {
                    return a.name == b.name && a.array.dims == b.array.dims &&
                           a.array.data == b.array.data;
                  }))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  check(bytes);
  check(archiveFrom({bytes}));
  return 0;
}
