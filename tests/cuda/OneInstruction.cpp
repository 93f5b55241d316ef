#include "tests/cuda/OneInstruction.h"

#include "tests/cuda/Launcher.h"
#include "tests/cuda/emulator/Lanes.h"

#include <bit>
#include <stdexcept>

namespace keratin::ptx {

namespace {
std::string prefix(int size) {
  return size == 1 ? "%p" : size == 2 ? "%h" : size == 4 ? "%r" : "%q";
}

// Predicates are kept in memory as words.
std::string kernelText(const std::string &mnemonic, const std::vector<int> &sizes,
                       const std::string &last) {
  std::string parameters = ".param .u64 a0", body, operands;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::string number = std::to_string(i);
    int bytes = sizes[i] == 1 ? 4 : sizes[i];
    std::string bits = std::to_string(bytes * 8), reg = prefix(sizes[i]) + number;
    if (i > 0)
      parameters += ", .param .u64 a" + number;
    body += "ld.param.u64 %a" + number + ", [a" + number + "];\nmad.wide.u32 %a" + number +
            ", %i, " + std::to_string(bytes) + ", %a" + number + ";\n";
    operands += (i ? ", " : "") + reg;
    if (i == 0)
      continue;
    std::string to = sizes[i] == 1 ? "%w" + number : reg;
    body += "ld.global.b" + bits + " " + to + ", [%a" + number + "];\n";
    if (sizes[i] == 1)
      body += "setp.ne.u32 " + reg + ", " + to + ", 0;\n";
  }
  body += mnemonic + " " + operands + last + ";\n";
  if (sizes[0] == 1)
    body += "selp.b32 %w0, 1, 0, %p0;\nst.global.b32 [%a0], %w0;\n";
  else
    body += "st.global.b" + std::to_string(sizes[0] * 8) + " [%a0], " + prefix(sizes[0]) + "0;\n";
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(" + parameters +
         ") {\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>, %w<8>, %i, %t, %n;\n.reg .b64 "
         "%q<8>, %a<8>;\n"
         "mov.u32 %i, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmov.u32 %t, %tid.x;\nmad.lo.u32 %i, %i, %n, "
         "%t;\n" +
         body + "ret;\n}\n";
}
} // namespace

std::vector<uint64_t> evaluate(const std::string &mnemonic, const std::vector<int> &sizes,
                               const std::vector<std::vector<uint64_t>> &operands,
                               const std::string &last, bool wide) {
  useWideLanes(wide);
  Launcher launcher(kernelText(mnemonic, sizes, last));
  useWideLanes(true);
  size_t count = operands[0].size();
  auto bytesAt = [&](size_t i) { return size_t(sizes[i] == 1 ? 4 : sizes[i]); };
  Arguments arguments;
  uint64_t result = launcher.upload(std::vector<uint8_t>(count * bytesAt(0)));
  arguments.add(result);
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<uint8_t> packed(count * bytesAt(i + 1));
    for (size_t k = 0; k < count; ++k)
      std::memcpy(&packed[k * bytesAt(i + 1)], &operands[i][k], bytesAt(i + 1));
    arguments.add(launcher.upload(packed));
  }
  // One thread a block where the values are odd in number; lanes beside each other where they are
  // not.
  uint32_t threads = count % 64 == 0 ? 64 : 1;
  if (auto fault = launcher.run("k", {uint32_t(count / threads)}, {threads}, arguments))
    throw std::runtime_error(fault->message);
  std::vector<uint8_t> packed = launcher.download<uint8_t>(result, count * bytesAt(0));
  std::vector<uint64_t> values(count);
  for (size_t k = 0; k < count; ++k)
    std::memcpy(&values[k], &packed[k * bytesAt(0)], bytesAt(0));
  return values;
}

std::vector<std::vector<uint64_t>> combinations(const std::vector<uint64_t> &values, int count) {
  std::vector<std::vector<uint64_t>> lists(static_cast<size_t>(count));
  size_t total = 1;
  for (int i = 0; i < count; ++i)
    total *= values.size();
  size_t padded = (total + 63) / 64 * 64;
  for (size_t k = 0; k < padded; ++k) {
    size_t left = k % total;
    for (auto &list : lists) {
      list.push_back(values[left % values.size()]);
      left /= values.size();
    }
  }
  return lists;
}

std::vector<uint64_t> specialIntegers(int bytes) {
  uint64_t all = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << (bytes * 8)) - 1,
           sign = all ^ (all >> 1);
  return {0,
          1,
          2,
          3,
          7,
          31,
          32,
          33,
          63,
          64,
          100,
          255,
          256,
          sign - 1,
          sign,
          sign + 1,
          all - 1,
          all,
          0x5a5a5a5a5a5a5a5a & all,
          0x123456789abcdef0 & all};
}
std::vector<uint64_t> specialFloats() {
  return {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
          0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40490fdb, 0xc2f6e979, 0x4b7fffff,
          0x4b800001, 0x4f000000, 0xcf000000, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
          0xff800000, 0x7fc00000, 0x3effffff, 0x3f000000, 0x40200000, 0xc0200000};
}
std::vector<uint64_t> specialDoubles() {
  return {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000fffffffffffff,
          0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000001, 0x3fefffffffffffff,
          0x400921fb54442d18, 0xc1e0000000000000, 0x41dfffffffc00000, 0x41efffffffe00000,
          0x43e0000000000000, 0xc3e0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
          0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x7fefffffffffffff,
          0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x3fe0000000000000,
          0x4004000000000000};
}
std::vector<uint64_t> specialHalves() {
  return {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff,
          0x4248, 0xc900, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1400, 0x6400, 0x0555};
}
std::vector<uint64_t> specialBfloats() {
  return {0x0000, 0x8000, 0x0001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f,
          0x4049, 0xc2f6, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x3300, 0x4b00, 0x0055};
}

} // namespace keratin::ptx
