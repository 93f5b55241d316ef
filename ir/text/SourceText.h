// Textual IR from a file, looked at before MLIR's parser sees it.
//
// The parser trusts its text: it recurses for each level of nesting and each operator of an affine
// expression, reads a number in time that grows with the square of its digits, makes room for a
// million results where one is named, takes numbers for the elements of an array of i1 and then
// gives them no memory, and lets a few aliases stand for more than there is memory. One pass over
// the text, whose time and memory are proportional to it, refuses all that. Bytecode is no input:
// its reader trusts its bytes.
#ifndef KERATIN_IR_TEXT_SOURCETEXT_H
#define KERATIN_IR_TEXT_SOURCETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace keratin::ir {

// Of numbers, so much is read in ten seconds and two gigabytes. What comes through a pipe may have
// no end.
constexpr uint64_t kMaxSourceBytes = uint64_t(512) << 20;
// Levels of brackets, an alias counting as what it stands for.
constexpr uint64_t kMaxSourceDepth = 256;
constexpr uint64_t kMaxSourceRank = 32;
constexpr uint64_t kMaxIntegerWidth = 64;
constexpr size_t kMaxNumberLength = 128;
constexpr size_t kMaxNameLength = 4096; // of what is not in quotes
// Elements of one list, lists in it included; a longer dense<> is written as one string.
constexpr uint64_t kMaxListLength = uint64_t(1) << 19;
// What is multiplied in one term of a size; and products of sums, of which each may become
// thousands of terms, in all.
constexpr unsigned kMaxFactors = 256;
constexpr unsigned kMaxSumProducts = 64;
// Words, with what the aliases among them stand for, beside 16 for each byte of the text.
constexpr uint64_t kMaxExpandedWords = uint64_t(1) << 20;
// Memory to read the text, beside 16 bytes for each of its bytes.
constexpr uint64_t kMaxReadingBytes = uint64_t(64) << 20;

// Why the text must not be parsed, and where.
struct SourceRefusal {
  size_t line, column;
  std::string why;
  bool isLimit; // too much of something; else something that models do not have

  std::string str(llvm::StringRef file) const; // "file:line:column: error: why"
};

// Nothing if the text may be parsed.
std::optional<SourceRefusal> refuseSource(llvm::StringRef text);

// Why there is nothing to read: "this is …".
struct ReadingProblem {
  std::string why;
  bool isLimit = false;
};

// What a tool is given to read: of a file, which may be a pipe, or of standard input ("-"). Nothing
// if all went well. A saved graph may be longer than a text.
std::optional<ReadingProblem> readSource(const std::string &path, std::string &bytes);

// The module in such a file; null after a message on standard error.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path, mlir::MLIRContext *context);

} // namespace keratin::ir

#endif // KERATIN_IR_TEXT_SOURCETEXT_H
