// How far the reading of a file is, for those who may end it.
#ifndef KERATIN_IR_SAVED_READINGSTEPS_H
#define KERATIN_IR_SAVED_READINGSTEPS_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace keratin::ir {

// Of one file. Whoever waits is asked once in a MiB of work, so that small files are read without a
// question.
class ReadingSteps {
public:
  enum Step { File, Messages, Checks, Ops, Graph, End };

  ReadingSteps() = default;
  // False ends the reading, which is then CANCELLED. Must not throw: protobuf and MLIR are not
  // written for exceptions.
  explicit ReadingSteps(std::function<bool(const ReadingSteps &)> goesOn)
      : goesOn(std::move(goesOn)) {}

  // What a small thing counts, an op or an entry of a table, beside its elements.
  static constexpr uint64_t kThing = 1 << 10;

  void enter(Step next) { at = next; }
  // So many bytes were read, looked at or copied. False if the reading ends, then for good.
  bool advance(uint64_t bytes) {
    work += bytes;
    if (work < kWorkOfQuestion || !goesOn)
      return !ended;
    work = 0;
    return !(ended = ended || !goesOn(*this));
  }

  bool isEnded() const { return ended; }
  Step step() const { return at; }
  // "the file", "its ops".
  const char *text() const {
    static constexpr const char *texts[] = {
        "the file", "its messages", "checks of its ops", "making of its ops", "the graph", ""};
    return texts[at];
  }

  std::string function; // at hand; "" for none

private:
  static constexpr uint64_t kWorkOfQuestion = 1 << 20;

  std::function<bool(const ReadingSteps &)> goesOn;
  Step at = File;
  uint64_t work = 0; // since the last question
  bool ended = false;
};

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_READINGSTEPS_H
