#include "runtime/object/SafetensorsHeader.h"

using namespace keratin::runtime;

bool SafetensorsHeader::refuse(const char *why) {
  if (!wrong)
    wrong = why;
  return false;
}

void SafetensorsHeader::skipSpace() {
  while (at != last && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
    ++at;
}

bool SafetensorsHeader::take(char token) {
  skipSpace();
  if (at == last || *at != token)
    return false;
  ++at;
  return true;
}

bool SafetensorsHeader::expect(char token) {
  return take(token) || refuse("its header is not JSON of this format");
}

bool SafetensorsHeader::hexadecimal(unsigned &value) {
  value = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at == last)
      return refuse("its header ends within a text");
    char c = *at;
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
      return refuse("a text in its header has an escape that is none");
    value = value * 16 + digit;
  }
  return true;
}

// What stands behind a backslash, as UTF-8.
bool SafetensorsHeader::escape(Text &text) {
  static const char shortForms[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  if (at == last)
    return refuse("its header ends within a text");
  char c = *at++;
  for (const char *form = shortForms; *form; form += 2)
    if (*form == c) {
      text.append(form + 1, 1);
      return true;
    }
  unsigned code, low;
  if (c != 'u')
    return refuse("a text in its header has an escape that is none");
  if (!hexadecimal(code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (last - at < 2 || at[0] != '\\' || at[1] != 'u')
      return refuse("a text in its header has half a character");
    at += 2;
    if (!hexadecimal(low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return refuse("a text in its header has half a character");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return refuse("a text in its header has half a character");
  }
  if (!code)
    return refuse("a text in its header has a NUL");
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
  for (int i = more; i >= 0; --i) {
    unsigned bits = code >> (6 * i);
    char byte = char(i == more ? leads[more] | bits : 0x80 | (bits & 0x3f));
    text.append(&byte, 1);
  }
  return true;
}

bool SafetensorsHeader::string(Text &text) {
  if (!expect('"'))
    return false;
  while (at != last && *at != '"') {
    const char *plain = at;
    while (at != last && *at != '"' && *at != '\\' && *at)
      ++at;
    text.append(plain, size_t(at - plain));
    if (at != last && !*at)
      return refuse("a text in its header has a NUL");
    if (at != last && *at == '\\' && (++at, !escape(text)))
      return false;
  }
  if (at == last)
    return refuse("its header ends within a text");
  ++at;
  text.append("", 1);
  return !text.outOfMemory() || refuse("there is no memory for its header");
}

bool SafetensorsHeader::number(uint64_t &value) {
  skipSpace();
  const char *start = at;
  for (value = 0; at != last && *at >= '0' && *at <= '9'; ++at)
    if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
        __builtin_add_overflow(value, uint64_t(*at - '0'), &value))
      return refuse("a number in its header does not fit 64 bits");
  return at != start || refuse("its header is not JSON of this format");
}

bool SafetensorsHeader::numbers(uint64_t *values, int32_t most, int32_t &count) {
  count = 0;
  if (!expect('['))
    return false;
  if (take(']'))
    return true;
  do {
    if (count == most)
      return refuse("a list in its header is too long");
    if (!number(values[count++]))
      return false;
  } while (take(','));
  return expect(']');
}

static int32_t dtypeOf(const char *name) {
  for (const auto &each : safetensorsDTypes)
    if (strcmp(each.name, name) == 0)
      return each.dtype;
  return KERATIN_DTYPE_INVALID; // no variable has it
}

// One of the three fields; `seen` has a bit for each that there was.
bool SafetensorsHeader::field(SafetensorsEntry &entry, unsigned &seen) {
  static const char *const names[] = {"dtype", "shape", "data_offsets"};
  Text name;
  if (!string(name) || !expect(':'))
    return false;
  int which = 0;
  while (which < 3 && strcmp(names[which], name.data()) != 0)
    ++which;
  if (which == 3 || (seen & 1u << which))
    return refuse("its header is not JSON of this format");
  seen |= 1u << which;
  if (which == 0) {
    Text dtype;
    if (!string(dtype))
      return false;
    entry.dtype = dtypeOf(dtype.data());
    return true;
  }
  uint64_t values[KERATIN_MAX_RANK];
  int32_t count;
  if (!numbers(values, KERATIN_MAX_RANK, count))
    return false;
  if (which == 1) {
    entry.rank = count;
    for (int32_t axis = 0; axis < count; ++axis)
      entry.dims[axis] = values[axis] > INT64_MAX ? -1 : int64_t(values[axis]);
    return true;
  }
  entry.begin = values[0];
  entry.end = values[1];
  return (count == 2 && entry.begin <= entry.end) || refuse("a tensor in its header has no place");
}

bool SafetensorsHeader::describe(SafetensorsEntry &entry) {
  unsigned seen = 0;
  if (!expect('{'))
    return false;
  do {
    if (!field(entry, seen))
      return false;
  } while (take(','));
  return expect('}') && (seen == 7 || refuse("its header is not JSON of this format"));
}

bool SafetensorsHeader::skipMetadata() {
  if (!expect('{'))
    return false;
  if (take('}'))
    return true;
  do {
    Text key, value;
    if (!string(key) || !expect(':') || !string(value))
      return false;
  } while (take(','));
  return expect('}');
}

bool SafetensorsHeader::next(SafetensorsEntry &entry) {
  if (wrong || (!isOpen && !(isOpen = expect('{'))))
    return false;
  for (;;) {
    if (take('}')) {
      skipSpace(); // with which the header is filled up
      return at == last ? false : refuse("its header goes on behind its end");
    }
    if (hasEntries && !expect(','))
      return false;
    hasEntries = true;
    entry.name.clear();
    if (!string(entry.name) || !expect(':'))
      return false;
    if (strcmp(entry.name.data(), "__metadata__") != 0)
      return describe(entry);
    if (!skipMetadata())
      return false;
  }
}
