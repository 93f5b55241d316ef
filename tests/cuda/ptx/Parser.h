// From tokens to a Program.
#pragma once

#include "tests/cuda/ptx/Lexer.h"
#include "tests/cuda/ptx/Program.h"

#include <unordered_map>

namespace keratin::ptx {

class Parser {
public:
  explicit Parser(std::string_view text);
  Program parse();

private:
  // What a name stands for, in the innermost scope that declares it.
  struct Meaning {
    enum Kind : uint8_t { OneRegister, Registers, AVariable } kind;
    uint32_t index = 0, count = 0;
    const Variable *variable = nullptr;
  };
  using Scope = std::unordered_map<std::string_view, Meaning>;

  // Tokens.
  [[noreturn]] void fail(const std::string &what) const;
  [[noreturn]] void expected(const std::string &what) const;
  Token advance();
  bool accept(char c);
  bool accept(std::string_view word);
  void expect(char c);
  std::string_view expectName(const char *what);
  uint64_t expectInteger(const char *what);
  int64_t signedInteger();

  // The module (Parser.cpp).
  void moduleItem();
  void version();
  void function(bool entry);
  void functionDirectives(Function &function);
  void skipStatement();
  void skipSection();
  std::vector<std::unique_ptr<Variable>> parameterList();

  // Declarations (ParseVariables.cpp).
  static bool isSpace(const Token &token);
  Space space();
  std::unique_ptr<Variable> declaration(Space space);
  void variables(std::vector<std::unique_ptr<Variable>> &into, bool isExtern, bool local);
  void arrayBounds(Variable &variable);
  void initialiser(Variable &variable);
  void initialValue(Variable &variable, uint64_t &at);
  void registers();

  // Bodies (ParseStatements.cpp).
  void body(Function &function);
  void block();
  void bodyItem();
  void statement();
  void guard(Statement &statement);
  void callOperands(Statement &statement);
  std::vector<Operand> operandList(char end);
  Operand operand();
  Operand primary();
  Operand named(std::string_view name);
  Operand address();
  void label();
  void resolveLabels();
  void resolveLabel(Operand &operand, int line) const;
  const Meaning *find(std::string_view name) const;
  const Meaning *findNumbered(std::string_view name, uint32_t &index) const;

  std::string_view text;
  Lexer lexer;
  Token token, ahead;
  Program program;
  Function *current = nullptr;
  std::vector<Scope> scopes;
};

} // namespace keratin::ptx
