#include "tests/cuda/ptx/Parser.h"

namespace keratin::ptx {

Parser::Parser(std::string_view text) : text(text), lexer(text) {
  token = lexer.next();
  ahead = lexer.next();
  scopes.emplace_back();
}

void Parser::fail(const std::string &what) const { throw ParseError(token.line, what); }

void Parser::expected(const std::string &what) const {
  fail("found '" + std::string(token.text) + "', expected " + what);
}

Token Parser::advance() {
  Token taken = token;
  token = ahead;
  ahead = lexer.next();
  return taken;
}

bool Parser::accept(char c) {
  if (!token.is(c))
    return false;
  advance();
  return true;
}

bool Parser::accept(std::string_view word) {
  if (!token.is(word))
    return false;
  advance();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c))
    expected(std::string("'") + c + "'");
}

std::string_view Parser::expectName(const char *what) {
  if (token.kind != TokenKind::Name)
    expected(what);
  return advance().text;
}

uint64_t Parser::expectInteger(const char *what) {
  if (token.kind != TokenKind::Integer)
    expected(what);
  return advance().bits;
}

int64_t Parser::signedInteger() {
  bool negative = accept('-');
  int64_t value = int64_t(expectInteger("an integer"));
  return negative ? -value : value;
}

Program Parser::parse() {
  if (!token.is(".version"))
    expected("'.version': a module of PTX begins with it");
  while (token.kind != TokenKind::End)
    moduleItem();
  return std::move(program);
}

void Parser::version() {
  Token number = advance();
  std::string spelled(number.text);
  if (number.kind != TokenKind::Float ||
      std::sscanf(spelled.c_str(), "%d.%d", &program.majorVersion, &program.minorVersion) != 2)
    throw ParseError(number.line, "found '" + spelled + "', expected a version as 8.0");
  if (program.majorVersion > 9)
    throw ParseError(number.line,
                     "version " + spelled + " of PTX is newer than 9, the newest that is known");
}

void Parser::moduleItem() {
  if (accept(".version"))
    return version();
  if (accept(".target")) {
    program.target = expectName("a target as sm_80");
    while (accept(','))
      expectName("an option of .target");
    return;
  }
  if (accept(".address_size")) {
    if (expectInteger("64") != 64)
      fail("addresses of 64 bits are needed");
    return;
  }
  if (token.is(".file") || token.is(".alias") || token.is(".pragma"))
    return skipStatement();
  if (accept(".section"))
    return skipSection();
  bool isExtern = false;
  while (token.is(".visible") || token.is(".extern") || token.is(".weak") || token.is(".common"))
    isExtern |= advance().text == ".extern";
  if (token.is(".entry") || token.is(".func"))
    return function(advance().text == ".entry");
  if (isSpace(token))
    return variables(program.variables, isExtern, false);
  expected("a directive of a module, a variable, a function or an entry");
}

// .file ends with its line and has no semicolon; a string or integers are its last words.
void Parser::skipStatement() {
  int line = token.line;
  while (token.kind != TokenKind::End && token.line == line)
    advance();
}

void Parser::skipSection() {
  while (!token.is('{') && token.kind != TokenKind::End)
    advance();
  while (!token.is('}') && token.kind != TokenKind::End)
    advance();
  expect('}');
}

std::vector<std::unique_ptr<Variable>> Parser::parameterList() {
  std::vector<std::unique_ptr<Variable>> list;
  expect('(');
  while (!token.is(')')) {
    if (!accept(".param"))
      expected("'.param'");
    list.push_back(declaration(Space::Parameter));
    if (!accept(','))
      break;
  }
  expect(')');
  return list;
}

void Parser::functionDirectives(Function &function) {
  while (token.kind == TokenKind::Dot) {
    std::string_view directive = token.text;
    if (directive == ".maxntid" || directive == ".reqntid") {
      advance();
      uint32_t sizes[3] = {1, 1, 1};
      size_t count = 0;
      do
        sizes[count++] = uint32_t(expectInteger("a number of threads"));
      while (count < 3 && accept(','));
      if (directive == ".maxntid")
        function.maxThreads = sizes[0] * sizes[1] * sizes[2];
      else
        std::copy(sizes, sizes + 3, function.requiredThreads);
    } else if (directive == ".minnctapersm" || directive == ".maxnreg" ||
               directive == ".maxnctapersm") {
      advance();
      expectInteger("a number");
    } else if (directive == ".pragma") {
      advance();
      advance();
      accept(';');
    } else if (directive == ".noreturn") {
      advance();
    } else {
      expected("a directive of a function, as .maxntid");
    }
  }
}

void Parser::function(bool entry) {
  auto made = std::make_unique<Function>();
  made->isEntry = entry;
  made->line = token.line;
  if (!entry && token.is('('))
    made->results = parameterList();
  made->name = expectName("the name of a function");
  if (token.is('('))
    made->parameters = parameterList();
  functionDirectives(*made);
  // A declaration may come before the definition; calls find either by name.
  program.functions.push_back(std::move(made));
  if (!accept(';'))
    body(*program.functions.back());
}

const Function *Program::function(std::string_view name) const {
  const Function *declared = nullptr;
  for (const auto &function : functions) {
    if (function->name != name)
      continue;
    if (function->hasBody)
      return function.get();
    declared = function.get();
  }
  return declared;
}

Program parseProgram(std::string_view text) { return Parser(text).parse(); }

} // namespace keratin::ptx
