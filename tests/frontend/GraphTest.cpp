// The life of the graph's ops, names, locations, and what is known of tensors.
#include "tests/frontend/FrontendTest.h"

#include "frontend/graph/EvalCache.h"
#include "frontend/graph/Graph.h"

#include <cstring>
#include <fstream>
#include <set>
#include <unordered_set>

using keratin::frontend::Graph;

// Resident memory in bytes.
static int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST_CASE("ops without handles and users are erased") {
  int64_t before = Graph::get().opCount();
  {
    Tensor x = K::placeholder({None, 3});
    Tensor y = K::tanh(x * 2.0 + 1.0);
    x = Tensor();
    CHECK(Graph::get().opCount() > before);
    CHECK(y.shape() == StaticShape{None, 3});
  }
  CHECK(Graph::get().opCount() == before);
}

TEST_CASE("a failed call leaves nothing behind") {
  Tensor x = K::placeholder({2, 3}), y = K::placeholder({4, 5});
  int64_t before = Graph::get().opCount();
  CHECK_THROWS_AS(K::dot(x, y), keratin::ValueError);
  CHECK_THROWS_AS(x + y, keratin::ValueError);
  CHECK_THROWS_AS(K::batch_normalization(x, 1.0, 1.0, K::placeholder({7}), 1.0),
                  keratin::ValueError);
  CHECK(Graph::get().opCount() == before);
}

TEST_CASE("a chain of 250,000 ops is erased without recursion") {
  int64_t before = Graph::get().opCount();
  {
    Tensor x = K::placeholder({2});
    for (int i = 0; i < 250000; ++i)
      x = K::tanh(x);
    CHECK(Graph::get().opCount() >= before + 250000);
  }
  CHECK(Graph::get().opCount() == before);
}

// AddressSanitizer keeps what was freed for a while, to see who still uses it.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KERATIN_KEEPS_FREED_MEMORY 1
#endif
#endif
#ifdef KERATIN_KEEPS_FREED_MEMORY
static constexpr bool keepsFreedMemory = true;
#else
static constexpr bool keepsFreedMemory = false;
#endif

TEST_CASE("evaluating in a loop takes constant memory and compiles once") {
  Tensor x = K::variable({1.0, 2.0, 3.0});
  checkArray(K::eval(x + 1), Array{2.0, 3.0, 4.0});
  int64_t compiled = keratin::frontend::evalCompileCount();
  for (int i = 0; i < 10000; ++i)
    K::eval(x + i);
  int64_t ops = Graph::get().opCount(), bytes = residentBytes();
  for (int i = 0; i < 90000; ++i)
    K::eval(x + i);
  CHECK(Graph::get().opCount() == ops);
  CHECK(keratin::frontend::evalCompileCount() == compiled);
  CHECK((keepsFreedMemory || residentBytes() - bytes < 4 << 20));
  checkArray(K::eval(x + 99999), Array{100000.0, 100001.0, 100002.0});
}

TEST_CASE("symbols are given back with their placeholder and its users") {
  int64_t before = Graph::get().symbols.size();
  Tensor zeros;
  {
    Tensor x = K::placeholder({None, None});
    zeros = K::zeros_like(x);
  }
  // The zeros mention them although they do not use the placeholder.
  CHECK(Graph::get().symbols.size() == before + 2);
  zeros = Tensor();
  CHECK(Graph::get().symbols.size() == before);
  for (int i = 0; i < 1000; ++i)
    K::sum(K::placeholder({None, 4}));
  CHECK(Graph::get().symbols.size() == before);
}

// A recurrence over x that sums up to its handles.
static Tensor recurrence(const Tensor &x, double factor) {
  auto [last, outputs, states] = K::rnn(
      [&](const Tensor &input, const Tensor &h) {
        Tensor next = K::switch_(
            K::sum(h) > 0.0, [&] { return h * factor + input; }, [&] { return input - h; });
        return std::pair(next, next);
      },
      x, {K::sum(x, 1)});
  return last;
}

TEST_CASE("loops live as long as their handles", "[loop]") {
  int64_t ops = Graph::get().opCount(), symbols = Graph::get().symbols.size();
  int64_t placeholders = Graph::get().placeholders.size(), literals = Graph::get().literals.size();
  {
    Tensor x = K::placeholder({None, None, 2});
    Tensor y = recurrence(x, 0.5);
    x = Tensor();
    // The two sizes, which the bodies mention.
    CHECK(Graph::get().symbols.size() == symbols + 2);
    CHECK(keratin::toString(y.shape()) == "(None, 2)");
    Tensor z = K::placeholder({None, 3, 1});
    int64_t before = Graph::get().opCount();
    CHECK_THROWS_AS(K::rnn(
                        [&](const Tensor &input, const Tensor &h) {
                          Tensor next = input + K::dropout(h, 0.5);
                          throw std::runtime_error("mine");
                          return std::pair(next, next);
                        },
                        z, {K::zeros({1, 1})}),
                    std::runtime_error);
    CHECK(Graph::get().opCount() == before);
    CHECK(Graph::get().traces().empty());
  }
  CHECK(Graph::get().opCount() == ops);
  CHECK(Graph::get().symbols.size() == symbols);
  CHECK(Graph::get().placeholders.size() == placeholders);
  CHECK(Graph::get().literals.size() == literals);
}

TEST_CASE("loops of one structure are compiled once", "[loop]") {
  Tensor x = K::constant({{{1.0, 2.0}, {3.0, 4.0}}});
  Array first = recurrence(x, 0.5).eval();
  int64_t compiled = keratin::frontend::evalCompileCount(), ops = Graph::get().opCount();
  checkArray(recurrence(x, 2.0).eval(), Array{{21.0, 32.0}});
  checkArray(recurrence(K::constant({{{1.0, 0.0}, {0.0, 1.0}}}), 0.5).eval(), Array{{0.75, 1.25}});
  checkArray(recurrence(x, 0.5).eval(), first);
  CHECK(keratin::frontend::evalCompileCount() == compiled);
  CHECK(Graph::get().opCount() == ops);
  // Another body is another structure.
  K::map_fn([](const Tensor &e) { return e * 2.0; }, x).eval();
  K::map_fn([](const Tensor &e) { return e + 2.0; }, x).eval();
  CHECK(keratin::frontend::evalCompileCount() == compiled + 2);
}

TEST_CASE("names are scoped and unique") {
  Tensor a = K::placeholder({2}, None, None, false, "input");
  Tensor b = K::placeholder({2}, None, None, false, "input");
  CHECK(a.name() != b.name());
  K::name_scope outer("outer");
  CHECK(outer.name() == "outer/");
  K::name_scope inner("inner");
  CHECK(inner.name() == "outer/inner/");
  CHECK_THAT(K::tanh(a).name(), Catch::StartsWith("outer/inner/tanh"));
  CHECK_THAT(K::identity(a, "out").name(), Catch::StartsWith("outer/inner/out"));
  CHECK(K::identity(a, "whole/name/").name() == "whole/name:0");
}

TEST_CASE("a name that ends in a slash is the whole name") {
  K::name_scope outer("slash_outer");
  // Keras gives the scope that it opened as the name of what it makes in it.
  Tensor x = K::placeholder({2}), first, second;
  {
    K::name_scope scope("size");
    CHECK(scope.name() == "slash_outer/size/");
    first = K::size(x, scope.name());
    second = K::size(x, scope.name());
    // Scopes that are named in full have no other around them.
    K::name_scope again(outer.name());
    CHECK(again.name() == "slash_outer/");
    CHECK(K::identity(x, "in").name() == "slash_outer/in:0");
  }
  CHECK(first.name() == "slash_outer/size:0");
  CHECK(second.name() != first.name());
  CHECK(K::variable(1.0, None, "slash/weights/").name() == "slash/weights:0");
  CHECK(K::zeros({2}, None, "slash/zeros/").name() == "slash/zeros:0");
  CHECK(K::placeholder({2}, None, None, false, "slash/input/").name() == "slash/input:0");
  CHECK(K::placeholder({2, 2}, None, None, true, "slash/sparse/").name() == "slash/sparse:0");
  CHECK(K::identity(x, "/").name() == "slash_outer//:0");
}

TEST_CASE("tensors compare and hash by identity") {
  Tensor x = K::placeholder({2}), y = K::placeholder({2});
  Tensor copy = x;
  CHECK(K::is_same(x, copy));
  CHECK_FALSE(K::is_same(x, y));
  std::unordered_set<Tensor> set = {x, copy, y};
  CHECK(set.size() == 2);
}

TEST_CASE("kinds of tensors") {
  Tensor x = K::placeholder({2}), v = K::zeros({2});
  CHECK(K::is_placeholder(x));
  CHECK_FALSE(K::is_placeholder(v));
  CHECK_FALSE(K::is_placeholder(K::learning_phase()));
  CHECK(K::is_variable(v));
  CHECK_FALSE(K::is_variable(K::identity(v)));
  CHECK_FALSE(K::is_variable(K::cast(v, "float32")));
  CHECK_FALSE(K::is_variable(3.0));
  CHECK(K::is_tensor(x));
  CHECK_FALSE(K::is_tensor(Array{1, 2}));
  CHECK_THROWS_AS(K::is_keras_tensor(Array{1, 2}), keratin::ValueError);
}

TEST_CASE("static shapes and dtypes") {
  Tensor x = K::placeholder({None, 4, 5});
  CHECK(K::int_shape(x) == StaticShape{None, 4, 5});
  CHECK(K::ndim(x) == 3);
  CHECK(K::dtype(x) == "float32");
  CHECK(K::shape(x).shape() == StaticShape{3});
  CHECK(K::dtype(K::shape(x)) == "int32");
  CHECK(K::ndim(K::size(x)) == 0);
  CHECK_THROWS_AS(K::count_params(x), keratin::ValueError);
  CHECK(K::count_params(K::zeros({3, 4})) == 12);
  CHECK(K::count_params(K::variable(1.0)) == 1);
  CHECK(K::int_shape(Array{{1, 2}, {3, 4}}) == StaticShape{2, 2});
  CHECK(K::placeholder(None, 2).shape() == StaticShape{None, None});
  CHECK(K::placeholder({}).shape() == StaticShape{});
  CHECK_THROWS_AS(K::placeholder(), keratin::ValueError);
}

TEST_CASE("uids count for each prefix") {
  K::reset_uids();
  CHECK(K::get_uid("dense") == 1);
  CHECK(K::get_uid("dense") == 2);
  CHECK(K::get_uid() == 1);
  K::reset_uids();
  CHECK(K::get_uid("dense") == 1);
}

TEST_CASE("ops have the names of their files, whatever had the place in memory before") {
  char file[] = "first.cc";
  Tensor x = K::placeholder({2}), first = K::tanh(x, {file, 7});
  std::strcpy(file, "other.cc");
  Tensor other = K::tanh(x, {file, 7});
  auto fileOf = [](const Tensor &tensor) {
    mlir::Location place = keratin::frontend::valueOf(tensor).getLoc();
    return llvm::cast<mlir::FileLineColLoc>(place).getFilename().str();
  };
  CHECK(fileOf(first) == "first.cc");
  CHECK(fileOf(other) == "other.cc");
}

// 2^32 of them would be 0 as int32, and take more memory than a test has.
TEST_CASE("bools are added up as numbers of which no sum of ones is 0") {
  Tensor a = K::placeholder({2, 3}, None, "bool"), b = K::placeholder({3, 2}, None, "bool");
  for (const Tensor &sum : {K::dot(a, b), K::batch_dot(a, a, {1, 1}), K::cumsum(a)}) {
    CHECK(sum.dtype() == keratin::DType::Bool);
    mlir::Operation *isTrue = keratin::frontend::valueOf(sum).getDefiningOp();
    CHECK(keratin::ir::getElementType(isTrue->getOperand(0)).isF32());
  }
}

TEST_CASE("errors name the function and the line of the call") {
  Tensor x = K::placeholder({2, 3}), y = K::placeholder({4, 5});
  int line = __LINE__ + 1;
  std::string message = errorOf<keratin::ValueError>([&] { K::dot(x, y); });
  CHECK_THAT(message, Catch::StartsWith("dot: "));
  CHECK_THAT(message, Catch::Contains("(2, 3)") && Catch::Contains("(4, 5)"));
  CHECK_THAT(message, Catch::EndsWith("GraphTest.cpp:" + std::to_string(line)));
  line = __LINE__ + 1;
  message = errorOf<keratin::ValueError>([&] { x + y; });
  CHECK_THAT(message, Catch::StartsWith("add: "));
  CHECK_THAT(message, Catch::EndsWith("GraphTest.cpp:" + std::to_string(line)));
  CHECK_THROWS_AS(Tensor().shape(), keratin::ValueError);
  CHECK_THROWS_AS(K::tanh(Tensor()), keratin::ValueError);
}

template <typename A, typename B, typename = void> struct HasEquality : std::false_type {};
template <typename A, typename B>
struct HasEquality<A, B, std::void_t<decltype(std::declval<A>() == std::declval<B>())>>
    : std::true_type {};

TEST_CASE("tensors have no ==", "[graph]") {
  STATIC_REQUIRE_FALSE(HasEquality<Tensor, Tensor>::value);
  STATIC_REQUIRE_FALSE(HasEquality<Tensor, double>::value);
  STATIC_REQUIRE_FALSE(HasEquality<Array, Tensor>::value);
  STATIC_REQUIRE(HasEquality<DType, DType>::value);
}
