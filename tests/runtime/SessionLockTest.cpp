// Who comes in when several wait, and that nobody sleeps on.
#include "runtime/core/Session.h"
#include "tests/runtime/FunctionBuilder.h"

#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace keratin::testing;
using keratin::runtime::SessionGuard;
using keratin::runtime::SessionLock;

namespace {

// Threads that queue up for a lock one by one, each asleep before the next comes.
class Queue {
public:
  explicit Queue(SessionLock &lock) : lock(lock) {}
  void add(char name, bool exclusive) {
    std::atomic<pid_t> id{0};
    threads.emplace_back([this, name, exclusive, &id] {
      id = gettid();
      SessionGuard guard(&lock, exclusive);
      std::lock_guard<std::mutex> hold(mutex);
      order += name;
    });
    // A thread that begins may sleep for a moment, for memory or its name: only one that waits for
    // the lock goes on sleeping.
    for (int looks = 0; looks < 30; looks = id != 0 && isAsleep(id) ? looks + 1 : 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string finish() {
    for (std::thread &thread : threads)
      thread.join();
    return order;
  }

private:
  static bool isAsleep(pid_t id) {
    std::ifstream file("/proc/self/task/" + std::to_string(id) + "/stat");
    std::string number, name, state;
    file >> number >> name >> state;
    return state == "S";
  }

  SessionLock &lock;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::string order;
};

} // namespace

TEST_CASE("readers that wait come after the writer that leaves, before the next one") {
  SessionLock lock;
  Queue queue(lock);
  lock.lockExclusive();
  queue.add('w', true);
  queue.add('r', false);
  queue.add('r', false);
  lock.unlock();
  CHECK(queue.finish() == "rrw");
}

TEST_CASE("a reader that comes while a writer waits comes after it") {
  SessionLock lock;
  Queue queue(lock);
  lock.lockShared();
  queue.add('w', true);
  queue.add('r', false);
  lock.unlock();
  CHECK(queue.finish() == "wr");
}

TEST_CASE("readers share the lock") {
  SessionLock lock;
  lock.lockShared();
  std::thread([&] {
    lock.lockShared();
    lock.unlock();
  }).join();
  lock.unlock();
  lock.lockExclusive();
  lock.unlock();
}

TEST_CASE("readers and writers in any order keep each other out, and all come through") {
  SessionLock lock;
  int64_t a = 0, b = 0; // equal outside the lock
  std::atomic<int64_t> torn{0}, writes{0};
  std::vector<std::thread> team;
  for (unsigned i = 0; i < 8; ++i)
    team.emplace_back([&, i] {
      unsigned random = i * 7919 + 1;
      for (int round = 0; round < 5000; ++round) {
        random = random * 1664525 + 1013904223;
        bool exclusive = (random >> 28) < 2 * i;
        SessionGuard guard(&lock, exclusive);
        if (exclusive) {
          ++a;
          ++writes;
          if (random >> 24 & 1)
            std::this_thread::yield();
          ++b;
        } else {
          torn += a != b;
        }
      }
    });
  for (std::thread &thread : team)
    thread.join();
  CHECK(torn == 0);
  CHECK(a == writes);
  CHECK(b == writes);
}

TEST_CASE("whoever leaves last may take the session along") {
  for (int round = 0; round < 300; ++round) {
    keratin_variable_t *variable = makeVariable(makeSession().get(), {1, 2}).release();
    std::vector<std::thread> team;
    for (int i = 0; i < 4; ++i) {
      keratin_variable_retain(variable);
      team.emplace_back([variable, i] {
        float data[2] = {3, 4};
        int64_t dims[] = {2};
        keratin_tensor_t value = {data, KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
        if (i % 2)
          keratin_variable_write(variable, &value, nullptr);
        else
          keratin_variable_read(variable, data, sizeof data, nullptr);
        keratin_variable_release(variable);
      });
    }
    keratin_variable_release(variable);
    for (std::thread &thread : team)
      thread.join();
  }
}
