// JSON as files that need not be trusted have it: its texts, whole numbers and brackets, one after
// the other, for readers that know what must come.
#ifndef KERATIN_RUNTIME_OBJECT_JSONTEXT_H
#define KERATIN_RUNTIME_OBJECT_JSONTEXT_H

#include "runtime/core/Text.h"

#include <stdint.h>

namespace keratin::runtime {

class JsonText {
public:
  // What is wrong, or null; and behind how many bytes.
  const char *problem() const { return isWrong ? wrong.data() : nullptr; }
  size_t place() const { return size_t(at - first); }

protected:
  // `subject` is what problems call it: "its header".
  JsonText(const char *json, size_t bytes, const char *subject)
      : at(json), last(json + bytes), first(json), subject(subject) {}

  // The first problem stays: the words, with the subject between them.
  bool refuse(const char *before, const char *behind = "");
  bool refuseFormat() { return refuse("", " is not JSON of this format"); }
  bool take(char token);   // behind white space
  bool expect(char token); // or it is refused
  bool string(Text &text); // which then ends in a NUL
  bool number(uint64_t &value);
  bool skipValue(int depth = 0); // whatever it is
  // Behind the last token.
  bool isAtEnd() {
    skipSpace();
    return at == last;
  }

private:
  void skipSpace();
  bool escape(Text &text);
  bool hexadecimal(unsigned &value);

  const char *at, *last, *first, *subject;
  Text wrong;
  bool isWrong = false;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_JSONTEXT_H
