// A module of PTX as its text says it: names resolved, nothing decoded yet.
#pragma once

#include "tests/cuda/ptx/Types.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::ptx {

struct Function;

// A place in an initialiser that holds the address of another variable.
struct AddressInitialiser {
  uint64_t at;
  std::string symbol;
  int64_t offset;
  bool generic;
};

struct Variable {
  std::string name;
  Space space = Space::Generic;
  Type type = Type::None;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  bool isExtern = false;
  bool unsized = false; // `s[]`: as long as the launch says
  bool local = false;   // declared in a function's body
  int line = 0;
  std::vector<uint8_t> initial; // empty: none
  std::vector<AddressInitialiser> addresses;
};

struct Register {
  std::string name;
  Type type;
};

struct Operand {
  enum Kind : uint8_t {
    None,
    RegisterName,    // `index`
    Special,         // %tid.x and its like: `name`
    Integer,         // `bits`
    Float,           // `bits`: of a double
    Single,          // `bits`: of a float
    VariableAddress, // `variable`, `offset`
    FunctionName,    // `name`
    Label,           // `name`, `index` of the instruction once the function is complete
    Address,         // [base + offset]: `elements[0]` is the base
    Vector,          // {a, b}: `elements`
    Pair,            // d|p: `elements`
    Sink             // _
  };
  Kind kind = None;
  bool negated = false; // !p
  uint32_t index = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  const Variable *variable = nullptr;
  std::string_view name;
  std::vector<Operand> elements;
};

struct Statement {
  int line = 0;
  std::string_view text; // without guard and semicolon
  bool guarded = false, guardNegated = false;
  uint32_t guard = 0;
  std::vector<std::string_view> words; // of the mnemonic: "ld", ".global", ".f32"
  std::vector<Operand> operands;
  // Of a call: what returns and what is given, besides `operands`.
  std::vector<Operand> results, arguments;
};

struct Function {
  std::string name;
  bool isEntry = false, hasBody = false;
  int line = 0;
  std::vector<std::unique_ptr<Variable>> parameters, results, variables;
  std::vector<Register> registers;
  std::vector<Statement> statements;
  std::map<std::string_view, uint32_t> labels; // names as the text has them, for messages
  std::map<std::string_view, std::vector<Operand>> branchTargets; // of brx.idx
  uint32_t maxThreads = 0;
  uint32_t requiredThreads[3] = {0, 0, 0};
};

struct Program {
  int majorVersion = 0, minorVersion = 0;
  std::string target;
  std::vector<std::unique_ptr<Variable>> variables;
  std::vector<std::unique_ptr<Function>> functions;
  const Function *function(std::string_view name) const;
};

// Throws ParseError. The program points into the text.
Program parseProgram(std::string_view text);

} // namespace keratin::ptx
