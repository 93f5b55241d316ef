#include "ir/text/SourceText.h"

#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace keratin::ir;

namespace {

// Counts without understanding: brackets of any kind, outside strings and comments. Where the
// brackets do not match, the parser stops at the first wrong one, having gone no deeper than this.
class SourceReader {
public:
  explicit SourceReader(llvm::StringRef text) : text(text) {}

  std::optional<std::string> run() {
    while (position < text.size()) {
      if (isHollowArray(text.substr(position)))
        return "line " + std::to_string(line) +
               ": an array of i1 or of a named type; needed true and false, or a type in words";
      step();
      if (depth > kMaxSourceDepth)
        return "line " + std::to_string(line) + ": nested more than " +
               std::to_string(kMaxSourceDepth) + " levels deep";
    }
    return std::nullopt;
  }

private:
  void step() {
    llvm::StringRef rest = text.substr(position);
    char c = rest.front();
    if (c == '"')
      return skipString();
    if (rest.starts_with("//"))
      return skip(std::min(rest.find('\n'), rest.size()));
    // An arrow, and the comparisons of integer sets.
    if (rest.starts_with("->") || rest.starts_with(">=") || rest.starts_with("<="))
      return skip(2);
    if (c == '#' || c == '!')
      return visitName(rest.take_front(1 + nameLength(rest.drop_front())));
    if (llvm::StringRef("([{<").contains(c)) {
      noteDepth(++open);
    } else if (llvm::StringRef(")]}>").contains(c)) {
      open -= open > 0;
      noteDepth(open);
    } else if (open == 0 && !defined.empty() && (c == '%' || isOpName(rest))) {
      defined = {}; // an op: the definition of the alias is over
    }
    // A word as a whole, so that no part of it looks like another.
    size_t length = std::max<size_t>(1, nameLength(rest));
    line += c == '\n';
    position += length;
  }

  // "array<i1: 0>" becomes an array with one element and no bytes, which whoever prints it reads
  // beyond. An alias may stand for i1, and a comment hide it.
  static bool isHollowArray(llvm::StringRef rest) {
    if (rest.take_front(nameLength(rest)) != "array")
      return false;
    rest = rest.drop_front(5).ltrim(" \t\r\n");
    if (!rest.consume_front("<"))
      return rest.starts_with("//");
    rest = rest.ltrim(" \t\r\n");
    llvm::StringRef type = rest.take_front(nameLength(rest));
    if (type != "i1")
      return type.empty();
    return rest.drop_front(2)
               .take_until([](char c) { return c == '>'; })
               .find_first_of("0123456789/") != llvm::StringRef::npos;
  }

  static size_t nameLength(llvm::StringRef rest) {
    return rest
        .take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; })
        .size();
  }

  // "func.func", but no number and none of the words that attributes are made of.
  static bool isOpName(llvm::StringRef rest) {
    llvm::StringRef word = rest.take_front(nameLength(rest));
    return !word.empty() && !llvm::isDigit(word.front()) &&
           (word.contains('.') || word == "module");
  }

  // An alias, defined or used, or the name of a dialect's own attribute or type.
  void visitName(llvm::StringRef name) {
    skip(name.size());
    if (open == 0 && text.substr(position).ltrim(" \t\r\n").starts_with("=")) {
      defined = name;
      aliases[defined] = 0;
      noteDepth(0);
      return;
    }
    auto alias = aliases.find(name);
    if (alias != aliases.end() && name != defined)
      noteDepth(open + alias->second);
    else
      noteDepth(open);
  }

  void noteDepth(size_t now) {
    depth = now;
    if (!defined.empty())
      aliases[defined] = std::max(aliases[defined], now);
  }

  void skipString() {
    size_t end = position + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    skip(std::min(end + 1, text.size()) - position);
  }

  void skip(size_t length) {
    line += text.substr(position, length).count('\n');
    position += length;
  }

  llvm::StringRef text;
  size_t position = 0, line = 1;
  size_t open = 0, depth = 0; // brackets; and with what an alias stands for
  llvm::StringMap<size_t> aliases;
  llvm::StringRef defined; // the alias whose definition is being read
};

} // namespace

std::optional<std::string> keratin::ir::refuseSource(llvm::StringRef text) {
  if (text.starts_with("ML\xEFR"))
    return std::string("line 1: MLIR bytecode; needed textual IR");
  return SourceReader(text).run();
}

mlir::OwningOpRef<mlir::ModuleOp> keratin::ir::parseModuleFile(llvm::StringRef path,
                                                               mlir::MLIRContext *context) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    llvm::errs() << "error: " << path << ": " << buffer.getError().message() << "\n";
    return nullptr;
  }
  if (std::optional<std::string> reason = refuseSource((*buffer)->getBuffer())) {
    llvm::errs() << "error: " << path << ", " << *reason << "\n";
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, context);
}
