#include "codegen/gpu/ptx/HighWords.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace keratin::codegen;
using llvm::StringRef;

static constexpr StringRef highProduct = "mul.hi.u32";

// The name of a register for the number-th product.
static std::string wide(unsigned number) { return "%high" + std::to_string(number); }

// The lines of one function, of which the first is "{".
static void addBody(llvm::ArrayRef<StringRef> lines, std::string &result) {
  std::string body;
  unsigned count = 0;
  for (StringRef line : lines.drop_front()) {
    auto [before, operands] = line.split(highProduct);
    auto [high, factors] = operands.split(", ");
    if (operands.empty()) {
      body += line.str() + '\n';
      continue;
    }
    // A condition before it is one of all three.
    std::string both = wide(count++), start = before.str();
    body += start + "mul.wide.u32 \t" + both + ", " + factors.str() + '\n';
    body += start + "shr.u64 \t" + both + ", " + both + ", 32;\n";
    body += start + "cvt.u32.u64 \t" + high.trim().str() + ", " + both + ";\n";
  }
  result += lines.front().str() + '\n';
  if (count)
    result += "\t.reg .b64 \t%high<" + std::to_string(count) + ">;\n";
  result += body;
}

std::string keratin::codegen::takeHighWordsByShifts(StringRef ptx) {
  if (!ptx.contains(highProduct))
    return ptx.str();
  llvm::SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  std::string result;
  for (size_t i = 0; i < lines.size(); ++i) {
    size_t end = i;
    if (lines[i] == "{")
      while (end < lines.size() && lines[end] != "}")
        ++end;
    if (end > i)
      addBody(llvm::ArrayRef(lines).slice(i, end - i), result);
    if (end < lines.size())
      result += lines[end].str() + (end + 1 < lines.size() ? "\n" : "");
    i = end;
  }
  return result;
}
