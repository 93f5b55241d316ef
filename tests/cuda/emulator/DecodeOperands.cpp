// Words of mnemonics and operands.
#include "tests/cuda/emulator/Decode.h"

#include <algorithm>
#include <bit>

namespace keratin::ptx {

void Decoder::fail(const std::string &what) const {
  throw ParseError(statement->line, "'" + std::string(statement->text) + "': " + what);
}

bool Decoder::take(std::string_view word) {
  auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    return false;
  words.erase(found);
  return true;
}

std::string_view Decoder::takeOneOf(std::initializer_list<std::string_view> among) {
  for (std::string_view word : among)
    if (take(word))
      return word;
  return {};
}

Type Decoder::takeType(const char *what) {
  for (auto word = words.begin(); word != words.end(); ++word)
    if (const TypeFacts *type = typeNamed(*word)) {
      words.erase(word);
      return type->type;
    }
  fail(std::string("expected ") + what);
}

Rounding Decoder::takeRounding(bool &found, bool &integral) {
  static constexpr std::pair<std::string_view, Rounding> modes[] = {
      {".rn", Rounding::Nearest},
      {".rz", Rounding::Zero},
      {".rm", Rounding::Down},
      {".rp", Rounding::Up},
      {".rna", Rounding::NearestAway}};
  static constexpr std::pair<std::string_view, Rounding> integerModes[] = {
      {".rni", Rounding::Nearest},
      {".rzi", Rounding::Zero},
      {".rmi", Rounding::Down},
      {".rpi", Rounding::Up}};
  found = true;
  integral = false;
  for (const auto &[word, mode] : modes)
    if (take(word))
      return mode;
  integral = true;
  for (const auto &[word, mode] : integerModes)
    if (take(word))
      return mode;
  found = integral = false;
  return Rounding::Nearest;
}

void Decoder::finishWords() {
  if (!words.empty())
    fail("found '" + std::string(words.front()) + "', which is not known here");
}

void Decoder::needOperands(size_t least, size_t most) {
  size_t count = statement->operands.size();
  if (count < least || count > most)
    fail("found " + std::to_string(count) + " operands, expected " + std::to_string(least) +
         (least == most ? "" : " to " + std::to_string(most)));
}

const Operand &Decoder::operand(size_t index) const {
  if (index >= statement->operands.size())
    fail("operand " + std::to_string(index + 1) + " is missing");
  return statement->operands[index];
}

uint32_t Decoder::constant(uint64_t bits, uint32_t bytes) {
  auto [place, isNew] = constants.try_emplace({bits, bytes});
  if (isNew) {
    place->second = reserve(bytes * 32);
    code.constants.push_back({place->second, bytes, bits});
  }
  return place->second;
}

namespace {
// In the order of Special.
constexpr std::string_view specialNames[] = {
    "%tid.x",          "%tid.y",       "%tid.z",       "%ntid.x",
    "%ntid.y",         "%ntid.z",      "%ctaid.x",     "%ctaid.y",
    "%ctaid.z",        "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
    "%laneid",         "%warpid",      "%nwarpid",     "%smid",
    "%nsmid",          "%gridid",      "%lanemask_eq", "%lanemask_le",
    "%lanemask_lt",    "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size",
    "%total_smem_size"};
static_assert(std::size(specialNames) == size_t(Special::TotalShared) + 1);
} // namespace

uint32_t Decoder::special(std::string_view name, Type type) {
  auto known = std::find(std::begin(specialNames), std::end(specialNames), name);
  if (known == std::end(specialNames))
    fail("the register '" + std::string(name) +
         "' is not declared and no special one that is known");
  Special which = Special(known - std::begin(specialNames));
  uint32_t bytes = which == Special::Grid ? 8 : 4;
  if (bytesOf(type) != bytes)
    fail("the special register " + std::string(name) + " has " + std::to_string(bytes * 8) +
         " bits");
  auto [place, isNew] = specials.try_emplace(which);
  if (isNew) {
    place->second = reserve(bytes * 32);
    code.specials.push_back({which, place->second});
  }
  return place->second;
}

// Of global variables, filled in at the launch; of others a constant within their space.
uint32_t Decoder::variableAddress(const Variable &variable, int64_t offset, uint32_t bytes) {
  if (variable.space != Space::Global && variable.space != Space::Constant) {
    auto place = placeOf.find(&variable);
    if (place == placeOf.end())
      fail("the variable " + variable.name + " cannot be seen here");
    return constant(place->second + uint64_t(offset), bytes);
  }
  if (bytes != 8)
    fail("the address of " + variable.name + " has 64 bits");
  auto [slot, isNew] = variableSlots.try_emplace({&variable, offset});
  if (isNew) {
    slot->second = reserve(8 * 32);
    code.variables.push_back({slot->second, &variable, offset});
  }
  return slot->second;
}

uint32_t Decoder::registerAt(const Operand &operand, bool written) {
  uint32_t offset = registersOf[function][operand.index];
  (written ? writes : reads).push_back(offset);
  return offset;
}

uint32_t Decoder::registerBytes(const Operand &operand) const {
  return std::max(2u, bytesOf(function->registers[operand.index].type));
}

void Decoder::checkSize(const Operand &operand, uint32_t bytes) const {
  const Register &reg = function->registers[operand.index];
  bool isPredicate = reg.type == Type::Pred;
  if (isPredicate || std::max(2u, bytesOf(reg.type)) != std::max(2u, bytes))
    fail("the register " + reg.name +
         (isPredicate ? " is a predicate"
                      : " has " + std::to_string(bytesOf(reg.type) * 8) + " bits") +
         ", expected " + std::to_string(bytes * 8) + " bits");
}

uint64_t Decoder::immediate(const Operand &operand, Type type) const {
  uint32_t bytes = bytesOf(type);
  uint64_t bits = operand.bits;
  if (operand.kind == Operand::Single && bytes == 8)
    bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(bits))));
  if (operand.kind == Operand::Float && bytes == 4)
    bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
  if (operand.kind != Operand::Integer && bytes < 4)
    fail("a constant of 16 bits is written as an integer");
  return bytes == 8 ? bits : bits & ((uint64_t(1) << bytes * 8) - 1);
}

uint32_t Decoder::source(const Operand &operand, Type type) {
  switch (operand.kind) {
  case Operand::RegisterName:
    checkSize(operand, bytesOf(type));
    return registerAt(operand, false);
  case Operand::Integer:
  case Operand::Float:
  case Operand::Single:
    return constant(immediate(operand, type), std::max(2u, bytesOf(type)));
  case Operand::Special:
    return special(operand.name, type);
  case Operand::VariableAddress:
    return variableAddress(*operand.variable, operand.offset, bytesOf(type));
  default:
    fail("an operand is neither a register nor a constant" +
         (operand.name.empty() ? "" : ": '" + std::string(operand.name) + "'"));
  }
}

uint32_t Decoder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Sink)
    return nowhere;
  if (operand.kind != Operand::RegisterName)
    fail("what is written is no register");
  checkSize(operand, bytesOf(type));
  return registerAt(operand, true);
}

uint32_t Decoder::predicate(const Operand &operand, bool &negated) {
  negated = operand.negated;
  if (operand.kind == Operand::Integer) {
    negated = operand.bits == 0;
    return alwaysTrue;
  }
  if (operand.kind != Operand::RegisterName ||
      function->registers[operand.index].type != Type::Pred)
    fail("expected a predicate");
  return registerAt(operand, false);
}

uint32_t Decoder::predicateTo(const Operand &operand) {
  if (operand.kind == Operand::Sink)
    return nowhere;
  if (operand.kind != Operand::RegisterName ||
      function->registers[operand.index].type != Type::Pred)
    fail("expected a predicate to write to");
  return registerAt(operand, true);
}

// An address's base and offset; a variable tells its space better than the mnemonic does.
MemoryAccess Decoder::address(const Operand &operand, Space space) {
  if (operand.kind != Operand::Address)
    fail("expected an address in brackets");
  MemoryAccess access;
  access.space = space;
  access.offset = operand.offset;
  const Operand &base = operand.elements[0];
  if (base.kind == Operand::VariableAddress) {
    const Variable &variable = *base.variable;
    access.base = variableAddress(variable, 0, 8);
    bool ownParameter =
        variable.space == Space::Parameter && (variable.local || function != &entry);
    if (space != Space::Generic || variable.space != Space::Global)
      access.space = ownParameter ? Space::Local : variable.space;
  } else if (base.kind == Operand::RegisterName) {
    access.baseBytes = uint8_t(registerBytes(base));
    if (access.baseBytes < 4 || function->registers[base.index].type == Type::Pred)
      fail("an address has 32 or 64 bits");
    access.base = registerAt(base, false);
  } else if (base.kind == Operand::Integer) {
    access.base = constant(base.bits, 8);
  } else {
    fail("'" + std::string(base.name) + "' is no address");
  }
  if (access.space == Space::Constant)
    access.space = Space::Global;
  return access;
}

} // namespace keratin::ptx
