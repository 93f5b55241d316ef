#include "compiler/artifact/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/SHA256.h"

using namespace keratin;
using llvm::StringRef;

//===-- Files ---------------------------------------------------------------------------------===//

static std::string escaped(StringRef part) {
  // An empty part is a % that no digits follow.
  std::string result = part.empty() ? "%" : "";
  for (size_t i = 0; i < part.size(); ++i) {
    char c = part[i];
    bool isHidden = c == '.' && i == 0;
    // NumPy takes x.npy for the member of the array x.
    bool isExtension = part.substr(i) == ".npy";
    if (llvm::isAlnum(c) || c == '_' || c == '-' || (c == '.' && !isHidden && !isExtension))
      result += c;
    else
      result += "%" + llvm::utohexstr(uint8_t(c), /*LowerCase=*/false, /*Width=*/2);
  }
  return result;
}

static std::string withBoundedLength(StringRef name, std::string escaped) {
  constexpr size_t mostBytes = 200, digestBytes = 16;
  if (escaped.size() <= mostBytes)
    return escaped;
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(name));
  // Nothing else has a % before a ~.
  escaped.resize(mostBytes - 2 - 2 * digestBytes);
  return escaped + "%~" +
         llvm::toHex(llvm::ArrayRef(digest).take_front(digestBytes), /*LowerCase=*/true);
}

std::string compiler::fileName(StringRef name) { return withBoundedLength(name, escaped(name)); }

std::string compiler::memberName(StringRef name) {
  std::string result;
  for (StringRef part : llvm::split(name, '/'))
    result += (result.empty() ? "" : "/") + escaped(part);
  return withBoundedLength(name, std::move(result));
}

std::vector<std::string> compiler::distinctNames(std::vector<std::string> names) {
  llvm::StringSet<> all, seen;
  llvm::StringMap<unsigned> numbers;
  for (const std::string &name : names)
    all.insert(name);
  for (std::string &name : names) {
    if (seen.insert(name).second)
      continue;
    unsigned &number = numbers.try_emplace(name, 1).first->second;
    std::string candidate;
    do
      candidate = name + "_" + std::to_string(++number);
    while (!all.insert(candidate).second);
    name = std::move(candidate);
  }
  return names;
}

//===-- C -------------------------------------------------------------------------------------===//

namespace {

// As all names of the runtime's.
bool isOurs(StringRef name) { return name.starts_with_insensitive("keratin_"); }

// What a plain name may not be, since it has a meaning to a compiler, or would take one away.
bool hasMeaning(StringRef name) {
  static const llvm::StringSet<> words = {
      // Keywords of C, up to C23, and of GNU's C.
      "alignas", "alignof", "asm", "auto", "bool", "break", "case", "char", "const", "constexpr",
      "continue", "default", "do", "double", "else", "enum", "extern", "false", "float", "for",
      "goto", "if", "inline", "int", "long", "nullptr", "register", "restrict", "return", "short",
      "signed", "sizeof", "static", "static_assert", "struct", "switch", "thread_local", "true",
      "typedef", "typeof", "typeof_unqual", "union", "unsigned", "void", "volatile", "while",
      // Those that C++ has besides.
      "and", "and_eq", "atomic_cancel", "atomic_commit", "atomic_noexcept", "bitand", "bitor",
      "catch", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield",
      "compl", "concept", "const_cast", "consteval", "constinit", "contract_assert", "decltype",
      "delete", "dynamic_cast", "explicit", "export", "friend", "import", "module", "mutable",
      "namespace", "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private",
      "protected", "public", "reflexpr", "reinterpret_cast", "requires", "static_cast",
      "synchronized", "template", "this", "throw", "try", "typeid", "typename", "using", "virtual",
      "wchar_t", "xor", "xor_eq",
      // Types of the declarations.
      "int8_t", "int16_t", "int32_t", "int64_t", "size_t", "uint8_t", "uint16_t", "uint32_t",
      "uint64_t",
      // Macros of compilers that do not keep to the standard's names, and of C's headers.
      "arm", "i386", "linux", "mips", "pic", "sparc", "sun", "unix", "vax", "BUFSIZ", "EOF",
      "HUGE_VAL", "I", "INFINITY", "NAN", "NULL", "complex", "errno", "imaginary", "noreturn",
      "offsetof", "stderr", "stdin", "stdout", "unreachable",
      // Parameters of every function.
      "state", "workspace", "workspace_bytes", "stream", "status"};
  bool isLimit = name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_WIDTH");
  return words.contains(name) || isLimit || isOurs(name);
}

bool isPlain(StringRef name) {
  if (name.empty() || !llvm::isAlpha(name.front()) || name.back() == '_' || name.contains("__"))
    return false;
  return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

// Letters and digits with single _ between them: names that begin with _ or have __ are the
// compiler's.
std::string joinedWords(StringRef name) {
  std::string result;
  for (char c : name) {
    if (llvm::isAlnum(c))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  if (!result.empty() && result.back() == '_')
    result.pop_back();
  return result;
}

// Plain, and without a meaning as soon as a number is behind it.
std::string plainName(StringRef name) {
  std::string words = joinedWords(name);
  if (words.empty())
    return "unnamed";
  return llvm::isDigit(words.front()) || isOurs(words) ? "n" + words : words;
}

} // namespace

bool compiler::isModelName(StringRef name) {
  return isPlain(name) && !name.equals_insensitive("keratin") && !isOurs(name);
}

std::string compiler::modelName(StringRef text) {
  std::string name = plainName(text);
  return isModelName(name) ? name : "model_" + name;
}

bool compiler::Identifiers::take(StringRef identifier, llvm::ArrayRef<StringRef> suffixes) {
  llvm::SmallVector<std::string> all = {prefix + identifier.str()};
  for (StringRef suffix : suffixes)
    all.push_back(prefix + (identifier + suffix).str());
  for (const std::string &name : all)
    if (hasMeaning(name) || taken.contains(name) || (outer && outer->taken.contains(name)))
      return false;
  for (const std::string &name : all)
    taken.insert(name);
  return true;
}

std::vector<std::string> compiler::Identifiers::add(llvm::ArrayRef<std::string> names,
                                                    llvm::ArrayRef<StringRef> suffixes) {
  std::vector<std::string> result(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    if (isPlain(names[i]) && take(names[i], suffixes))
      result[i] = names[i];
  for (size_t i = 0; i < names.size(); ++i) {
    if (!result[i].empty())
      continue;
    std::string plain = plainName(names[i]);
    unsigned &number = numbers.try_emplace(plain, 0).first->second;
    do
      result[i] = number++ ? plain + "_" + std::to_string(number) : plain;
    while (!take(result[i], suffixes));
  }
  return result;
}

compiler::FunctionIdentifiers::FunctionIdentifiers(StringRef model,
                                                   llvm::ArrayRef<std::string> functions)
    : Identifiers((model + "_").str()) {
  // Of the model itself, now or later.
  auto isModels = [](StringRef name) {
    return name.starts_with("state_") || name == "set_num_threads" || name == "register_device" ||
           isOurs(name);
  };
  std::vector<std::string> wanted;
  for (const std::string &name : functions) {
    std::string words = joinedWords(name);
    wanted.push_back(isModels(words) ? "function_" + words : name);
  }
  result =
      add(wanted, {"_run", "_workspace_bytes", "_output_dims", "_on_stream", "_run_on_stream"});
}

// Characters that end lines, or that turn the direction of what follows.
static bool isControl(llvm::UTF32 c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

std::string compiler::commentText(StringRef text) {
  constexpr char unreadable[] = "\xef\xbf\xbd"; // U+FFFD
  std::string result;
  auto *next = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (next != end) {
    const llvm::UTF8 *start = next;
    llvm::UTF32 c = 0;
    if (llvm::convertUTF8Sequence(&next, end, &c, llvm::strictConversion) != llvm::conversionOK) {
      next = start + 1;
      result += unreadable;
    } else if (isControl(c)) {
      result += unreadable;
    } else {
      result.append(reinterpret_cast<const char *>(start), size_t(next - start));
    }
  }
  result = StringRef(result).rtrim().str();
  // A backslash at the end, or the trigraph for one, would take in the next line.
  if (StringRef(result).ends_with("\\") || StringRef(result).ends_with("?\?/"))
    result += " .";
  return result;
}
