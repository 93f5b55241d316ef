#include "ir/text/SourceText.h"

#include "ir/saved/SavedFormat.h"
#include "ir/text/FileKind.h"
#include "ir/text/SourceLexer.h"
#include "runtime/files/FileBytes.h"

#include "mlir/Parser/Parser.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace keratin::ir;
using llvm::isDigit;
using llvm::SaturatingAdd;
using llvm::SaturatingMultiply;
using llvm::StringRef;
using llvm::Twine;

namespace {

// What the parser and the module take for a piece of text at most, measured, beside what is
// proportional to its length. What is kept once however often it is written counts once.
enum Cost : uint64_t {
  kDefinedValueCost = 500,
  kUsedValueCost = 90,
  kBlockCost = 340,
  kModuleCost = 450,
  kElementCost = 24,
  kParameterCost = 90, // a type of a signature
  kNumberInTensorCost = 64,
  kSizeCost = 70,
  kSizeSymbolCost = 360,
  kNewWordCost = 160,
  kNewNumberCost = 330,
  kNewStringCost = 400,
  kNewSymbolCost = 520,
  kNewGroupCost = 300
};

class SourceReader {
public:
  explicit SourceReader(StringRef source) : source(source), lexer(source) {}

  std::optional<SourceRefusal> run();

private:
  // What is known of an open bracket.
  struct Bracket {
    enum Role { Other, Shape, Tensor, Array, List, Sizes, Resources };

    SourceToken token;
    Role role = Other;
    bool isBooleans = false; // Array: of i1
    bool isCounting = true;  // Shape: its dimensions have not ended
    bool isSum = false;      // Sizes: parentheses that are not those of a function
    unsigned factors = 0;    // Sizes: of the present term
    uint64_t elements = 0;   // of lists; Shape: dimensions

    bool isFirst(const SourceToken &previous) const {
      return previous.text.data() == token.text.data();
    }
    bool isList() const { return role == Tensor || role == Array || role == List || role == Sizes; }
  };
  struct Alias {
    uint64_t words = 0;     // that it stands for
    uint64_t depth = 0;     // of the brackets in it
    uint64_t uses = 0;      // before it is defined, as the locations of ops are
    uint64_t useDepth = 0;  // of the brackets around the deepest of these
    bool isDefined = false; // or being defined
  };

  // These give whether to go on.
  bool refuse(const char *place, const Twine &why, bool isLimit = false);
  bool refuse(const Twine &why) { return refuse(token.text.data(), why); }
  bool limit(const Twine &why) { return refuse(token.text.data(), why, /*isLimit=*/true); }
  bool checkBytes();
  bool visit();
  bool visitEnd();
  bool visitWord();
  bool visitNumber();
  bool visitString();
  bool visitValue();
  bool visitResultNumber();
  bool visitName();
  bool visitResources();
  bool visitMark();
  bool open();
  bool close();
  bool visitComma();
  bool visitTimes();
  bool countSumProduct();
  bool countDimensions(uint64_t count);
  bool useAlias();
  bool defineAlias();
  bool endAlias();
  bool noteDepth(uint64_t now);
  bool noteWords(uint64_t count);
  bool charge(uint64_t bytes);
  bool chargeNew(StringRef text, Cost cost);

  Bracket *innermost() { return brackets.empty() ? nullptr : &brackets.back(); }
  bool isIn(Bracket::Role role) const { return !brackets.empty() && brackets.back().role == role; }
  Bracket::Role roleOfOpened();

  StringRef source;
  SourceLexer lexer;
  SourceToken token, previous, beforePrevious;
  llvm::SmallVector<Bracket, 16> brackets;
  bool closedSum = false;                         // the last bracket closed was a sum of sizes
  llvm::StringMap<Alias> aliases;                 // with # or !
  llvm::StringMapEntry<Alias> *defined = nullptr; // the one whose definition is being read
  llvm::StringMap<uint64_t> results;              // of values that stand for several
  llvm::DenseSet<uint64_t> seen;                  // hashes of what is kept once
  uint64_t words = 0, bytes = 0;
  unsigned sumProducts = 0;
  std::optional<SourceRefusal> refusal;
};

bool SourceReader::refuse(const char *place, const Twine &why, bool isLimit) {
  StringRef before = source.take_front(size_t(place - source.begin()));
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  refusal = {before.count('\n') + 1, before.size() - lineStart + 1, why.str(), isLimit};
  return false;
}

// The parser takes NUL for a space, and hands on whatever stands in strings.
bool SourceReader::checkBytes() {
  const char *begin = source.begin();
  if (source.starts_with("ML\xEFR"))
    return refuse(begin, "MLIR bytecode; needed textual IR");
  if (source.size() > kMaxSourceBytes)
    return refuse(begin, "a text of more than " + Twine(kMaxSourceBytes >> 20) + " MiB",
                  /*isLimit=*/true);
  if (size_t nul = source.find('\0'); nul != StringRef::npos)
    return refuse(begin + nul, "a NUL byte; needed text");
  auto *place = reinterpret_cast<const llvm::UTF8 *>(begin);
  if (!llvm::isLegalUTF8String(&place, reinterpret_cast<const llvm::UTF8 *>(source.end())))
    return refuse(reinterpret_cast<const char *>(place), "bytes that are not UTF-8; needed text");
  return true;
}

std::optional<SourceRefusal> SourceReader::run() {
  if (!checkBytes())
    return refusal;
  do {
    beforePrevious = previous;
    previous = token;
    token = lexer.next();
    if (!noteWords(1) || !visit())
      return refusal;
  } while (token.kind != TokenKind::End);
  return std::nullopt;
}

bool SourceReader::visit() {
  // "array<i1: 0>" becomes an array with one element and no bytes, which whoever prints it reads
  // beyond; an alias may stand for i1.
  if (isIn(Bracket::Array) && innermost()->isFirst(previous) && token.kind != TokenKind::Word)
    return refuse("an array of a named type; needed a type in words");
  bool isQuoted = token.kind == TokenKind::String || token.text.ends_with("\"");
  if (token.text.size() > kMaxNameLength && !isQuoted && token.kind != TokenKind::Number)
    return limit("a name of more than " + Twine(kMaxNameLength) + " characters");
  switch (token.kind) {
  case TokenKind::Wrong:
    return refuse(lexer.message());
  case TokenKind::End:
    return visitEnd();
  case TokenKind::Word:
    return visitWord();
  case TokenKind::Number:
    return visitNumber();
  case TokenKind::String:
    return visitString();
  case TokenKind::Value:
    return visitValue();
  case TokenKind::Block:
    return charge(kBlockCost);
  case TokenKind::Symbol:
    return chargeNew(token.text, kNewSymbolCost);
  case TokenKind::Attribute:
  case TokenKind::Type:
    return visitName();
  case TokenKind::Resources:
    return visitResources();
  case TokenKind::Mark:
    return visitMark();
  case TokenKind::Arrow:
    return true;
  }
  llvm_unreachable("all kinds of tokens are handled");
}

bool SourceReader::visitEnd() {
  if (brackets.empty())
    return endAlias();
  const SourceToken &open = brackets.back().token;
  return refuse(open.text.data(), "'" + open.text + "' is never closed");
}

// The bits of "i32", "si8", "ui64", also at the end of a shape; 0 for any other word.
uint64_t integerWidth(StringRef word) {
  size_t digits = word.size();
  while (digits > 0 && isDigit(word[digits - 1]))
    --digits;
  StringRef type = word.take_front(digits);
  StringRef before = type.take_while([](char c) { return c == 'x' || isDigit(c); });
  type = type.drop_front(before.size());
  uint64_t width = 0;
  if (type != "i" && type != "si" && type != "ui")
    return 0;
  return word.drop_front(digits).empty()                   ? 0
         : word.drop_front(digits).getAsInteger(10, width) ? UINT64_MAX
                                                           : width;
}

bool SourceReader::visitWord() {
  if (integerWidth(token.text) > kMaxIntegerWidth)
    return refuse("integers of more than " + Twine(kMaxIntegerWidth) + " bits");
  if (!charge(token.text == "module" ? kModuleCost : 0) || !chargeNew(token.text, kNewWordCost))
    return false;
  Bracket *bracket = innermost();
  if (!bracket) // an op: the definition of an alias is over
    return token.text.contains('.') || token.text == "module" ? endAlias() : true;
  switch (bracket->role) {
  case Bracket::Array:
    bracket->isBooleans |= bracket->isFirst(previous) && token.text == "i1";
    return true;
  case Bracket::Shape: {
    if (!bracket->isCounting)
      return true;
    // "x4x8xf32" after a number, or "x" alone.
    StringRef sizes = token.text.take_while([](char c) { return c == 'x' || isDigit(c); });
    bracket->isCounting = sizes.size() == token.text.size();
    uint64_t count = 0;
    for (size_t i = 1; i < sizes.size(); ++i)
      count += isDigit(sizes[i]) && sizes[i - 1] == 'x';
    return countDimensions(count);
  }
  case Bracket::Sizes:
    return charge(kSizeSymbolCost);
  case Bracket::Resources:
    return token.text != "dialect_resources" || refuse("resources of dialects");
  default:
    return true;
  }
}

bool SourceReader::countDimensions(uint64_t count) {
  innermost()->elements += count;
  return innermost()->elements <= kMaxSourceRank ||
         limit("a tensor of more than " + Twine(kMaxSourceRank) + " dimensions");
}

bool SourceReader::visitNumber() {
  if (token.text.size() > kMaxNumberLength)
    return limit("a number of more than " + Twine(kMaxNumberLength) + " characters");
  // "%x:2 =": so many results.
  if (previous.is(':') && beforePrevious.kind == TokenKind::Value) {
    uint64_t count = 0;
    if (token.text.getAsInteger(10, count))
      return refuse("a number of results that is none");
    uint64_t &known = results[beforePrevious.text];
    known = std::max(known, count);
    return true;
  }
  Bracket *bracket = innermost();
  if (!bracket)
    return true;
  if (bracket->role == Bracket::Shape && bracket->isCounting)
    return countDimensions(token.text.contains('x') ? 2 : 1); // "0x4xf32" begins with "0x4"
  if (bracket->isBooleans)
    return refuse("a number in an array of i1; needed true and false");
  if (bracket->role == Bracket::Tensor || bracket->role == Bracket::Array ||
      bracket->role == Bracket::Sizes)
    return true;
  return chargeNew(token.text, kNewNumberCost);
}

bool SourceReader::visitString() {
  // A pipeline to run, whose parser recurses.
  if (!brackets.empty() && brackets.front().role == Bracket::Resources) {
    uint64_t depth = 0;
    for (char c : token.text) {
      depth += c == '(' || c == '{';
      depth -= depth > 0 && (c == ')' || c == '}');
      if (!noteDepth(brackets.size() + depth))
        return false;
    }
  }
  return chargeNew(token.text, kNewStringCost);
}

// "%x =", and "%x: type" of an argument, but not the last operand in "keratin.tanh %x : (…)".
bool SourceReader::visitValue() {
  SourceToken next = lexer.peekToken();
  bool isArgument = next.is(':') && !brackets.empty() && brackets.back().token.is('(');
  return charge(next.is('=') || isArgument ? kDefinedValueCost : kUsedValueCost);
}

// The parser makes room for as many results as are named.
bool SourceReader::visitResultNumber() {
  uint64_t number = 0;
  auto known = results.find(previous.text);
  uint64_t count = known == results.end() ? 1 : known->second;
  if (token.text.drop_front().getAsInteger(10, number) || number >= count)
    return refuse("'" + previous.text + "' has no such result");
  return true;
}

// An alias, defined or used, or the name of a dialect's own attribute or type.
bool SourceReader::visitName() {
  StringRef name = token.text.drop_front();
  if (previous.kind == TokenKind::Value && token.text.front() == '#' && isDigit(name.front()))
    return visitResultNumber();
  if (name.contains('.') || lexer.isFollowedBy('<'))
    return name.split('.').first == "keratin" ||
           refuse("'" + token.text + "' of another dialect; needed keratin's own");
  return brackets.empty() && lexer.peekToken().is('=') ? defineAlias() : useAlias();
}

bool SourceReader::visitResources() {
  if (token.text.front() == '{')
    return open();
  return isIn(Bracket::Resources) ? close() : refuse("'#-}' closes nothing");
}

bool SourceReader::visitMark() {
  switch (token.text.front()) {
  case '(':
  case '[':
  case '{':
  case '<':
    return open();
  case ')':
  case ']':
  case '}':
  case '>': {
    static constexpr StringRef pairs = "()[]{}<>";
    Bracket *bracket = innermost();
    if (!bracket)
      return refuse("'" + token.text + "' closes nothing");
    if (bracket->role == Bracket::Resources ||
        pairs[pairs.find(bracket->token.text.front()) + 1] != token.text.front())
      return refuse("'" + bracket->token.text + "' is closed by '" + token.text + "'");
    return close();
  }
  case ',':
    return visitComma();
  case '*':
    return visitTimes();
  case '+':
  case '-':
    if (isIn(Bracket::Sizes))
      innermost()->factors = 0;
    return true;
  case '?':
    return isIn(Bracket::Shape) && innermost()->isCounting ? countDimensions(1) : true;
  default:
    return true;
  }
}

// Of what the bracket is, by the word before it.
SourceReader::Bracket::Role SourceReader::roleOfOpened() {
  if (token.kind == TokenKind::Resources)
    return Bracket::Resources;
  if (isIn(Bracket::Sizes) || isIn(Bracket::Tensor))
    return innermost()->role;
  if (token.is('['))
    return Bracket::List;
  if (!token.is('<'))
    return Bracket::Other;
  if (previous.kind == TokenKind::Attribute)
    return Bracket::Sizes;
  return llvm::StringSwitch<Bracket::Role>(previous.text)
      .Case("tensor", Bracket::Shape)
      .Case("dense", Bracket::Tensor)
      .Case("array", Bracket::Array)
      .Default(Bracket::List);
}

// A type or attribute of MLIR's own that models do not use, by the word before its bracket.
bool isForeign(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("affine_map", "affine_set", "memref", "vector", "tuple", true)
      .Cases("strided", "distinct", "opaque", "sparse", true)
      .Default(false);
}

bool SourceReader::open() {
  if ((token.is('<') || token.is('[')) && previous.kind == TokenKind::Word &&
      isForeign(previous.text))
    return refuse(previous.text.data(), "'" + previous.text + "', which models do not use");
  Bracket bracket;
  bracket.token = token;
  bracket.role = roleOfOpened();
  bracket.isSum =
      bracket.role == Bracket::Sizes && token.is('(') && previous.kind != TokenKind::Word;
  brackets.push_back(bracket);
  // "(d0 + 1)*(d1 + 1)" has counted already.
  return noteDepth(brackets.size()) &&
         (!bracket.isSum || !previous.is('*') || beforePrevious.is(')') || countSumProduct());
}

bool SourceReader::close() {
  Bracket closed = brackets.pop_back_val();
  closedSum = closed.isSum;
  // Lists within lists are one.
  if (Bracket *outer = innermost(); outer && closed.isList() && outer->isList())
    outer->elements += closed.elements;
  constexpr size_t longest = 1024; // the cost of longer ones is nothing beside their length
  StringRef group(closed.token.text.data(), size_t(token.text.end() - closed.token.text.data()));
  return group.size() > longest || chargeNew(group, kNewGroupCost);
}

bool SourceReader::visitComma() {
  Bracket *bracket = innermost();
  if (!bracket || !bracket->isList())
    return charge(bracket && bracket->token.is('(') ? kParameterCost : 0);
  bracket->factors = 0;
  if (++bracket->elements >= kMaxListLength)
    return limit("a list of more than " + Twine(kMaxListLength) + " elements");
  return charge(bracket->role == Bracket::Tensor  ? kNumberInTensorCost
                : bracket->role == Bracket::Sizes ? kSizeCost
                                                  : kElementCost);
}

bool SourceReader::visitTimes() {
  if (!isIn(Bracket::Sizes))
    return true;
  if (++innermost()->factors > kMaxFactors)
    return limit("a product of more than " + Twine(kMaxFactors) + " factors");
  return !previous.is(')') || !closedSum || countSumProduct();
}

bool SourceReader::countSumProduct() {
  return ++sumProducts <= kMaxSumProducts ||
         limit("more than " + Twine(kMaxSumProducts) + " products of sums in sizes");
}

//===-- Aliases -------------------------------------------------------------------------------===//

bool SourceReader::defineAlias() {
  if (!endAlias())
    return false;
  defined = &*aliases.try_emplace(token.text).first;
  Alias &alias = defined->second;
  if (alias.isDefined)
    return refuse("'" + token.text + "' is defined twice");
  alias.isDefined = true;
  return charge(sizeof(Alias));
}

// What was used before its definition is known now.
bool SourceReader::endAlias() {
  if (!defined)
    return true;
  Alias &alias = defined->second;
  defined = nullptr;
  return noteWords(SaturatingMultiply(alias.uses, alias.words)) &&
         (!alias.uses || noteDepth(alias.useDepth + alias.depth));
}

bool SourceReader::useAlias() {
  auto &entry = *aliases.try_emplace(token.text).first;
  Alias &alias = entry.second;
  if (&entry == defined)
    return refuse("'" + token.text + "' is used in its own definition");
  if (alias.isDefined)
    return noteWords(alias.words) && noteDepth(brackets.size() + alias.depth);
  if (defined)
    return refuse("'" + token.text + "' is used before it is defined");
  ++alias.uses;
  alias.useDepth = std::max<uint64_t>(alias.useDepth, brackets.size());
  return charge(alias.uses == 1 ? sizeof(Alias) : 0);
}

//===-- Budgets -------------------------------------------------------------------------------===//

bool SourceReader::noteDepth(uint64_t now) {
  if (defined)
    defined->second.depth = std::max(defined->second.depth, now);
  return now <= kMaxSourceDepth ||
         limit("nested more than " + Twine(kMaxSourceDepth) + " levels deep");
}

bool SourceReader::noteWords(uint64_t count) {
  if (defined)
    defined->second.words = SaturatingAdd(defined->second.words, count);
  words = SaturatingAdd(words, count);
  return words <= kMaxExpandedWords + 16 * source.size() ||
         limit("aliases stand for more than " + Twine(kMaxExpandedWords) +
               " words and 16 times the text's bytes");
}

bool SourceReader::charge(uint64_t cost) {
  bytes += cost;
  return bytes <= kMaxReadingBytes + 16 * source.size() ||
         limit("reading takes more memory than " + Twine(kMaxReadingBytes >> 20) +
               " MiB and 16 times the text's bytes");
}

bool SourceReader::chargeNew(StringRef text, Cost cost) {
  return !seen.insert(llvm::xxh3_64bits(text) >> 2).second || charge(cost);
}

} // namespace

std::string SourceRefusal::str(StringRef file) const {
  return (file + ":" + Twine(line) + ":" + Twine(column) + ": error: " + why).str();
}

std::optional<SourceRefusal> keratin::ir::refuseSource(StringRef text) {
  return SourceReader(text).run();
}

std::optional<ReadingProblem> keratin::ir::readSource(const std::string &path, std::string &bytes) {
  runtime::FileReader file;
  if (path == "-")
    file.openStandardInput();
  else
    (void)file.open(path.c_str(), runtime::FileKinds::RegularOrPipe); // reading tells of failures
  constexpr size_t kindBytes = 64;
  std::string why = runtime::readBeginning(file, kindBytes, bytes);
  if (!why.empty())
    return ReadingProblem{std::move(why)};
  if (std::string kind = fileKind(bytes); !kind.empty())
    return ReadingProblem{"this is " + kind + "; needed a saved graph (.ktg) or textual IR"};
  bool isSaved = StringRef(bytes).starts_with(kSavedMagicBytes);
  uint64_t most = isSaved ? kMaxSavedBytes : kMaxSourceBytes;
  why = runtime::readRest(file, most, bytes);
  if (file.size() > most || bytes.size() > most) {
    std::string megabytes = std::to_string((most + 1) >> 20) + " MiB";
    return ReadingProblem{isSaved ? "this has more than " + megabytes
                                  : "this has more than the " + megabytes + " of a text",
                          /*isLimit=*/true};
  }
  return why.empty() ? std::nullopt : std::optional(ReadingProblem{std::move(why)});
}

mlir::OwningOpRef<mlir::ModuleOp> keratin::ir::parseModuleFile(StringRef path,
                                                               mlir::MLIRContext *context) {
  std::string text;
  if (std::optional<ReadingProblem> problem = readSource(path.str(), text)) {
    llvm::errs() << path << ": error: " << problem->why << "\n";
    return nullptr;
  }
  if (std::optional<SourceRefusal> refusal = refuseSource(text)) {
    llvm::errs() << refusal->str(path) << "\n";
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, path == "-" ? "<stdin>" : path),
                             llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
}
