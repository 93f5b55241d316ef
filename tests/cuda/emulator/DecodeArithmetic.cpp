// Arithmetic, comparisons, conversions and moves.
#include "tests/cuda/emulator/Convert.h"
#include "tests/cuda/emulator/Decode.h"
#include "tests/cuda/emulator/Lanes.h"

#include <algorithm>

namespace keratin::ptx {

namespace {
bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
}
// One mnemonic in many spellings: the type of bits of a type's size.
Type bitsOfSize(uint32_t bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}
Type widerThan(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}
std::string nameOf(Type type) { return std::string(facts(type).name); }
} // namespace

void Decoder::useLanes(const std::string &name) {
  now.lanes = findLanes(name);
  if (!now.lanes)
    fail("'" + name + "' is not emulated");
}

void Decoder::setOperands(Type d, std::initializer_list<Type> sources) {
  needOperands(1 + sources.size(), 1 + sources.size());
  uint32_t *places[] = {&now.a, &now.b, &now.c, &now.detail};
  size_t index = 1;
  for (Type type : sources) {
    *places[index - 1] = source(operand(index), type);
    ++index;
  }
  now.d = destination(operand(0), d);
}

void Decoder::arithmetic() {
  std::string name(statement->words[0]);
  if (take(".cc")) {
    words.push_back(".cc");
    return carryArithmetic();
  }
  Type type = takeType();
  if (type == Type::Pred) {
    static constexpr std::pair<std::string_view, Logic> logics[] = {
        {"and", Logic::And}, {"or", Logic::Or}, {"xor", Logic::Xor}, {"not", Logic::Not}};
    for (const auto &[word, logic] : logics)
      if (name == word)
        return predicateOp(logic);
    fail("no predicates");
  }
  if (isFloat(type))
    floatArithmetic(name, type, take(".approx") || take(".full"));
  else
    integerArithmetic(name, type);
}

void Decoder::floatArithmetic(std::string name, Type type, bool chosen) {
  static constexpr std::string_view unaryNames[] = {"neg", "abs", "rcp", "sqrt", "rsqrt",
                                                    "sin", "cos", "ex2", "lg2",  "tanh"};
  bool isUnary =
      std::find(std::begin(unaryNames), std::end(unaryNames), name) != std::end(unaryNames);
  bool isFma = name == "fma" || name == "mad";
  bool rounded = name == "add" || name == "sub" || name == "mul" || isFma || name == "div" ||
                 name == "rcp" || name == "sqrt";
  now.kind = isHalf(type)                                ? Kind::Half
             : type == Type::F64                         ? Kind::Double
             : isFma                                     ? Kind::FloatFma
             : isUnary && name != "neg" && name != "abs" ? Kind::Function
             : name == "div"                             ? Kind::Function
                                                         : Kind::Float;
  std::string key = isFma ? "fma" : name;
  bool full = std::find(statement->words.begin(), statement->words.end(), ".full") !=
              statement->words.end();
  if (chosen || (isUnary && isHalf(type) && (name == "ex2" || name == "tanh"))) {
    key += full ? ".full" : ".approx";
  } else if (rounded) {
    std::string_view mode = takeOneOf({".rn", ".rz", ".rm", ".rp"});
    key += mode.empty() ? ".rn" : std::string(mode);
  }
  if (take(".relu"))
    key += ".relu";
  if (take(".ftz"))
    key += ".ftz";
  if (take(".sat"))
    key += ".sat";
  if (take(".NaN"))
    key += ".NaN";
  useLanes(key + nameOf(type));
  if (isUnary)
    setOperands(type, {type});
  else if (isFma)
    setOperands(type, {type, type, type});
  else
    setOperands(type, {type, type});
}

void Decoder::integerArithmetic(std::string name, Type type) {
  static constexpr std::string_view bitNames[] = {"and",  "or",   "xor", "not",
                                                  "cnot", "popc", "clz", "brev"};
  static constexpr std::string_view unaryNames[] = {"neg",  "abs", "not",  "cnot",
                                                    "popc", "clz", "brev", "bfind"};
  auto isOneOf = [&](const auto &names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  bool isBits = isOneOf(bitNames);
  now.kind = isBits ? Kind::Logic : Kind::Integer;
  Type key = isBits ? bitsOfSize(bytesOf(type)) : type;
  bool wide = take(".wide");
  std::string mode = wide ? ".wide" : std::string(takeOneOf({".lo", ".hi"}));
  if (take(".sat"))
    mode += ".sat";
  if (take(".shiftamt"))
    mode += ".shiftamt";
  useLanes(name + mode + nameOf(key));
  bool counts = name == "popc" || name == "clz" || name == "bfind";
  Type result = wide ? widerThan(type) : counts ? Type::U32 : type;
  if (isOneOf(unaryNames))
    setOperands(result, {type});
  else if (name == "mad" || name == "mad24" || name == "sad")
    setOperands(result, {type, type, result});
  else
    setOperands(result, {type, type});
  // A mask of LLVM's for the half of a vector that it has written.
  if (name == "and" && operand(2).kind == Operand::Integer) {
    const uint32_t quarter = bytesOf(type) * 2; // bits
    for (uint32_t i = 0; i < 4; ++i)
      if ((operand(2).bits >> (i * quarter) & ((uint64_t(1) << quarter) - 1)) == 0)
        ignored |= uint8_t(1u << i);
  }
}

// add.cc and so on: through the carry flag, a predicate of every thread.
void Decoder::carryArithmetic() {
  std::string name(statement->words[0]);
  now.kind = Kind::Integer;
  std::string mode(takeOneOf({".lo", ".hi"}));
  if (take(".cc"))
    mode += ".cc";
  Type type = takeType();
  useLanes(name + mode + nameOf(type));
  now.run = runQuaternary;
  if (name.starts_with("mad"))
    setOperands(type, {type, type, type});
  else
    setOperands(type, {type, type});
  now.detail = carryFlag;
}

void Decoder::shift() {
  now.kind = Kind::Logic;
  Type type = takeType();
  bool right = statement->words[0] == "shr";
  useLanes(std::string(statement->words[0]) + nameOf(right ? type : bitsOfSize(bytesOf(type))));
  setOperands(type, {type, Type::U32});
}

void Decoder::funnelShift() {
  now.kind = Kind::Logic;
  std::string direction(takeOneOf({".l", ".r"})), mode(takeOneOf({".clamp", ".wrap"}));
  Type type = takeType();
  useLanes("shf" + direction + mode + nameOf(type));
  setOperands(type, {type, type, Type::U32});
}

void Decoder::field() {
  now.kind = Kind::Logic;
  Type type = takeType();
  useLanes(std::string(statement->words[0]) + nameOf(type));
  if (statement->words[0] == "bfe")
    return setOperands(type, {type, Type::U32, Type::U32});
  now.run = runQuaternary;
  setOperands(type, {type, type, Type::U32, Type::U32});
}

void Decoder::permuteBytes() {
  now.kind = Kind::Logic;
  Type type = takeType();
  std::string mode(takeOneOf({".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"}));
  useLanes("prmt" + nameOf(type) + mode);
  setOperands(type, {type, type, type});
}

void Decoder::lookUp() {
  now.kind = Kind::Logic;
  Type type = takeType();
  useLanes("lop3" + nameOf(type));
  needOperands(5, 5);
  if (operand(4).kind != Operand::Integer)
    fail("the table of lop3 is a constant");
  now.a = source(operand(1), type);
  now.b = source(operand(2), type);
  now.c = source(operand(3), type);
  now.e = operand(4).bits & 0xff;
  now.d = destination(operand(0), type);
}

void Decoder::dotProduct() {
  now.kind = Kind::Integer;
  Type a = takeType(), b = takeType();
  useLanes("dp4a" + nameOf(a) + nameOf(b));
  setOperands(Type::U32, {a, b, Type::U32});
}

void Decoder::select() {
  now.kind = Kind::Move;
  Type type = takeType();
  needOperands(4, 4);
  useLanes("selp" + nameOf(bitsOfSize(bytesOf(type))));
  now.a = source(operand(1), type);
  now.b = source(operand(2), type);
  bool negated = false;
  now.c = predicate(operand(3), negated);
  if (negated)
    std::swap(now.a, now.b);
  now.d = destination(operand(0), type);
}

void Decoder::selectBySign() {
  now.kind = Kind::Move;
  take(".ftz");
  Type type = takeType(), sign = takeType();
  useLanes("slct" + nameOf(bitsOfSize(bytesOf(type))) + nameOf(sign));
  setOperands(type, {type, type, sign});
}

std::string Decoder::comparisonName(std::string_view relation, bool flush, Type type) const {
  bool bits = facts(type).kind == TypeClass::Bits;
  return "setp" + std::string(relation) + (flush && type == Type::F32 ? ".ftz" : "") +
         nameOf(bits ? bitsOfSize(bytesOf(type)) : type);
}

namespace {
constexpr std::initializer_list<std::string_view> relations = {
    ".eq", ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi",
    ".hs", ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
}

void Decoder::comparison() {
  now.kind = Kind::Compare;
  std::string_view relation = takeOneOf(relations);
  std::string_view logic = takeOneOf({".and", ".or", ".xor"});
  bool flush = take(".ftz");
  Type type = takeType();
  useLanes(comparisonName(relation, flush, type));
  needOperands(logic.empty() ? 3 : 4, logic.empty() ? 3 : 4);
  now.a = source(operand(1), type);
  now.b = source(operand(2), type);
  const Operand &to = operand(0);
  if (logic.empty() && to.kind != Operand::Pair) {
    now.d = predicateTo(to);
    return;
  }
  now.run = compareAndCombine;
  now.e = uintptr_t(logic == ".and"   ? Logic::And
                    : logic == ".or"  ? Logic::Or
                    : logic == ".xor" ? Logic::Xor
                                      : Logic::Move);
  if (!logic.empty()) {
    bool negated = false;
    now.c = predicate(operand(3), negated);
    now.e |= negated ? flipA : 0;
  }
  now.d = predicateTo(to.kind == Operand::Pair ? to.elements[0] : to);
  now.detail = to.kind == Operand::Pair ? predicateTo(to.elements[1]) : nowhere;
}

void Decoder::comparisonToValue() {
  now.kind = Kind::Compare;
  std::string_view relation = takeOneOf(relations);
  bool flush = take(".ftz");
  Type to = takeType(), from = takeType();
  if (bytesOf(to) != 4 || isHalf(to))
    fail("set to 32 bits is what is emulated");
  useLanes(comparisonName(relation, flush, from));
  now.run = compareToValue;
  now.e = isFloat(to) ? 0x3f800000 : 0xffffffff;
  setOperands(to, {from, from});
}

void Decoder::property() {
  now.kind = Kind::Compare;
  std::string_view which =
      takeOneOf({".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"});
  Type type = takeType();
  useLanes("testp" + std::string(which) + nameOf(type));
  needOperands(2, 2);
  now.a = source(operand(1), type);
  now.d = predicateTo(operand(0));
}

void Decoder::copySign() {
  Type type = takeType();
  now.kind = type == Type::F64 ? Kind::Double : Kind::Float;
  useLanes("copysign" + nameOf(type));
  setOperands(type, {type, type});
}

void Decoder::predicateOp(Logic logic) {
  now.kind = Kind::Logic;
  now.run = predicateLogic;
  bool isUnary = logic == Logic::Not || logic == Logic::Move;
  needOperands(isUnary ? 2 : 3, isUnary ? 2 : 3);
  bool flipFirst = false, flipSecond = false;
  now.a = predicate(operand(1), flipFirst);
  if (!isUnary)
    now.b = predicate(operand(2), flipSecond);
  now.e = uintptr_t(logic) | (flipFirst ? flipA : 0) | (flipSecond ? flipB : 0);
  now.d = predicateTo(operand(0));
  moves = logic == Logic::Move;
}

void Decoder::moveValue() {
  now.kind = Kind::Move;
  take(".vec");
  Type type = takeType();
  needOperands(2, 2);
  if (type == Type::Pred)
    return predicateOp(Logic::Move);
  if (operand(0).kind == Operand::Vector || operand(1).kind == Operand::Vector)
    return moveVector(type);
  if (operand(1).kind == Operand::Special &&
      (operand(1).name.starts_with("%clock") || operand(1).name.starts_with("%globaltimer"))) {
    now.run = readClock;
    now.e = bytesOf(type);
    now.d = destination(operand(0), type);
    return;
  }
  useLanes("mov" + nameOf(bitsOfSize(bytesOf(type))));
  now.a = source(operand(1), type);
  now.d = destination(operand(0), type);
  moves = operand(1).kind == Operand::RegisterName;
}

// mov.b64 {%r1, %r2}, %rd1 and the other way round.
void Decoder::moveVector(Type type) {
  bool packs = operand(1).kind == Operand::Vector;
  const std::vector<Operand> &parts = operand(packs ? 1 : 0).elements;
  uint32_t bytes = bytesOf(type) / std::max<uint32_t>(1, uint32_t(parts.size()));
  if ((parts.size() != 2 && parts.size() != 4) || bytes < 2)
    fail("a register of " + std::to_string(bytesOf(type) * 8) + " bits does not have " +
         std::to_string(parts.size()) + " parts");
  Matrix parcel; // the registers of one side
  for (const Operand &part : parts)
    parcel.a.push_back(packs ? source(part, bitsOfSize(bytes))
                             : destination(part, bitsOfSize(bytes)));
  now.run = packs ? packLanes : unpackLanes;
  moves = true;
  now.e = bytes;
  if (packs)
    now.d = destination(operand(0), type);
  else
    now.a = source(operand(1), type);
  now.detail = uint32_t(code.matrices.size());
  code.matrices.push_back(parcel);
}

void Decoder::convertAddress() {
  static constexpr std::pair<std::string_view, uint64_t> windows[] = {
      {".shared", sharedWindow},
      {".shared::cta", sharedWindow},
      {".local", localWindow},
      {".param", parameterWindow},
      {".param::entry", parameterWindow},
      {".global", 0},
      {".const", 0}};
  now.kind = Kind::Move;
  bool toSpace = take(".to");
  uint64_t window = 0;
  for (const auto &[word, start] : windows)
    if (take(word))
      window = start;
  Type type = takeType();
  needOperands(2, 2);
  now.a = source(operand(1), type);
  now.d = destination(operand(0), type);
  if (window == 0) {
    useLanes("mov" + nameOf(bitsOfSize(bytesOf(type))));
    return;
  }
  useLanes(toSpace ? "sub" + nameOf(type) : "add" + nameOf(type));
  now.b = constant(window, bytesOf(type));
}

void Decoder::testSpaceOf() {
  now.kind = Kind::Compare;
  std::string_view which = takeOneOf({".global", ".shared", ".local", ".param", ".const"});
  Type type = takeType();
  needOperands(2, 2);
  now.run = testSpace;
  now.e = which == ".shared" ? 1 : which == ".local" ? 2 : which == ".param" ? 3 : 0;
  now.a = source(operand(1), type);
  now.d = predicateTo(operand(0));
}

bool Decoder::quickConversion(bool rounded, Rounding rounding, bool isPlain, Type to, Type from) {
  // The quick ones fill the whole register, and 8 bits do not.
  if (!isPlain || bytesOf(to) == 1 ||
      (!isFloat(to) && !isFloat(from) && bytesOf(to) == bytesOf(from)))
    return false;
  auto hasSize = [&](const Operand &operand, Type type) {
    return operand.kind != Operand::RegisterName ||
           registerBytes(operand) == std::max(2u, bytesOf(type));
  };
  for (size_t i = 1; i < statement->operands.size(); ++i)
    if (!hasSize(operand(i), from))
      return false;
  if (!hasSize(operand(0), to))
    return false;
  std::string mode = !rounded                                     ? ""
                     : rounding == Rounding::Nearest              ? ".rn"
                     : rounding == Rounding::Zero && !isFloat(to) ? ".rzi"
                                                                  : ".other";
  // A signed source that is not widened is the same as an unsigned one.
  Type key = from, keyTo = to;
  if (!isFloat(to) && !isFloat(from) && bytesOf(to) < bytesOf(from)) {
    key = bytesOf(from) == 8 ? Type::U64 : Type::U32;
    keyTo = bytesOf(to) == 4 ? Type::U32 : Type::U16;
  } else if (!isFloat(to) && !isFloat(from)) {
    keyTo = isSigned(from) ? (bytesOf(to) == 8 ? Type::S64 : Type::S32)
                           : (bytesOf(to) == 8 ? Type::U64 : Type::U32);
  }
  now.lanes = findLanes("cvt" + mode + nameOf(keyTo) + nameOf(key));
  return now.lanes;
}

void Decoder::conversion() {
  now.kind = Kind::Convert;
  bool rounded = false, integral = false;
  Rounding rounding = takeRounding(rounded, integral);
  bool flush = take(".ftz"), saturate = take(".sat"), relu = take(".relu");
  take(".satfinite");
  Type to = takeType(), from = takeType();
  bool pair = to == Type::F16x2 || to == Type::BF16x2;
  needOperands(pair ? 3 : 2, pair ? 3 : 2);
  bool quick = quickConversion(
      rounded, rounding, !flush && !saturate && !relu && !(integral && isFloat(to)), to, from);
  // Registers may be wider than the types.
  auto anySize = [&](const Operand &operand, Type type) {
    return operand.kind == Operand::RegisterName &&
                   function->registers[operand.index].type != Type::Pred
               ? registerAt(operand, false)
               : source(operand, type);
  };
  now.a = anySize(operand(1), from);
  now.b = pair ? anySize(operand(2), from) : uint32_t(alwaysTrue);
  const Operand &result = operand(0);
  if (result.kind != Operand::RegisterName)
    fail("what is written is no register");
  now.d = registerAt(result, true);
  if (registerBytes(result) < bytesOf(to))
    checkSize(result, bytesOf(to));
  if (quick)
    return;
  Type single = to == Type::F16x2 ? Type::F16 : to == Type::BF16x2 ? Type::BF16 : to;
  uint32_t sourceBytes = operand(1).kind == Operand::RegisterName ? registerBytes(operand(1))
                                                                  : std::max(2u, bytesOf(from));
  CvtUse use{{single, from, rounding, integral, saturate, flush, relu},
             pair,
             uint8_t(sourceBytes),
             uint8_t(registerBytes(result))};
  now.run = convertLanes;
  now.detail = uint32_t(code.conversions.size());
  code.conversions.push_back(use);
}

} // namespace keratin::ptx
