// Declarations of variables and registers.
#include "tests/cuda/ptx/Parser.h"

#include <bit>
#include <cstring>
#include <utility>

namespace keratin::ptx {

namespace {
constexpr std::pair<std::string_view, Space> spaces[] = {{".global", Space::Global},
                                                         {".const", Space::Constant},
                                                         {".shared", Space::Shared},
                                                         {".local", Space::Local},
                                                         {".param", Space::Parameter}};

uint64_t bitsAs(Type type, const Token &number, bool negative) {
  uint64_t sign = negative ? ~uint64_t(0) : 0;
  if (number.kind == TokenKind::Integer && !isFloat(type))
    return (number.bits ^ sign) - sign;
  double value = number.kind == TokenKind::Single
                     ? double(std::bit_cast<float>(uint32_t(number.bits)))
                 : number.kind == TokenKind::Integer ? double(number.bits)
                                                     : std::bit_cast<double>(number.bits);
  if (number.kind == TokenKind::Single && bytesOf(type) == 4)
    return number.bits ^ (negative ? 0x80000000u : 0);
  value = negative ? -value : value;
  return bytesOf(type) == 8 ? std::bit_cast<uint64_t>(value)
                            : std::bit_cast<uint32_t>(float(value));
}
} // namespace

bool Parser::isSpace(const Token &token) {
  for (const auto &[name, space] : spaces)
    if (token.is(name))
      return true;
  return false;
}

Space Parser::space() {
  for (const auto &[name, space] : spaces)
    if (accept(name))
      return space;
  expected("a state space as .global");
}

// After the space: alignment, vector, type, name, bounds, first value. Attributes of a pointer
// parameter say nothing that is needed here.
std::unique_ptr<Variable> Parser::declaration(Space space) {
  auto made = std::make_unique<Variable>();
  made->space = space;
  made->line = token.line;
  uint32_t vector = 1;
  bool aligned = false;
  while (token.kind == TokenKind::Dot) {
    std::string_view word = advance().text;
    if (word == ".align") {
      uint32_t alignment = uint32_t(expectInteger("an alignment"));
      if (!std::has_single_bit(alignment))
        fail("the alignment " + std::to_string(alignment) + " is no power of two");
      // After .ptr it is the alignment of what the parameter points to.
      if (!aligned)
        made->alignment = alignment;
      aligned = true;
    } else if (word == ".v2" || word == ".v4") {
      vector = word == ".v2" ? 2 : 4;
    } else if (word == ".ptr") {
      aligned = true;
      made->alignment = bytesOf(made->type);
    } else if (const TypeFacts *type = typeNamed(word)) {
      made->type = type->type;
    } else if (word != ".global" && word != ".shared" && word != ".const" && word != ".local") {
      fail("found '" + std::string(word) + "' in a declaration, expected a type");
    }
  }
  if (made->type == Type::None)
    expected("a type");
  made->bytes = bytesOf(made->type) * vector;
  if (!aligned)
    made->alignment = uint32_t(made->bytes);
  made->name = expectName("the name of a variable");
  arrayBounds(*made);
  return made;
}

void Parser::arrayBounds(Variable &variable) {
  while (accept('[')) {
    if (accept(']')) {
      variable.unsized = true;
      continue;
    }
    variable.bytes *= expectInteger("the size of an array");
    expect(']');
  }
  if (variable.unsized && !token.is('='))
    variable.bytes = 0;
}

void Parser::variables(std::vector<std::unique_ptr<Variable>> &into, bool isExtern, bool local) {
  Space where = space();
  auto made = declaration(where);
  made->isExtern = isExtern;
  made->local = local;
  if (accept('='))
    initialiser(*made);
  const Variable *declared = made.get();
  into.push_back(std::move(made));
  scopes.back()[declared->name] = {Meaning::AVariable, 0, 0, declared};
  expect(';');
}

void Parser::initialiser(Variable &variable) {
  uint64_t at = 0;
  variable.initial.resize(variable.bytes);
  initialValue(variable, at);
  if (variable.unsized)
    variable.bytes = at;
  variable.unsized = false;
}

void Parser::initialValue(Variable &variable, uint64_t &at) {
  if (accept('{')) {
    while (!token.is('}')) {
      initialValue(variable, at);
      if (!accept(','))
        break;
    }
    return expect('}');
  }
  uint32_t bytes = bytesOf(variable.type);
  if (variable.unsized)
    variable.initial.resize(at + bytes);
  if (at + bytes > variable.initial.size())
    fail(variable.name + " has more first values than places");
  if (token.kind == TokenKind::Name) {
    bool generic = token.is("generic") && ahead.is('(');
    if (generic) {
      advance();
      expect('(');
    }
    AddressInitialiser address{at, std::string(expectName("a variable's name")), 0, generic};
    if (generic)
      expect(')');
    if (accept('+'))
      address.offset = signedInteger();
    variable.addresses.push_back(address);
  } else {
    bool negative = accept('-');
    if (token.kind != TokenKind::Integer && token.kind != TokenKind::Float &&
        token.kind != TokenKind::Single)
      expected("a first value");
    uint64_t bits = bitsAs(variable.type, advance(), negative);
    std::memcpy(&variable.initial[at], &bits, bytes);
  }
  at += bytes;
}

void Parser::registers() {
  if (token.kind != TokenKind::Dot)
    expected("the type of registers");
  const TypeFacts *type = typeNamed(token.text);
  if (!type)
    expected("the type of registers");
  advance();
  do {
    std::string_view name = expectName("the name of a register");
    uint32_t first = uint32_t(current->registers.size());
    if (!accept('<')) {
      current->registers.push_back({std::string(name), type->type});
      scopes.back()[name] = {Meaning::OneRegister, first, 1};
      continue;
    }
    uint32_t count = uint32_t(expectInteger("a number of registers"));
    expect('>');
    for (uint32_t i = 0; i < count; ++i)
      current->registers.push_back({std::string(name) + std::to_string(i), type->type});
    scopes.back()[name] = {Meaning::Registers, first, count};
  } while (accept(','));
  expect(';');
}

} // namespace keratin::ptx
