// wgmma: products of four warps, which run beside what follows them.
#include "tests/cuda/emulator/Decode.h"

#include <algorithm>

namespace keratin::ptx {

// m64n128k16: 128 columns, 16 depths.
uint32_t Decoder::takeColumns(uint32_t &depths) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    std::string_view digits = *word;
    const bool isEight = digits.ends_with("k8");
    if (!digits.starts_with(".m64n") || (!isEight && !digits.ends_with("k16")))
      continue;
    depths = isEight ? 8 : 16;
    digits = digits.substr(5, digits.size() - (isEight ? 7 : 8));
    uint32_t columns = 0;
    for (char c : digits)
      columns = columns * 10 + uint32_t(c - '0');
    if (digits.size() > 3 || columns == 0 || columns % 8 != 0 || columns > 256)
      break;
    words.erase(word);
    return columns;
  }
  fail("expected .m64nNk16 or .m64nNk8, with N a multiple of 8 up to 256");
}

int64_t Decoder::oneOf(const Operand &operand, std::initializer_list<int64_t> values) const {
  int64_t value = int64_t(operand.bits);
  if (operand.kind != Operand::Integer ||
      std::find(values.begin(), values.end(), value) == values.end())
    fail("found '" + std::string(operand.name) + std::to_string(value) + "', expected the number " +
         std::to_string(*values.begin()) + " or " + std::to_string(*(values.end() - 1)));
  return value;
}

// d, A or its descriptor, B's descriptor, whether d is added, signs of A and B, and which of those
// that lie in memory are transposed (tf32: none, and nothing says so).
void Decoder::warpgroupProduct() {
  now.kind = Kind::Matrix;
  WarpgroupProduct made;
  made.columns = takeColumns(made.depths);
  Type d = takeType(), a = takeType(), b = takeType();
  const bool isOfHalves = a == Type::F16 || a == Type::BF16;
  if (d != Type::F32 || a != b || (!isOfHalves && a != Type::TF32) ||
      made.depths != (isOfHalves ? 16 : 8))
    fail("a product of these types is not emulated");
  made.type = a;
  needOperands(isOfHalves ? 7 : 6, isOfHalves ? 8 : 6);
  auto registers = [&](const Operand &from, size_t count, auto add) {
    if (from.kind != Operand::Vector || from.elements.size() != count)
      fail("found " + std::to_string(from.elements.size()) + " registers, expected " +
           std::to_string(count));
    for (const Operand &each : from.elements)
      add(each);
  };
  bool isAInMemory = operand(1).kind != Operand::Vector;
  if (isOfHalves)
    needOperands(isAInMemory ? 8 : 7, isAInMemory ? 8 : 7);
  if (isAInMemory)
    made.a.descriptor = source(operand(1), Type::B64);
  else
    registers(operand(1), 4,
              [&](const Operand &each) { made.factors.push_back(source(each, Type::B32)); });
  made.b.descriptor = source(operand(2), Type::B64);
  bool negated = false;
  made.adds = predicate(operand(3), negated);
  made.addsFlip = negated ? ~0u : 0;
  made.a.isNegated = oneOf(operand(4), {1, -1}) < 0;
  made.b.isNegated = oneOf(operand(5), {1, -1}) < 0;
  if (isOfHalves && isAInMemory)
    made.a.isTransposed = oneOf(operand(6), {0, 1}) != 0;
  if (isOfHalves)
    made.b.isTransposed = oneOf(operand(isAInMemory ? 7 : 6), {0, 1}) != 0;
  registers(operand(0), made.columns / 2,
            [&](const Operand &each) { made.sums.push_back(destination(each, Type::F32)); });
  now.run = multiplyAsync;
  now.detail = uint32_t(code.products.size());
  code.sharedShift = std::min(code.sharedShift, 2u);
  code.products.push_back(made);
}

void Decoder::warpgroup() {
  if (program.target != "sm_90a")
    fail("found .target " + program.target + ", expected sm_90a");
  now.kind = Kind::Fence;
  bool isFence = take(".fence"), isProduct = take(".mma_async"), isCommit = take(".commit_group"),
       isWait = take(".wait_group");
  if (!isFence && !isProduct && !isCommit && !isWait)
    fail("expected .fence, .mma_async, .commit_group or .wait_group");
  if (!take(".sync") || !take(".aligned"))
    fail("expected .sync.aligned");
  if (isProduct)
    return warpgroupProduct();
  needOperands(isWait ? 1 : 0, isWait ? 1 : 0);
  now.run = isFence ? fenceProducts : isCommit ? commitProducts : waitProducts;
  if (isWait)
    now.e = uintptr_t(immediate(operand(0), Type::U32));
}

// Which of the function's instructions touch registers that products have.
void Decoder::noteProductRegisters(uint32_t first) {
  std::map<uint32_t, uint32_t> numbers;
  const std::vector<uint32_t> &offsets = registersOf[function];
  std::set<uint32_t> own(offsets.begin(), offsets.end());
  for (WarpgroupProduct &product : code.products)
    for (auto [from, into] : {std::pair(&product.sums, &product.sumNumbers),
                              std::pair(&product.factors, &product.factorNumbers)})
      for (uint32_t offset : *from) {
        if (!own.count(offset))
          continue;
        auto [place, isNew] = numbers.try_emplace(offset, uint32_t(code.productRegisters.size()));
        if (isNew)
          code.productRegisters.push_back(
              function
                  ->registers[size_t(std::find(offsets.begin(), offsets.end(), offset) -
                                     offsets.begin())]
                  .name);
        into->push_back(place->second);
      }
  if (numbers.empty())
    return;
  code.productTouches.resize(code.instructions.size());
  for (uint32_t i = first; i < code.instructions.size(); ++i) {
    if (code.instructions[i].run == multiplyAsync)
      continue;
    auto note = [&](const std::vector<uint32_t> &from, std::vector<uint32_t> &into) {
      for (uint32_t offset : from)
        if (auto found = numbers.find(offset); found != numbers.end())
          into.push_back(found->second);
    };
    Code::Touches &touches = code.productTouches[i];
    note(readsOf[i - first], touches.reads);
    note(writesOf[i - first], touches.writes);
    code.instructions[i].touchesProducts = !touches.reads.empty() || !touches.writes.empty();
  }
}

} // namespace keratin::ptx
