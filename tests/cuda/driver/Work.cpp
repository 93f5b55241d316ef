#include "tests/cuda/driver/Work.h"

#include "tests/cuda/driver/Machine.h"

#include <algorithm>
#include <unordered_set>

using namespace keratin;
using namespace keratin::emulator;

static bool isReady(const Task &task) {
  return std::all_of(task.after.begin(), task.after.end(),
                     [](const TaskRef &earlier) { return earlier->isDone; }) &&
         (!task.operation.mayRun || task.operation.mayRun());
}

TaskRef Schedules::submit(Context &context, Operation operation, std::vector<TaskRef> after) {
  auto task = std::make_shared<Task>();
  task->context = &context;
  task->operation = std::move(operation);
  for (TaskRef &earlier : after)
    if (earlier && !earlier->isDone)
      task->after.push_back(std::move(earlier));
  pending.push_back(task);
  return task;
}

void Schedules::run(Task &task) {
  ++doneByKind[size_t(task.operation.kind)];
  if (!task.context->lost && task.operation.run)
    if (cuda::CUresult result = task.operation.run())
      task.context->lost = result;
  task.isDone = true;
  task.after.clear();
  task.operation = {};
}

void Schedules::sweep() {
  std::erase_if(pending, [](const TaskRef &task) { return task->isDone; });
}

// In the order in which they were submitted.
std::vector<TaskRef> Schedules::neededFor(const TaskRef &task) const {
  std::unordered_set<const Task *> needed;
  std::vector<const Task *> open;
  if (task && !task->isDone)
    open.push_back(task.get());
  while (!open.empty()) {
    const Task *next = open.back();
    open.pop_back();
    if (!needed.insert(next).second)
      continue;
    for (const TaskRef &earlier : next->after)
      if (!earlier->isDone)
        open.push_back(earlier.get());
  }
  std::vector<TaskRef> tasks;
  std::copy_if(pending.begin(), pending.end(), std::back_inserter(tasks),
               [&](const TaskRef &each) { return needed.count(each.get()); });
  return tasks;
}

void Schedules::runAll(std::vector<TaskRef> tasks, const Options &options) {
  while (!tasks.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < tasks.size(); ++i)
      if (isReady(*tasks[i])) {
        ready.push_back(i);
        if (options.schedule != Schedule::Seeded)
          break;
      }
    if (ready.empty())
      break;
    size_t chosen = ready[ready.size() > 1 ? random() % ready.size() : 0];
    run(*tasks[chosen]);
    tasks.erase(tasks.begin() + ptrdiff_t(chosen));
  }
  sweep();
}

void Schedules::finish(const TaskRef &task, const Options &options) {
  runAll(neededFor(task), options);
}

void Schedules::advance(const TaskRef &task, const Options &) {
  std::vector<TaskRef> needed = neededFor(task);
  auto ready = std::find_if(needed.begin(), needed.end(),
                            [](const TaskRef &each) { return isReady(*each); });
  if (ready == needed.end())
    return;
  run(**ready);
  sweep();
}

void Schedules::finishAll(const Context *context, const Options &options) {
  // What the context waits for may be another's.
  std::vector<TaskRef> ends = pending;
  for (const TaskRef &task : ends)
    if (!context || task->context == context)
      finish(task, options);
}

void Schedules::tick(const Options &options) {
  if (options.schedule == Schedule::Eager)
    return finishAll(nullptr, options);
  if (options.schedule != Schedule::Seeded)
    return;
  while (!pending.empty() && (random() ^ options.seed) % 2) {
    std::vector<TaskRef> ready;
    std::copy_if(pending.begin(), pending.end(), std::back_inserter(ready),
                 [](const TaskRef &task) { return isReady(*task); });
    if (ready.empty())
      return;
    run(*ready[random() % ready.size()]);
    sweep();
  }
}

void Schedules::drop(const Context &context) {
  for (const TaskRef &task : pending)
    if (task->context == &context) {
      task->isDone = true;
      task->operation = {};
      task->after.clear();
    }
  sweep();
}
