// Messages that say which element has failed. Stand-alone C: nothing but the standard headers.
//
// A site (keratin_site_t) may stand for as many numbers of sites as its message says in one group,
// {18|a matrix|matrix (#/6, #/2%3, #%2)}: kernels fail at its own number, the lowest, plus the
// number of the element, and so the lowest element wins as the lowest site does. The message reads
// as the second text, in which # is the number of the element, #/6 that divided by 6, and #/6%3 the
// remainder of that; where it is the last of the numbers, which all beyond it share, as the first.
// Sites behind it have the numbers that follow. A message without a group has one.
#ifndef KERATIN_SITE_MESSAGE_H
#define KERATIN_SITE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of a site at most.
#define KERATIN_SITE_MOST_NUMBERS (INT64_C(1) << 18)

// A message in five parts: before the group, what the group has for elements that are not told
// apart and for others, and what is behind it.
typedef struct keratin_site_message_t {
  int64_t numbers; // 1: there is no group, and all of the message stands before it
  const char *before, *before_end;
  const char *untold, *untold_end;
  const char *told, *told_end;
  const char *behind;
} keratin_site_message_t;

// The number that stands there, less than 2^62, and where it ends; as many digits as there are.
static inline const char *keratin_site_digits(const char *text, int64_t *number) {
  for (*number = 0; *text >= '0' && *text <= '9' && *number < INT64_C(1) << 58; ++text)
    *number = *number * 10 + (*text - '0');
  return text;
}

static inline const char *keratin_site_find(const char *text, char wanted) {
  while (*text && *text != wanted)
    ++text;
  return text;
}

static inline keratin_site_message_t keratin_site_message(const char *message) {
  keratin_site_message_t parts = {1, message, message, message, message, message, message, message};
  const char *open = keratin_site_find(message, '{');
  while (*open) {
    int64_t numbers = 0;
    const char *first = keratin_site_digits(open + 1, &numbers);
    const char *second = keratin_site_find(first, '|');
    second = *second ? keratin_site_find(second + 1, '|') : second;
    const char *close = keratin_site_find(second, '}');
    if (*first == '|' && *close && numbers > 1 && numbers <= KERATIN_SITE_MOST_NUMBERS) {
      parts.numbers = numbers;
      parts.before_end = open;
      parts.untold = first + 1;
      parts.untold_end = second;
      parts.told = second + 1;
      parts.told_end = close;
      parts.behind = close + 1;
      return parts;
    }
    open = keratin_site_find(open + 1, '{');
  }
  parts.before_end = parts.behind = open;
  return parts;
}

// Puts characters where there is room, and counts them all.
typedef struct keratin_site_text_t {
  char *to;
  size_t room, length;
} keratin_site_text_t;

static inline void keratin_site_put(keratin_site_text_t *text, const char *from, const char *end) {
  for (; from != end; ++from, ++text->length)
    if (text->length < text->room)
      text->to[text->length] = *from;
}

static inline void keratin_site_put_number(keratin_site_text_t *text, int64_t number) {
  char digits[20], *first = digits + sizeof digits;
  do
    *--first = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  keratin_site_put(text, first, digits + sizeof digits);
}

// What the message says of this number of the site, cut to `bytes` with the NUL at its end. Returns
// the length that it would have. Precondition: 0 <= number.
static inline size_t keratin_site_write(const char *message, int64_t number, char *to,
                                        size_t bytes) {
  const keratin_site_message_t parts = keratin_site_message(message);
  keratin_site_text_t text = {to, bytes ? bytes - 1 : 0, 0};
  keratin_site_put(&text, parts.before, parts.before_end);
  if (number + 1 >= parts.numbers)
    keratin_site_put(&text, parts.untold, parts.untold_end);
  else
    for (const char *from = parts.told; from != parts.told_end;) {
      if (*from != '#') {
        keratin_site_put(&text, from, from + 1);
        ++from;
        continue;
      }
      int64_t part = number, by = 0;
      ++from;
      if (*from == '/') {
        from = keratin_site_digits(from + 1, &by);
        part /= by > 0 ? by : 1;
      }
      if (*from == '%') {
        from = keratin_site_digits(from + 1, &by);
        part %= by > 0 ? by : 1;
      }
      keratin_site_put_number(&text, part);
    }
  const char *end = keratin_site_find(parts.behind, '\0');
  keratin_site_put(&text, parts.behind, end);
  if (bytes)
    to[text.length < bytes ? text.length : bytes - 1] = '\0';
  return text.length;
}

#ifdef __cplusplus
}
#endif

#endif // KERATIN_SITE_MESSAGE_H
