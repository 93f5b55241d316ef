#include "runtime/object/JsonText.h"

using namespace keratin::runtime;

bool JsonText::refuse(const char *before, const char *behind) {
  if (!isWrong) {
    wrong.append(before);
    wrong.append(subject);
    wrong.append(behind);
    wrong.append("", 1);
    isWrong = true;
  }
  return false;
}

void JsonText::skipSpace() {
  while (at != last && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
    ++at;
}

bool JsonText::take(char token) {
  skipSpace();
  if (at == last || *at != token)
    return false;
  ++at;
  return true;
}

bool JsonText::expect(char token) { return take(token) || refuseFormat(); }

bool JsonText::hexadecimal(unsigned &value) {
  value = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at == last)
      return refuse("", " ends within a text");
    char c = *at;
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
      return refuse("a text in ", " has an escape that is none");
    value = value * 16 + digit;
  }
  return true;
}

// What stands behind a backslash, as UTF-8.
bool JsonText::escape(Text &text) {
  static const char shortForms[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  if (at == last)
    return refuse("", " ends within a text");
  char c = *at++;
  for (const char *form = shortForms; *form; form += 2)
    if (*form == c) {
      text.append(form + 1, 1);
      return true;
    }
  unsigned code, low;
  if (c != 'u')
    return refuse("a text in ", " has an escape that is none");
  if (!hexadecimal(code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (last - at < 2 || at[0] != '\\' || at[1] != 'u')
      return refuse("a text in ", " has half a character");
    at += 2;
    if (!hexadecimal(low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return refuse("a text in ", " has half a character");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return refuse("a text in ", " has half a character");
  }
  if (!code)
    return refuse("a text in ", " has a NUL");
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
  for (int i = more; i >= 0; --i) {
    unsigned bits = code >> (6 * i);
    char byte = char(i == more ? leads[more] | bits : 0x80 | (bits & 0x3f));
    text.append(&byte, 1);
  }
  return true;
}

bool JsonText::string(Text &text) {
  if (!expect('"'))
    return false;
  while (at != last && *at != '"') {
    const char *plain = at;
    while (at != last && *at != '"' && *at != '\\' && *at)
      ++at;
    text.append(plain, size_t(at - plain));
    if (at != last && !*at)
      return refuse("a text in ", " has a NUL");
    if (at != last && *at == '\\' && (++at, !escape(text)))
      return false;
  }
  if (at == last)
    return refuse("", " ends within a text");
  ++at;
  text.append("", 1);
  return !text.outOfMemory() || refuse("there is no memory for ");
}

bool JsonText::number(uint64_t &value) {
  skipSpace();
  const char *start = at;
  for (value = 0; at != last && *at >= '0' && *at <= '9'; ++at)
    if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
        __builtin_add_overflow(value, uint64_t(*at - '0'), &value))
      return refuse("a number in ", " does not fit 64 bits");
  return at != start || refuseFormat();
}

// Words and numbers are passed over as they are written.
bool JsonText::skipValue(int depth) {
  constexpr int deepest = 16;
  Text ignored;
  skipSpace();
  if (at == last || depth == deepest)
    return refuseFormat();
  if (*at == '"')
    return string(ignored);
  const bool isObject = *at == '{';
  if (!isObject && *at != '[') {
    const char *start = at;
    while (at != last && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == '-' ||
                          *at == '+' || *at == '.' || *at == 'E'))
      ++at;
    return at != start || refuseFormat();
  }
  ++at;
  const char close = isObject ? '}' : ']';
  if (take(close))
    return true;
  do {
    if (isObject && (!string(ignored) || !expect(':')))
      return false;
    if (!skipValue(depth + 1))
      return false;
    ignored.clear();
  } while (take(','));
  return expect(close);
}
