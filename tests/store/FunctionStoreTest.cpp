// Who finds what in the store, and who waits. The code is none.
#include "compiler/store/FunctionStore.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace keratin::compiler;
using namespace std::chrono_literals;
using keratin::codegen::Effort;

static FunctionStore::Key keyOf(const std::string &structure, uint8_t digest = 0,
                                Effort effort = Effort::Full) {
  auto key = std::make_shared<GraphKey>();
  key->structure = structure;
  key->effort = effort;
  key->said.add("f");
  key->digest[0] = digest;
  return key;
}

static FunctionStore::Code codeOf(const FunctionStore::Key &key, size_t bytes = 1) {
  auto code = std::make_shared<LoadedCode>();
  code->key = key;
  code->bytes = bytes;
  return code;
}

// Finds the code, or makes it.
static FunctionStore::Code have(FunctionStore &store, const FunctionStore::Key &key,
                                size_t bytes = 1) {
  FunctionStore::Answer answer = store.find(key, std::nullopt);
  if (answer.code)
    return answer.code;
  FunctionStore::Code code = codeOf(key, bytes);
  std::move(*answer.claim).keep(code);
  return code;
}

TEST_CASE("Code is found by an equal key") {
  FunctionStore store;
  FunctionStore::Code code = have(store, keyOf("a", 1));
  CHECK(have(store, keyOf("a", 1)) == code);
  CHECK(have(store, keyOf("b", 2)) != code);
}

TEST_CASE("Code of full effort serves who asks for quick code, and not the other way round") {
  FunctionStore store;
  const FunctionStore::Key full = keyOf("a"), quick = keyOf("a", 0, Effort::Quick);
  FunctionStore::Code first = have(store, quick);
  CHECK(have(store, quick) == first);
  FunctionStore::Code second = have(store, full);
  CHECK(second != first);
  CHECK(have(store, quick) == second);
}

TEST_CASE("Nobody waits for code of another effort") {
  FunctionStore store;
  const FunctionStore::Key full = keyOf("a"), quick = keyOf("a", 0, Effort::Quick);
  FunctionStore::Answer one = store.find(full, std::nullopt),
                        other = store.find(quick, std::nullopt);
  CHECK(one.claim);
  REQUIRE(other.claim);
  std::move(*other.claim).keep(codeOf(quick));
  CHECK(have(store, quick)->key == quick);
  std::move(*one.claim).keep(codeOf(full));
  CHECK(have(store, quick)->key == full);
}

TEST_CASE("A thousand keys of one digest are a thousand codes") {
  FunctionStore store;
  std::vector<FunctionStore::Code> codes;
  for (int i = 0; i < 1000; ++i)
    codes.push_back(have(store, keyOf(std::to_string(i))));
  for (int i = 0; i < 1000; ++i)
    CHECK(have(store, keyOf(std::to_string(i))) == codes[size_t(i)]);
}

TEST_CASE("What nobody uses lives on while it is among the last that were") {
  FunctionStore store;
  std::weak_ptr<const LoadedCode> first = have(store, keyOf("first")),
                                  second = have(store, keyOf("second"));
  for (size_t i = 2; i < FunctionStore::kMostKept; ++i)
    have(store, keyOf(std::to_string(i)));
  CHECK_FALSE(first.expired());
  have(store, keyOf("first")); // now second is the one that was not used for longest
  have(store, keyOf("one more"));
  CHECK_FALSE(first.expired());
  CHECK(second.expired());
  store.clear();
  CHECK(first.expired());
}

TEST_CASE("What is kept without being in use has bounded bytes") {
  FunctionStore store;
  const size_t half = FunctionStore::kMostKeptBytes / 2;
  std::weak_ptr<const LoadedCode> large = have(store, keyOf("large"), 3 * half),
                                  first = have(store, keyOf("first"), half),
                                  second = have(store, keyOf("second"), half);
  CHECK(large.expired());
  CHECK_FALSE(first.expired());
  std::weak_ptr<const LoadedCode> third = have(store, keyOf("third"), half);
  CHECK(first.expired());
  CHECK_FALSE(second.expired());
}

TEST_CASE("Code that somebody uses is found however much was made since") {
  FunctionStore store;
  FunctionStore::Code used = have(store, keyOf("used"));
  for (int i = 0; i < 1000; ++i)
    have(store, keyOf(std::to_string(i)));
  CHECK(have(store, keyOf("used")) == used);
}

TEST_CASE("Who comes while the code is made waits for it") {
  FunctionStore store;
  auto key = keyOf("a");
  std::optional<FunctionStore::Answer> first = store.find(key, std::nullopt);
  REQUIRE(first->claim);
  std::atomic<bool> isDone = false;
  FunctionStore::Code found;
  std::thread other([&] {
    found = store.find(keyOf("a"), std::nullopt).code;
    isDone = true;
  });
  std::this_thread::sleep_for(20ms);
  CHECK_FALSE(isDone);
  FunctionStore::Code code = codeOf(key);
  std::move(*first->claim).keep(code);
  other.join();
  CHECK(found == code);
}

TEST_CASE("Where making the code fails, another one may try") {
  FunctionStore store;
  std::optional<FunctionStore::Answer> first = store.find(keyOf("a"), std::nullopt);
  bool mayTry = false;
  std::thread other([&] { mayTry = store.find(keyOf("a"), std::nullopt).claim.has_value(); });
  first.reset();
  other.join();
  CHECK(mayTry);
}

TEST_CASE("Who has no more time does not wait on") {
  FunctionStore store;
  FunctionStore::Answer first = store.find(keyOf("a"), std::nullopt);
  FunctionStore::Answer late = store.find(keyOf("a"), std::chrono::steady_clock::now() + 5ms);
  CHECK_FALSE(late.code);
  CHECK_FALSE(late.claim);
}

TEST_CASE("Of many threads with a few keys one makes each code") {
  FunctionStore store;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  std::vector<FunctionStore::Code> codes[8]; // which live on
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto key = keyOf(std::to_string(i));
        FunctionStore::Answer answer = store.find(key, std::nullopt);
        if (answer.claim) {
          ++made;
          answer.code = codeOf(key);
          std::move(*answer.claim).keep(answer.code);
        }
        codes[t].push_back(answer.code);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(made == 50);
}
