// What was put into streams and is not done yet, and what was captured instead of being done.
#ifndef KERATIN_TESTS_CUDA_DRIVER_WORK_H
#define KERATIN_TESTS_CUDA_DRIVER_WORK_H

#include "tests/cuda/driver/Options.h"

#include <array>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace keratin::emulator {

struct Context;

// One thing that a stream does.
struct Operation {
  enum class Kind { Marker, Launch, CopyIn, CopyOut, CopyWithin, Fill, Free, Other, GraphEnd };
  Kind kind = Kind::Marker;
  // Not 0: the context is lost.
  std::function<cuda::CUresult()> run;
  // Whether it may be done now, beside all that it comes after; null: it may.
  std::function<bool()> mayRun = nullptr;
};

// An operation that waits for its turn.
struct Task {
  Context *context = nullptr;
  Operation operation;
  std::vector<std::shared_ptr<Task>> after;
  bool isDone = false;
};
using TaskRef = std::shared_ptr<Task>;

// All tasks, in the order in which they were submitted: what one waits for always comes before it.
class Schedules {
public:
  TaskRef submit(Context &context, Operation operation, std::vector<TaskRef> after);
  // Does the task and all that it waits for, as far as that may be done now.
  void finish(const TaskRef &task, const Options &options);
  // Does the first thing that the task still needs. So that those who only ask come to an end.
  void advance(const TaskRef &task, const Options &options);
  // Does everything of the context; of all contexts for null.
  void finishAll(const Context *context, const Options &options);
  // Does what the schedule does by itself, after a call of the driver.
  void tick(const Options &options);
  // Leaves what the context has not done.
  void drop(const Context &context);
  int64_t size() const { return int64_t(pending.size()); }
  // How many of a kind were done, in graphs too.
  int64_t done(Operation::Kind kind) const { return doneByKind[size_t(kind)]; }

private:
  std::vector<TaskRef> neededFor(const TaskRef &task) const;
  void runAll(std::vector<TaskRef> tasks, const Options &options);
  void run(Task &task);
  void sweep();

  std::vector<TaskRef> pending;
  std::array<int64_t, size_t(Operation::Kind::GraphEnd) + 1> doneByKind{};
  std::mt19937_64 random;
};

// A graph: operations, and by index what each comes after.
struct Node {
  Operation operation;
  std::vector<size_t> after;
};
struct Graph {
  Context *context = nullptr;
  std::vector<Node> nodes;
};

struct Stream;

// What is captured instead of being done.
struct Capture {
  cuda::CUstreamCaptureMode mode = 0;
  std::thread::id thread;
  Stream *origin = nullptr;
  Graph graph;
  bool isInvalid = false;
};

struct Stream {
  Context *context = nullptr;
  bool isBlocking = true; // waits for the stream 0, and that for it
  TaskRef last;
  // While it is captured: what the next node comes after.
  std::shared_ptr<Capture> capture;
  std::vector<size_t> captureTail;
};

struct Event {
  Context *context = nullptr;
  bool isTimed = true;
  TaskRef recorded;
  std::shared_ptr<double> milliseconds; // when it was reached
  std::shared_ptr<Capture> capture;     // recorded while captured
  std::vector<size_t> captureTail;
};

} // namespace keratin::emulator

#endif // KERATIN_TESTS_CUDA_DRIVER_WORK_H
