// Loads, stores, atomics, asynchronous copies, matrices.
#include "tests/cuda/emulator/Decode.h"

#include <algorithm>
#include <bit>

namespace keratin::ptx {

namespace {
constexpr std::pair<std::string_view, Space> spaceWords[] = {
    {".global", Space::Global},          {".shared", Space::Shared},
    {".shared::cta", Space::Shared},     {".local", Space::Local},
    {".const", Space::Global},           {".param", Space::Parameter},
    {".param::entry", Space::Parameter}, {".param::func", Space::Parameter}};

// Of no consequence for what is computed.
bool isHint(std::string_view word) {
  static constexpr std::string_view hints[] = {
      ".ca",  ".cg",      ".cs",  ".lu",  ".cv", ".wb",   ".wt",      ".nc",
      ".cta", ".cluster", ".gpu", ".sys", ".gl", ".weak", ".unified", ".noftz"};
  return std::find(std::begin(hints), std::end(hints), word) != std::end(hints) ||
         word.starts_with(".L1::") || word.starts_with(".L2::") || word.starts_with(".level::");
}

Kind kindOf(Space space, bool isStore) {
  switch (space) {
  case Space::Shared:
    return isStore ? Kind::StoreShared : Kind::LoadShared;
  case Space::Local:
    return Kind::Local;
  case Space::Parameter:
    return Kind::Parameter;
  default:
    return isStore ? Kind::StoreGlobal : Kind::LoadGlobal;
  }
}
} // namespace

// Space, order and hints of a memory instruction.
void Decoder::takeAccessWords(MemoryAccess &access, Space &space) {
  space = Space::Generic;
  for (const auto &[word, which] : spaceWords)
    if (take(word))
      space = which;
  access.acquire = take(".acquire") || take(".acq_rel");
  access.release = take(".release") || (access.acquire && statement->words[0] != "ld");
  if (statement->words[0] == "atom" || statement->words[0] == "red")
    access.release = std::find(statement->words.begin(), statement->words.end(), ".acq_rel") !=
                         statement->words.end() ||
                     std::find(statement->words.begin(), statement->words.end(), ".release") !=
                         statement->words.end();
  access.strong =
      take(".volatile") || take(".relaxed") || take(".mmio") || access.acquire || access.release;
  words.erase(std::remove_if(words.begin(), words.end(), isHint), words.end());
}

void Decoder::noteSmallest(const MemoryAccess &access) {
  uint32_t shift = uint32_t(std::countr_zero(std::max<unsigned>(access.bytes, 1u)));
  if (access.space == Space::Global || access.space == Space::Generic)
    code.globalShift = std::min(code.globalShift, shift);
  if (access.space == Space::Shared || access.space == Space::Generic)
    code.sharedShift = std::min(code.sharedShift, shift);
}

void Decoder::accessElements(MemoryAccess &access, const Operand &values, Type type, bool written) {
  access.bytes = uint8_t(bytesOf(type));
  access.signExtend = isSigned(type);
  if ((values.kind == Operand::Vector) != (access.count > 1) ||
      (access.count > 1 && values.elements.size() != access.count))
    fail("found " + std::to_string(std::max<size_t>(values.elements.size(), 1)) +
         " values, expected " + std::to_string(access.count));
  access.registerBytes = uint8_t(std::max(2u, bytesOf(type)));
  for (size_t i = 0; i < access.count; ++i) {
    const Operand &value = access.count > 1 ? values.elements[i] : values;
    if (value.kind == Operand::Sink && written)
      continue;
    if (value.kind != Operand::RegisterName) {
      if (written)
        fail("what is loaded needs a register");
      access.registers[i] = source(value, type);
      continue;
    }
    // Registers may be wider than what lies in memory, and all of one instruction are equally wide.
    uint32_t bytes = registerBytes(value);
    if (bytes < bytesOf(type) || function->registers[value.index].type == Type::Pred ||
        (i > 0 && bytes != access.registerBytes))
      checkSize(value, i > 0 ? access.registerBytes : bytesOf(type));
    access.registerBytes = uint8_t(bytes);
    access.registers[i] = registerAt(value, written);
  }
}

// Words and operands of a load or a store; the address is the source of one, the destination of the
// other.
MemoryAccess Decoder::takeElements(bool isStore) {
  MemoryAccess order;
  Space space;
  takeAccessWords(order, space);
  uint8_t count = take(".v2") ? 2 : take(".v4") ? 4 : 1;
  Type type = takeType();
  bool hint = operandsWithHint(2);
  needOperands(2, hint ? 3 : 2);
  MemoryAccess access = address(operand(isStore ? 0 : 1), space);
  access.isStore = isStore;
  access.strong = order.strong;
  access.acquire = !isStore && order.acquire;
  access.release = isStore && order.release;
  access.count = count;
  accessElements(access, operand(isStore ? 1 : 0), type, !isStore);
  noteSmallest(access);
  now.kind = kindOf(access.space, isStore);
  return access;
}

void Decoder::load() {
  MemoryAccess access = takeElements(/*isStore=*/false);
  bool isStatic =
      access.space == Space::Parameter && operand(1).elements[0].kind == Operand::VariableAddress;
  if (isStatic)
    access.offset += placeOf.at(operand(1).elements[0].variable);
  now.run = isStatic ? loadParameter : loadMemory;
  now.detail = uint32_t(code.accesses.size());
  code.accesses.push_back(access);
}

void Decoder::store() {
  MemoryAccess access = takeElements(/*isStore=*/true);
  if (access.space == Space::Parameter)
    fail("parameters of a kernel are not written");
  now.run = storeMemory;
  now.detail = uint32_t(code.accesses.size());
  code.accesses.push_back(access);
}

// A policy of the cache, as a last operand.
bool Decoder::operandsWithHint(size_t expected) const {
  return statement->operands.size() == expected + 1;
}

void Decoder::prefetch() {
  words.clear();
  now.run = doNothing;
  now.kind = Kind::Other;
}

void Decoder::atomicUpdate() {
  static constexpr std::pair<std::string_view, AtomicOp> ops[] = {
      {".add", AtomicOp::Add},       {".min", AtomicOp::Min},
      {".max", AtomicOp::Max},       {".inc", AtomicOp::Inc},
      {".dec", AtomicOp::Dec},       {".and", AtomicOp::And},
      {".or", AtomicOp::Or},         {".xor", AtomicOp::Xor},
      {".exch", AtomicOp::Exchange}, {".cas", AtomicOp::CompareAndSwap}};
  now.kind = Kind::Atomic;
  Atomic made;
  made.hasResult = statement->words[0] == "atom";
  MemoryAccess order;
  Space space;
  takeAccessWords(order, space);
  bool known = false;
  for (const auto &[word, op] : ops)
    if (!known && take(word)) {
      made.op = op;
      known = true;
    }
  if (!known)
    fail("expected an operation as .add");
  made.type = takeType();
  bool isCas = made.op == AtomicOp::CompareAndSwap;
  size_t first = made.hasResult ? 1 : 0;
  needOperands(first + (isCas ? 3 : 2), first + (isCas ? 3 : 2));
  made.access = address(operand(first), space);
  made.access.strong = true;
  made.access.acquire = order.acquire;
  made.access.release = order.release;
  made.access.bytes = made.access.registerBytes = uint8_t(bytesOf(made.type));
  made.value = source(operand(first + 1), made.type);
  made.other = isCas ? source(operand(first + 2), made.type) : uint32_t(alwaysTrue);
  if (made.hasResult)
    made.result = destination(operand(0), made.type);
  noteSmallest(made.access);
  now.run = updateMemory;
  now.detail = uint32_t(code.atomics.size());
  code.atomics.push_back(made);
}

// cp.async and what commits it and waits for it.
void Decoder::asyncCopy() {
  now.kind = Kind::CopyAsync;
  if (!take(".async"))
    fail("cp.async is the only copy that is emulated");
  if (take(".commit_group")) {
    now.run = commitGroup;
    return;
  }
  if (take(".wait_all") || take(".wait_group")) {
    now.run = waitGroups;
    // wait_all waits for what is not committed, too: e is then all ones.
    now.e =
        statement->operands.empty() ? ~uintptr_t(0) : uintptr_t(immediate(operand(0), Type::U32));
    return;
  }
  if (!take(".ca") && !take(".cg"))
    fail("expected .ca, .cg, .commit_group, .wait_group or .wait_all");
  AsyncCopy made;
  MemoryAccess order;
  Space space;
  take(".shared");
  take(".shared::cta");
  take(".global");
  takeAccessWords(order, space);
  needOperands(3, 5);
  made.to = address(operand(0), Space::Shared);
  made.to.isStore = true;
  made.from = address(operand(1), Space::Global);
  if (operand(2).kind != Operand::Integer)
    fail("the size of a copy is a constant");
  made.bytes = uint32_t(operand(2).bits);
  if (made.bytes != 4 && made.bytes != 8 && made.bytes != 16)
    fail("found a copy of " + std::to_string(made.bytes) + " bytes, expected 4, 8 or 16");
  made.to.bytes = made.from.bytes = uint8_t(made.bytes);
  if (statement->operands.size() > 3) {
    const Operand &last = operand(3);
    made.hasIgnore =
        last.kind == Operand::RegisterName && function->registers[last.index].type == Type::Pred;
    bool negated = false;
    if (made.hasIgnore)
      made.ignore = predicate(last, negated);
    else
      made.sourceBytes = source(last, Type::U32);
    made.hasSourceBytes = !made.hasIgnore;
  }
  now.run = copyAsync;
  now.detail = uint32_t(code.copies.size());
  code.copies.push_back(made);
}

void Decoder::matrixLoad() {
  now.kind = Kind::LoadMatrix;
  LoadMatrix made;
  take(".sync");
  take(".aligned");
  if (!take(".m8n8"))
    fail("expected .m8n8");
  size_t count = take(".x1") ? 1 : take(".x2") ? 2 : take(".x4") ? 4 : 0;
  made.transposed = take(".trans");
  take(".shared");
  take(".shared::cta");
  if (takeType() != Type::B16 || count == 0)
    fail("expected .x1, .x2 or .x4 and .b16");
  needOperands(2, 2);
  made.access = address(operand(1), Space::Shared);
  made.access.bytes = 16;
  const Operand &to = operand(0);
  const std::vector<Operand> one{to};
  const std::vector<Operand> &registers = to.kind == Operand::Vector ? to.elements : one;
  if (registers.size() != count)
    fail("found " + std::to_string(registers.size()) + " registers, expected " +
         std::to_string(count));
  for (const Operand &each : registers)
    made.d.push_back(destination(each, Type::B32));
  code.sharedShift = std::min(code.sharedShift, 2u);
  now.run = loadMatrix;
  now.detail = uint32_t(code.loadMatrices.size());
  code.loadMatrices.push_back(made);
}

namespace {
struct ShapeFacts {
  std::string_view shape;
  Type type;
  uint8_t m, n, k;
  uint8_t a, b; // registers
};
constexpr ShapeFacts shapes[] = {
    {".m16n8k16", Type::F16, 16, 8, 16, 4, 2}, {".m16n8k16", Type::BF16, 16, 8, 16, 4, 2},
    {".m16n8k8", Type::F16, 16, 8, 8, 2, 1},   {".m16n8k8", Type::BF16, 16, 8, 8, 2, 1},
    {".m16n8k8", Type::TF32, 16, 8, 8, 4, 2},  {".m16n8k4", Type::TF32, 16, 8, 4, 2, 1},
    {".m8n8k4", Type::F64, 8, 8, 4, 1, 1},     {".m16n8k4", Type::F64, 16, 8, 4, 2, 1},
    {".m16n8k8", Type::F64, 16, 8, 8, 4, 2},   {".m16n8k16", Type::F64, 16, 8, 16, 8, 4}};
} // namespace

// mma.sync.aligned.shape.row.col.d.a.b.c
void Decoder::matrixProduct() {
  now.kind = Kind::Matrix;
  take(".sync");
  take(".aligned");
  std::string_view shape = takeOneOf({".m16n8k16", ".m16n8k8", ".m16n8k4", ".m8n8k4"});
  if (!take(".row") || !take(".col"))
    fail("expected .row.col");
  Type d = takeType(), a = takeType(), b = takeType(), c = takeType();
  const ShapeFacts *facts = nullptr;
  for (const ShapeFacts &candidate : shapes)
    if (candidate.shape == shape && candidate.type == a)
      facts = &candidate;
  bool accumulates =
      d == c &&
      (a == Type::F64 ? d == Type::F64 : d == Type::F32 || (d == Type::F16 && a == Type::F16));
  if (!facts || a != b || !accumulates)
    fail("a product of this shape and these types is not emulated");
  needOperands(4, 4);
  Matrix made{{a, d, facts->m, facts->n, facts->k}, {}, {}, {}, {}};
  size_t sums = a == Type::F64 ? facts->m / 4 : d == Type::F16 ? 2 : 4;
  Type part = a == Type::F64 ? Type::F64 : Type::B32;
  auto registers = [&](const Operand &from, size_t count, std::vector<uint32_t> &into,
                       bool written) {
    const std::vector<Operand> one{from};
    const std::vector<Operand> &list = from.kind == Operand::Vector ? from.elements : one;
    if (list.size() != count)
      fail("found " + std::to_string(list.size()) + " registers, expected " +
           std::to_string(count));
    for (const Operand &each : list)
      into.push_back(written ? destination(each, part) : source(each, part));
  };
  registers(operand(1), facts->a, made.a, false);
  registers(operand(2), facts->b, made.b, false);
  registers(operand(3), sums, made.c, false);
  registers(operand(0), sums, made.d, true);
  now.run = multiplyMatrix;
  now.detail = uint32_t(code.matrices.size());
  code.matrices.push_back(made);
}

} // namespace keratin::ptx
