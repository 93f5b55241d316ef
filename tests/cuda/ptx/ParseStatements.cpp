// Bodies of functions: labels, statements, operands.
#include "tests/cuda/ptx/Parser.h"

#include <bit>

namespace keratin::ptx {

void Parser::body(Function &function) {
  current = &function;
  function.hasBody = true;
  scopes.emplace_back();
  for (const auto *list : {&function.parameters, &function.results})
    for (const auto &variable : *list)
      scopes.back()[variable->name] = {Meaning::AVariable, 0, 0, variable.get()};
  block();
  resolveLabels();
  scopes.pop_back();
  current = nullptr;
}

void Parser::block() {
  expect('{');
  scopes.emplace_back();
  while (!token.is('}')) {
    if (token.kind == TokenKind::End)
      expected("'}'");
    bodyItem();
  }
  scopes.pop_back();
  expect('}');
}

void Parser::bodyItem() {
  if (token.is('{'))
    return block();
  if (accept(';'))
    return;
  if (accept(".reg"))
    return registers();
  if (isSpace(token))
    return variables(current->variables, false, true);
  if (token.is(".loc") || token.is(".file") || token.is(".pragma"))
    return skipStatement();
  if (token.kind == TokenKind::Name && ahead.is(':'))
    return label();
  statement();
}

void Parser::label() {
  std::string_view name = advance().text;
  advance();
  if (token.is(".callprototype") || token.is(".calltargets"))
    fail("'" + std::string(token.text) + "': indirect calls are not emulated");
  if (accept(".branchtargets")) {
    current->branchTargets[name] = operandList(';');
    return expect(';');
  }
  if (!current->labels.emplace(name, uint32_t(current->statements.size())).second)
    fail("the label " + std::string(name) + " comes twice");
}

void Parser::guard(Statement &made) {
  if (!accept('@'))
    return;
  made.guarded = true;
  made.guardNegated = accept('!');
  Operand predicate = named(expectName("a predicate"));
  if (predicate.kind != Operand::RegisterName ||
      current->registers[predicate.index].type != Type::Pred)
    fail("the guard of an instruction is no predicate");
  made.guard = predicate.index;
}

void Parser::statement() {
  Statement made;
  guard(made);
  made.line = token.line;
  const char *begin = token.text.data();
  made.words.push_back(expectName("an instruction"));
  while (token.kind == TokenKind::Dot)
    made.words.push_back(advance().text);
  if (made.words[0] == "call")
    callOperands(made);
  else
    made.operands = operandList(';');
  made.text = std::string_view(begin, size_t(token.text.data() - begin));
  while (!made.text.empty() && std::isspace(static_cast<unsigned char>(made.text.back())))
    made.text.remove_suffix(1);
  expect(';');
  current->statements.push_back(std::move(made));
}

// call (results), name, (arguments), prototype;  each part but the name may be missing.
void Parser::callOperands(Statement &made) {
  if (accept('(')) {
    made.results = operandList(')');
    expect(')');
    expect(',');
  }
  made.operands.push_back(named(expectName("the name of a function")));
  if (!accept(','))
    return;
  if (accept('(')) {
    made.arguments = operandList(')');
    expect(')');
  }
  if (accept(','))
    made.operands.push_back(named(expectName("a prototype")));
}

std::vector<Operand> Parser::operandList(char end) {
  std::vector<Operand> list;
  if (token.is(end))
    return list;
  do
    list.push_back(operand());
  while (accept(','));
  return list;
}

Operand Parser::operand() {
  Operand first = primary();
  if (!accept('|'))
    return first;
  Operand pair;
  pair.kind = Operand::Pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(primary());
  return pair;
}

Operand Parser::primary() {
  if (accept('[')) {
    Operand made = address();
    expect(']');
    return made;
  }
  Operand made;
  if (accept('{')) {
    made.kind = Operand::Vector;
    made.elements = operandList('}');
    expect('}');
    return made;
  }
  if (accept('!')) {
    made = named(expectName("a predicate"));
    made.negated = true;
    return made;
  }
  bool negative = accept('-');
  switch (token.kind) {
  case TokenKind::Integer:
    made.kind = Operand::Integer;
    made.bits = advance().bits;
    if (negative)
      made.bits = 0 - made.bits;
    return made;
  case TokenKind::Float:
    made.kind = Operand::Float;
    made.bits = advance().bits ^ (uint64_t(negative) << 63);
    return made;
  case TokenKind::Single:
    made.kind = Operand::Single;
    made.bits = advance().bits ^ (uint64_t(negative) << 31);
    return made;
  default:
    break;
  }
  if (negative)
    expected("a number");
  made = named(expectName("an operand"));
  if (made.kind == Operand::VariableAddress && (token.is('+') || token.is('-'))) {
    bool minus = advance().is('-');
    made.offset = minus ? -signedInteger() : signedInteger();
  }
  return made;
}

Operand Parser::address() {
  Operand made;
  made.kind = Operand::Address;
  if (token.kind == TokenKind::Integer) {
    Operand absolute;
    absolute.kind = Operand::Integer;
    absolute.bits = advance().bits;
    made.elements.push_back(absolute);
  } else {
    made.elements.push_back(named(expectName("an address")));
  }
  while (token.is('+') || token.is('-')) {
    bool minus = advance().is('-');
    int64_t offset = signedInteger();
    made.offset += minus ? -offset : offset;
  }
  return made;
}

const Parser::Meaning *Parser::find(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->find(name);
        found != scope->end() && found->second.kind != Meaning::Registers)
      return &found->second;
  return nullptr;
}

// %r17 of `.reg .b32 %r<20>`.
const Parser::Meaning *Parser::findNumbered(std::string_view name, uint32_t &index) const {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])))
    --digits;
  // A prefix may end in digits itself; the longest run of digits is what compilers mean, shorter
  // ones are tried too.
  for (; digits < name.size(); ++digits) {
    std::string_view prefix = name.substr(0, digits);
    index = 0;
    for (char c : name.substr(digits))
      index = index * 10 + uint32_t(c - '0');
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto found = scope->find(prefix); found != scope->end() &&
                                            found->second.kind == Meaning::Registers &&
                                            index < found->second.count)
        return &found->second;
  }
  return nullptr;
}

Operand Parser::named(std::string_view name) {
  Operand made;
  made.name = name;
  uint32_t number = 0;
  if (name == "_") {
    made.kind = Operand::Sink;
  } else if (const Meaning *meaning = find(name)) {
    made.kind =
        meaning->kind == Meaning::AVariable ? Operand::VariableAddress : Operand::RegisterName;
    made.index = meaning->index;
    made.variable = meaning->variable;
  } else if (const Meaning *meaning = findNumbered(name, number)) {
    made.kind = Operand::RegisterName;
    made.index = meaning->index + number;
  } else if (name[0] == '%') {
    made.kind = Operand::Special;
    if (token.kind == TokenKind::Dot) // %tid.x
      made.name = std::string_view(name.data(),
                                   size_t(token.text.data() - name.data()) + advance().text.size());
  } else if (program.function(name)) {
    made.kind = Operand::FunctionName;
  } else {
    made.kind = Operand::Label;
  }
  return made;
}

void Parser::resolveLabel(Operand &operand, int line) const {
  if (operand.kind != Operand::Label || current->branchTargets.count(operand.name))
    return;
  auto found = current->labels.find(operand.name);
  if (found == current->labels.end())
    throw ParseError(line, "'" + std::string(operand.name) +
                               "' is neither declared nor a label of " + current->name);
  operand.index = found->second;
}

void Parser::resolveLabels() {
  for (Statement &statement : current->statements)
    for (Operand &operand : statement.operands)
      resolveLabel(operand, statement.line);
  for (auto &[name, targets] : current->branchTargets)
    for (Operand &target : targets)
      resolveLabel(target, current->line);
}

} // namespace keratin::ptx
