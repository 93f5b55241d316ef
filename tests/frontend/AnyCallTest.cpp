// Every K function with anything: a result, or an error that names it. tests/python/any_calls.py
// does the same through Python, with every function; here are those of the table that have an
// address, and the overloaded ones that take tensors.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TestEnvironment.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>

using namespace keratin;

namespace {

// Draws arguments of the types that K functions take.
class Chance {
public:
  explicit Chance(uint64_t seed) : state(seed) {}

  uint64_t below(uint64_t n) { return tests::nextRandom(state) % n; }
  template <typename List> auto oneOf(const List &list) {
    return *(std::begin(list) + below(std::size(list)));
  }
  bool often(uint64_t percent) { return below(100) < percent; }

  Tensor tensor() {
    std::vector<Size> sizes;
    bool isKnown = true;
    const bool isOpen = often(40);
    for (uint64_t i = 0, rank = below(7); i < rank; ++i) {
      if (isOpen && often(50)) {
        sizes.push_back(often(50) ? Size(None) : Size(oneOf(names)));
        isKnown = false;
      } else {
        sizes.push_back(Size(int64_t(often(8) ? 0 : 1 + below(4))));
      }
    }
    const DType dtype = often(40) ? DType::Float32 : anyDType();
    if (!isKnown || often(50))
      return K::placeholder(Shape(sizes), None, dtype);
    return often(50) ? K::zeros(Shape(sizes), dtype) : K::ones(Shape(sizes), dtype);
  }

  double number() {
    static const double numbers[] = {
        0,   1,    2,    3,    -1,  -2,           7,
        0.5, -0.5, 1e-7, 1e30, 2.5, std::nan(""), std::numeric_limits<double>::infinity()};
    return oneOf(numbers);
  }
  int64_t integer() {
    static const int64_t numbers[] = {0, 1, 2, 3, -1, -2, -3, 1, 2, 5, 7, INT64_MAX, INT64_MIN};
    return oneOf(numbers);
  }
  std::vector<int64_t> integers() {
    std::vector<int64_t> list;
    for (uint64_t i = 0, n = below(5); i < n; ++i)
      list.push_back(integer());
    return list;
  }
  std::string word() {
    static const char *const words[] = {
        "channels_first", "channels_last", "same",      "valid",    "causal", "max",     "avg",
        "nearest",        "bilinear",      "ij,jk->ik", "constant", "",       "reflect", "x"};
    return oneOf(words);
  }
  DType anyDType() {
    static const DType all[] = {DType::Bool,   DType::Int8,    DType::Int16,    DType::Int32,
                                DType::Int64,  DType::UInt8,   DType::UInt16,   DType::UInt32,
                                DType::UInt64, DType::Float16, DType::BFloat16, DType::Float32,
                                DType::Float64};
    return oneOf(all);
  }

private:
  static constexpr const char *names[] = {"batch", "length"};
  uint64_t state;
};

// Left out: nobody draws the type.
template <typename T> struct Draw;
#define KERATIN_DRAW(Type, expression)                                                             \
  template <> struct Draw<Type> {                                                                  \
    static Type from(Chance &c) { return expression; }                                             \
  }
KERATIN_DRAW(Tensor, c.tensor());
KERATIN_DRAW(Operand, c.often(75)   ? Operand(c.tensor())
                      : c.often(50) ? Operand(c.number())
                      : c.often(50) ? Operand(c.integer())
                                    : Operand(None));
KERATIN_DRAW(bool, c.often(50));
KERATIN_DRAW(int, int(c.below(7)) - 2);
KERATIN_DRAW(int64_t, c.integer());
KERATIN_DRAW(double, c.number());
KERATIN_DRAW(std::string, c.word());
KERATIN_DRAW(std::vector<int64_t>, c.integers());
KERATIN_DRAW(std::optional<int64_t>, c.often(30) ? std::optional<int64_t>() : c.integer());
KERATIN_DRAW(std::optional<double>, c.often(30) ? std::optional<double>() : c.number());
KERATIN_DRAW(Axis, Axis(c.integer()));
KERATIN_DRAW(Axes, c.often(20)   ? Axes(None)
                   : c.often(40) ? Axes(Axis(c.integer()))
                                 : Axes(c.integers()));
KERATIN_DRAW(Size, c.often(20) ? Size(c.tensor()) : Size(c.integer()));
KERATIN_DRAW(DTypeArgument, c.often(30) ? DTypeArgument(None) : DTypeArgument(c.anyDType()));
KERATIN_DRAW(DataFormat, c.often(30) ? DataFormat(None) : DataFormat(c.word()));
#undef KERATIN_DRAW

template <> struct Draw<Shape> {
  static Shape from(Chance &c) {
    if (c.often(10))
      return Shape(None);
    std::vector<Size> sizes;
    for (int64_t size : c.integers())
      sizes.push_back(c.often(15) ? Size(None) : Size(c.often(80) ? size % 8 : size));
    return Shape(sizes);
  }
};
template <> struct Draw<std::vector<Tensor>> {
  static std::vector<Tensor> from(Chance &c) {
    std::vector<Tensor> list;
    for (uint64_t i = 0, n = c.below(4); i < n; ++i)
      list.push_back(!list.empty() && c.often(60) ? list.front() : c.tensor());
    return list;
  }
};
template <> struct Draw<TensorList> {
  static TensorList from(Chance &c) { return TensorList(Draw<std::vector<Tensor>>::from(c)); }
};
template <> struct Draw<SourceLocation> {
  static SourceLocation from(Chance &) { return SourceLocation::current(); }
};

template <typename T>
concept Drawn = requires(Chance &c) { Draw<std::decay_t<T>>::from(c); };

using Call = std::function<void(Chance &)>;

template <typename Result, typename... Arguments>
std::optional<Call> callOf(Result (*function)(Arguments...)) {
  if constexpr ((Drawn<Arguments> && ...))
    return [function](Chance &c) {
      // Braces: in this order.
      std::tuple<std::decay_t<Arguments>...> drawn{Draw<std::decay_t<Arguments>>::from(c)...};
      std::apply(function, drawn);
    };
  else
    return std::nullopt;
}

// What changes all that comes after, or the disk.
const char *const leftOut[] = {"set_floatx",
                               "set_epsilon",
                               "set_image_data_format",
                               "clear_session",
                               "reset_uids",
                               "set_learning_phase",
                               "set_device",
                               "save_function",
                               "save_functions",
                               "load_function",
                               "load_functions",
                               "load_model",
                               "manual_variable_initialization"};

std::map<std::string, Call> callsOfTable() {
  std::map<std::string, Call> calls;
#define KERATIN_FUNCTION(name)                                                                     \
  if (std::optional<Call> call = callOf(&K::name))                                                 \
    calls[#name] = *std::move(call);
#define KERATIN_NAME(name)
#define KERATIN_EXTENSION()
#include "frontend/generated/ApiList.inc"
#undef KERATIN_FUNCTION
#undef KERATIN_NAME
#undef KERATIN_EXTENSION
  for (const char *name : leftOut)
    calls.erase(name);
  return calls;
}

// Of overloaded names the one whose parameters are positional.
template <typename... Arguments>
void add(std::map<std::string, Call> &calls, const char *name,
         Tensor (*function)(Arguments..., SourceLocation)) {
  calls[name] = callOf(function).value();
}

void addOverloaded(std::map<std::string, Call> &calls) {
  using T = const Operand &;
  using S = const Shape &;
  using Reduction = Tensor (*)(T, const Axes &, bool, SourceLocation);
#define KERATIN_REDUCTION(name) calls[#name] = callOf(static_cast<Reduction>(&K::name)).value()
  KERATIN_REDUCTION(sum);
  KERATIN_REDUCTION(max);
  KERATIN_REDUCTION(min);
  KERATIN_REDUCTION(prod);
  KERATIN_REDUCTION(mean);
  KERATIN_REDUCTION(var);
  KERATIN_REDUCTION(std);
  KERATIN_REDUCTION(any);
  KERATIN_REDUCTION(all);
  KERATIN_REDUCTION(logsumexp);
#undef KERATIN_REDUCTION
  add<T, double, std::optional<double>, double>(calls, "relu", &K::relu);
  add<T, T, bool, Axis>(calls, "categorical_crossentropy", &K::categorical_crossentropy);
  add<T, T, bool, Axis>(calls, "sparse_categorical_crossentropy",
                        &K::sparse_categorical_crossentropy);
  add<T, double, S, std::optional<int64_t>>(calls, "dropout", &K::dropout);
  add<T, T, T, T, T, Axis, double>(calls, "batch_normalization", &K::batch_normalization);
  add<S, DTypeArgument, const std::string &>(calls, "eye", &K::eye);
}

} // namespace

// KERATIN_TEST_CALLS of each, others each day.
TEST_CASE("every function takes anything or says its name", "[misuse]") {
  std::map<std::string, Call> calls = callsOfTable();
  addOverloaded(calls);
  CHECK(calls.size() > 100);
  const int64_t count = tests::fromEnvironment("KERATIN_TEST_CALLS", 60);
  const int64_t first = tests::dailySeed();
  for (const auto &[name, call] : calls)
    for (int64_t seed = first; seed < first + count; ++seed) {
      INFO("K::" << name << ", seed " << seed);
      Chance chance{uint64_t(seed)};
      std::string message;
      try {
        call(chance);
        continue;
      } catch (const MemoryError &) {
        continue; // no function can help it
      } catch (const Error &error) {
        message = error.what();
      } catch (const std::bad_alloc &) {
        continue;
      }
      // What a placeholder or a variable of the arguments refuses names that.
      if (message.find(name) == std::string::npos)
        FAIL_CHECK(message);
    }
}
