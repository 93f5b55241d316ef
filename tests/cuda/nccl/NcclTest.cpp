// Calls of all ranks on devices, whose messages go from device to device: ranks are threads, each
// with a device of its own, and NCCL is a look-alike.
#include "tests/cuda/nccl/Control.h"
#include "tests/runtime/CudaHarness.h"
#include "tests/runtime/comm/Ranks.h"

#include <numeric>

using namespace keratin::testing;
using namespace keratin::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

struct NcclControl {
  decltype(&keratin_nccl_set) set;
  decltype(&keratin_nccl_counts) readCounts;
  keratin_nccl_counts_t counts() const {
    keratin_nccl_counts_t now;
    readCounts(&now);
    return now;
  }
};

const NcclControl &nccl() {
  emulator();
  static const NcclControl control = [] {
    setenv("KERATIN_NCCL_LIBRARY", KERATIN_NCCL_EMULATOR, /*overwrite=*/0);
    void *library = dlopen(KERATIN_NCCL_EMULATOR, RTLD_NOW | RTLD_LOCAL);
    INFO((library ? "" : dlerror()));
    REQUIRE(library);
    return NcclControl{
        reinterpret_cast<decltype(&keratin_nccl_set)>(dlsym(library, "keratin_nccl_set")),
        reinterpret_cast<decltype(&keratin_nccl_counts)>(dlsym(library, "keratin_nccl_counts"))};
  }();
  return control;
}

// What goes wrong while a test runs.
class Fault {
public:
  explicit Fault(const char *fault) { nccl().set(fault); }
  ~Fault() { nccl().set("none"); }
};

class Setting {
public:
  Setting(const char *name, const char *value) : name(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name); }

private:
  const char *name;
};

// What entry functions have the device do, with buffers x, w, v, y, z, the new w.
struct Entry {
  keratin_context_t *context;
  void *const *buffers;

  const keratin_runtime_functions_t &functions() const { return *context->functions; }
  int64_t address(int buffer) const { return int64_t(buffers[buffer]); }
  void launch(int32_t kernel, std::vector<int64_t> argv, int64_t units) const {
    functions().launch(context, kernel, argv.data(), int32_t(argv.size()), units, 1, 0);
  }
  void twice(int from, int to, int64_t elements) const {
    launch(Add, {address(from), address(from), address(to)}, elements);
  }
  // The sum of all ranks, or of those along the first axis or the second.
  void startSum(int from, int to, int64_t elements, int64_t axis = 0) const {
    const keratin_rank_message_t wanted = {buffers[from],
                                           buffers[to],
                                           KERATIN_MESSAGE_ALL_REDUCE,
                                           KERATIN_REDUCE_SUM,
                                           KERATIN_DTYPE_FLOAT32,
                                           elements,
                                           elements,
                                           1,
                                           nullptr,
                                           0,
                                           axis};
    functions().start_collective(context, &wanted);
  }
  void checkV() const { launch(Check, {address(2), 100, 0}, 4); }
  // y = 2 z, and v grows by 5 in place, on all ranks or none.
  void finish(int64_t elements) const {
    functions().agree(context);
    if (functions().has_failed(context))
      return;
    twice(4, 3, elements);
    launch(Increment, {address(2), 5}, 4);
  }
};

// z = the sum of 2 x of all ranks, y = 2 z; while z is under way w doubles, exchanged; v grows by 5
// in place, on all ranks or none, unless an element of it is 100 or more.
void launchStep(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  const Entry entry{context, buffers};
  entry.twice(0, 3, sizes[0]);
  entry.startSum(3, 4, sizes[0]);
  entry.twice(1, 5, 4);
  entry.checkV();
  entry.functions().wait_collective(context);
  entry.finish(sizes[0]);
}

// The same, and before it the host has to know something.
void readingEntry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  void *staged = context->functions->staging(context, 4);
  context->functions->fetch(context, staged, buffers[2], 4, 0);
  launchStep(context, buffers, sizes);
}

const char *const meshAxes[] = {"data", "model"};

// In a mesh: z = the sum of 2 x along "model", and the new w that of w along "data"; y = 2 z. What
// becomes of v is as above.
void launchMeshStep(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  const Entry entry{context, buffers};
  entry.twice(0, 3, sizes[0]);
  entry.startSum(3, 4, sizes[0], 2);
  entry.startSum(1, 5, 4, 1);
  entry.checkV();
  entry.functions().wait_collective(context);
  entry.functions().wait_collective(context);
  entry.finish(sizes[0]);
}

// One rank's function and its variables.
class Step {
public:
  Step(keratin_group_t *group, const keratin_device_t *device,
       keratin_entry_fn_t entry = launchStep)
      : builder("step", entry) {
    builder.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .symbol("n", 0, 0)
        .variable("w", KERATIN_DTYPE_FLOAT32, {4})
        .variable("v", KERATIN_DTYPE_INT32, {4})
        .output("y", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .output("z", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .site(KERATIN_OUT_OF_RANGE, "v is 100 or more")
        .site(KERATIN_INTERNAL, "all_reduce; at net.cc:3")
        .update(0, false)
        .update(1, true);
    builder.descriptor.device_code = &code.code;
    builder.descriptor.num_collectives = entry == launchMeshStep ? 2 : 1;
    builder.descriptor.axes = entry == launchMeshStep ? &axes : nullptr;
    builder.build();
    keratin_session_create_on(device, &session, nullptr);
    const float ws[] = {1, 2, 3, 4};
    const int32_t vs[] = {10, 20, 30, 40};
    const int64_t dims[] = {4};
    keratin_variable_create(session, KERATIN_DTYPE_FLOAT32, 1, dims, ws, &w, nullptr);
    keratin_variable_create(session, KERATIN_DTYPE_INT32, 1, dims, vs, &v, nullptr);
    keratin_executable_create_on(&builder.descriptor, device, &executable, nullptr);
    keratin_executable_set_group(executable, group, nullptr);
  }
  ~Step() {
    keratin_executable_destroy(executable);
    keratin_variable_release(w);
    keratin_variable_release(v);
    keratin_session_destroy(session);
  }
  Step(const Step &) = delete;

  Outcome call(std::vector<float> numbers) {
    const auto n = int64_t(numbers.size());
    Floats x({n}, std::move(numbers));
    y = Floats({n});
    z = Floats({n});
    keratin_tensor_t input = x.view(), outputs[] = {y.view(), z.view()};
    keratin_variable_t *variables[] = {w, v};
    keratin_status_t status = {};
    keratin_invoke(executable, variables, 2, &input, 1, outputs, 2, &status);
    return outcome(status);
  }
  std::vector<int32_t> readV() {
    std::vector<int32_t> values(4);
    keratin_variable_read(v, values.data(), 16, nullptr);
    return values;
  }
  void writeV(std::vector<int32_t> values) { write(v, KERATIN_DTYPE_INT32, values.data()); }
  std::vector<float> readW() {
    std::vector<float> values(4);
    keratin_variable_read(w, values.data(), 16, nullptr);
    return values;
  }
  void writeW(std::vector<float> values) { write(w, KERATIN_DTYPE_FLOAT32, values.data()); }
  void forget() { keratin_executable_trim(executable); }

  Floats y{{0}}, z{{0}};

private:
  static void write(keratin_variable_t *variable, int32_t dtype, void *values) {
    const int64_t dims[] = {4};
    const keratin_tensor_t value = {values, dtype, 1, dims, nullptr, nullptr};
    keratin_variable_write(variable, &value, nullptr);
  }

  CudaCode code;
  const keratin_message_axes_t axes = {2, meshAxes, {}};
  FunctionBuilder builder;
  keratin_session_t *session = nullptr;
  keratin_variable_t *w = nullptr, *v = nullptr;
  keratin_executable_t *executable = nullptr;
};

// What each rank's work returns; each has a device of its own.
template <typename Result>
std::vector<Result> onDevices(int ranks, const std::function<Result(Step &, int)> &work,
                              keratin_entry_fn_t entry = launchStep, double seconds = 60) {
  nccl();
  std::vector<const keratin_device_t *> devices;
  for (int rank = 0; rank < ranks; ++rank)
    devices.push_back(cudaDevice("cuda:" + std::to_string(rank)));
  return onRanks<Result>(ranks, [&](keratin_group_t *group, int rank) {
    keratin_group_set_timeout(group, seconds);
    if (const keratin_mesh_axis_t mesh[] = {{"data", 2}, {"model", ranks / 2}};
        entry == launchMeshStep)
      keratin_group_arrange(group, mesh, 2, nullptr);
    Step step(group, devices[size_t(rank)], entry);
    return work(step, rank);
  });
}

// x of rank r is r + 1 everywhere. "" where a call gives what it should.
std::string rightCall(Step &step, int rank, int ranks) {
  std::vector<int32_t> before = step.readV();
  Outcome told = step.call(std::vector<float>(4, float(rank + 1)));
  if (told.code)
    return told.message;
  float sum = float(ranks * (ranks + 1));
  if (step.z.values != std::vector<float>(4, sum) ||
      step.y.values != std::vector<float>(4, 2 * sum))
    return "wrong sums";
  for (int32_t &value : before)
    value += 5;
  return step.readV() == before ? "" : "v is not updated";
}

using Texts = std::vector<std::string>;

constexpr int lineLength = 2, meshRanks = 2 * lineLength;
using MeshWork = std::function<std::string(Step &, int)>;

Texts inMesh(const MeshWork &work, double seconds = 60) {
  return onDevices<std::string>(meshRanks, work, launchMeshStep, seconds);
}

// The same with rank r + 1 everywhere in x and in w. Lines along "model" may have x of other
// lengths: `elements` of the first.
std::string rightMeshCall(Step &step, int rank, int elements = 4) {
  const int data = rank / lineLength, model = rank % lineLength;
  std::vector<int32_t> before = step.readV();
  step.writeW(std::vector<float>(4, float(rank + 1)));
  const auto length = size_t(data == 0 ? elements : 4);
  Outcome told = step.call(std::vector<float>(length, float(rank + 1)));
  if (told.code)
    return told.message;
  const int first = data * lineLength;
  const float alongModel = float(2 * (first + 1 + first + 2));
  const float alongData = float(model + 1 + model + 1 + lineLength);
  if (step.z.values != std::vector<float>(length, alongModel) ||
      step.y.values != std::vector<float>(length, 2 * alongModel))
    return "wrong sums along model";
  if (step.readW() != std::vector<float>(4, alongData))
    return "wrong sums along data";
  for (int32_t &value : before)
    value += 5;
  return step.readV() == before ? "" : "v is not updated";
}

} // namespace

TEST_CASE("messages go from device to device") {
  for (int ranks : {1, 2, 3}) {
    INFO(ranks << " ranks");
    int64_t messages = nccl().counts().messages;
    CHECK(onDevices<std::string>(ranks, [&](Step &step, int rank) {
            return rightCall(step, rank, ranks);
          }) == Texts(size_t(ranks)));
    // What has failed is one, too.
    CHECK(nccl().counts().messages - messages == 2 * ranks);
    CHECK(nccl().counts().communicators == 0);
    CHECK(emulator().counts().pending == 0);
  }
}

TEST_CASE("calls that come again are graphs, with their messages") {
  int64_t graphs = emulator().counts().graph_launches;
  CHECK(onDevices<std::string>(3, [&](Step &step, int rank) {
          std::string wrong;
          for (int call = 0; call < 8 && wrong.empty(); ++call)
            wrong = rightCall(step, rank, 3);
          return wrong;
        }) == Texts(3));
  // w is exchanged, so there are two, each of which is taken down first.
  CHECK(emulator().counts().graph_launches - graphs == 3 * 6);
}

TEST_CASE("a rank that has no graph has the others do without") {
  int64_t graphs = emulator().counts().graph_launches;
  CHECK(onDevices<std::string>(2, [&](Step &step, int rank) {
          std::string wrong;
          for (int call = 0; call < 8 && wrong.empty(); ++call) {
            if (call == 4 && rank == 1)
              step.forget();
            wrong = rightCall(step, rank, 2);
          }
          return wrong;
        }) == Texts(2));
  CHECK(emulator().counts().graph_launches - graphs == 2 * 4);
}

TEST_CASE("calls for which the host reads are none") {
  int64_t graphs = emulator().counts().graph_launches;
  CHECK(onDevices<std::string>(
            2,
            [&](Step &step, int rank) {
              std::string wrong;
              for (int call = 0; call < 5 && wrong.empty(); ++call)
                wrong = rightCall(step, rank, 2);
              return wrong;
            },
            readingEntry) == Texts(2));
  CHECK(emulator().counts().graph_launches == graphs);
}

TEST_CASE("what a kernel finds on one device fails the call on all ranks") {
  // In a call that is told step by step, in one that is a graph, and through the host.
  for (auto [before, wish] : {std::pair(0, "on"), std::pair(5, "on"), std::pair(0, "off")}) {
    INFO(before << " calls before, KERATIN_NCCL is " << wish);
    Setting setting("KERATIN_NCCL", wish);
    Texts told = onDevices<std::string>(3, [&, before = before](Step &step, int rank) {
      std::string wrong;
      for (int call = 0; call < before; ++call)
        wrong += rightCall(step, rank, 3);
      std::vector<int32_t> values = step.readV();
      if (rank == 1)
        step.writeV({1, 2, 100, 4});
      wrong += step.call({1, 2, 3, 4}).message;
      if (step.readV() != (rank == 1 ? std::vector<int32_t>{1, 2, 100, 4} : values))
        wrong += " and updated";
      step.writeV({1, 2, 3, 4});
      for (int call = 0; call < 5; ++call)
        wrong += rightCall(step, rank, 3);
      return wrong;
    });
    CHECK(told[1] == "v is 100 or more");
    for (int rank : {0, 2})
      CHECK(told[size_t(rank)] == "barrier 'step' on rank " + std::to_string(rank) +
                                      " of 3: rank 1 has failed: v is 100 or more");
  }
}

TEST_CASE("ranks on devices that want different things are told so") {
  Texts told = onDevices<std::string>(2, [&](Step &step, int rank) {
    std::string wrong = step.call(std::vector<float>(size_t(4 + rank), 1)).message;
    return wrong + rightCall(step, rank, 2);
  });
  for (const std::string &text : told)
    CHECK_THAT(text, Contains("all_reduce 'net.cc:3'") &&
                         Contains("rank 0 has 4 elements and rank 1 has 5"));
}

TEST_CASE("a message between devices that does not come is a status in time") {
  Fault fault("stall=1:2");
  Texts told = onDevices<std::string>(
      2,
      [&](Step &step, int) {
        std::string first = step.call({1, 2, 3, 4}).message;
        return first + " / " + step.call({1, 2, 3, 4}).message;
      },
      launchStep, 0.3);
  for (const std::string &text : told)
    CHECK_THAT(text, Contains("NCCL: messages between devices were not over in time") &&
                         Contains("/ ") && Contains("the group is broken"));
  CHECK(emulator().counts().pending == 0);
  CHECK(nccl().counts().communicators == 0);
}

TEST_CASE("a lost rank is a status, also of a graph") {
  Fault fault("lose=1:7"); // the fourth call's first message
  Texts told = onDevices<std::string>(3, [&](Step &step, int rank) {
    std::string wrong;
    for (int call = 0; call < 3; ++call)
      wrong += rightCall(step, rank, 3);
    std::vector<int32_t> values = step.readV();
    wrong += step.call({1, 2, 3, 4}).message;
    return step.readV() == values ? wrong : wrong + " and updated";
  });
  for (const std::string &text : told)
    CHECK(text == "NCCL: a message between devices failed: remote process exited or there was a "
                  "network error (rank 1 is lost)");
  CHECK(emulator().counts().pending == 0);
}

TEST_CASE("messages along the axes of a mesh go from device to device") {
  int64_t messages = nccl().counts().messages;
  CHECK(inMesh([](Step &step, int rank) { return rightMeshCall(step, rank); }) == Texts(meshRanks));
  CHECK(nccl().counts().messages - messages == 3 * meshRanks);
  CHECK(nccl().counts().communicators == 0);
  CHECK(emulator().counts().pending == 0);
}

TEST_CASE("an axis that all ranks are along is none beside them") {
  int64_t most = 0;
  CHECK(onDevices<std::string>(
            2,
            [&](Step &step, int rank) {
              std::string told = step.call({1, 2, 3, 4}).message;
              if (rank == 0)
                most = nccl().counts().communicators;
              told += step.call({1, 2, 3, 4}).message; // until then nobody leaves
              return told;
            },
            launchMeshStep) == Texts(2));
  CHECK(most == 2 * 2); // along "data" there are both, along "model" each is alone
}

TEST_CASE("calls in a mesh are graphs, where lines have other sizes too") {
  for (int elements : {4, 3}) {
    INFO(elements << " elements in the first line");
    int64_t graphs = emulator().counts().graph_launches;
    CHECK(inMesh([&](Step &step, int rank) {
            std::string wrong;
            for (int call = 0; call < 8 && wrong.empty(); ++call)
              wrong = rightMeshCall(step, rank, elements);
            return wrong;
          }) == Texts(meshRanks));
    // w is written before each call and exchanged in it, so there are three.
    CHECK(emulator().counts().graph_launches - graphs == meshRanks * 5);
  }
}

TEST_CASE("other sizes in one line alone are none that a graph of the other is for") {
  CHECK(inMesh([&](Step &step, int rank) {
          std::string wrong;
          for (int call = 0; call < 12 && wrong.empty(); ++call)
            wrong = rightMeshCall(step, rank, call % 4 == 3 ? 3 : 4);
          return wrong;
        }) == Texts(meshRanks));
}

TEST_CASE("ranks of a line that want different things are told so, and the others") {
  Texts told = inMesh([](Step &step, int rank) {
    std::string wrong = step.call(std::vector<float>(size_t(rank == 3 ? 5 : 4), 1)).message;
    return wrong + rightMeshCall(step, rank);
  });
  for (const std::string &text : told)
    CHECK_THAT(text, Contains("all_reduce 'net.cc:3'") &&
                         Contains("rank 2 has 4 elements and rank 3 has 5"));
}

TEST_CASE("a rank that is lost in a line is a status on all ranks") {
  for (const char *fault : {"lose=3:1", "lose=3:2", "lose=3:3", "lose=3:11"}) { // 11: in a graph
    INFO(fault);
    Fault lost(fault);
    Texts told = inMesh([](Step &step, int rank) {
      std::vector<int32_t> values;
      std::string wrong;
      for (int call = 0; call < 8 && wrong.empty(); ++call) {
        values = step.readV();
        wrong = rightMeshCall(step, rank);
      }
      return step.readV() == values ? wrong : wrong + " and updated";
    });
    for (const std::string &text : told)
      CHECK_THAT(text, Contains("is lost)") && !Contains("and updated"));
    CHECK(emulator().counts().pending == 0);
    CHECK(nccl().counts().communicators == 0);
  }
}

TEST_CASE("a message that one line waits for in vain is a status in time on all ranks") {
  for (const char *fault : {"stall=1:1", "stall=1:2", "stall=1:3", "stall=1:10"}) {
    INFO(fault);
    Fault stalled(fault);
    Texts told = inMesh(
        [](Step &step, int rank) {
          std::string wrong;
          for (int call = 0; call < 8 && wrong.empty(); ++call)
            wrong = rightMeshCall(step, rank);
          return wrong + " / " + step.call({1, 2, 3, 4}).message;
        },
        2);
    for (const std::string &text : told)
      CHECK_THAT(text, Contains("were not over in time") && Contains(" / ") &&
                           Contains("the group is broken"));
    CHECK(emulator().counts().pending == 0);
    CHECK(nccl().counts().communicators == 0);
  }
}

TEST_CASE("a message along an axis that NCCL refuses on one rank breaks the group") {
  Fault fault("fail=ncclAllReduce:2:3");
  Texts told = inMesh([](Step &step, int rank) { return rightMeshCall(step, rank); });
  CHECK_THAT(told[3], Contains("NCCL: ncclAllReduce failed: internal error (made to fail)"));
  for (int rank : {0, 1, 2})
    CHECK_THAT(told[size_t(rank)], Contains("rank 3 has failed: NCCL: ncclAllReduce failed"));
  CHECK(emulator().counts().pending == 0);
}

TEST_CASE("a line that NCCL does not bring together is tried again") {
  // Of all ranks, and along "model", which comes last.
  for (const char *fault : {"fail=ncclCommInitRankConfig:1:2", "fail=ncclCommInitRankConfig:3:2"}) {
    INFO(fault);
    Fault refused(fault);
    Texts told = inMesh(
        [](Step &step, int rank) {
          std::string told = step.call({1, 2, 3, 4}).message + " / ";
          for (int call = 0; call < 4; ++call)
            told += rightMeshCall(step, rank);
          return told;
        },
        6);
    for (const std::string &text : told)
      CHECK_THAT(text, Contains("NCCL: ncclCommInitRankConfig") && EndsWith(" / "));
    CHECK_THAT(told[2], Contains("NCCL: ncclCommInitRankConfig failed: system error"));
    CHECK(nccl().counts().communicators == 0);
  }
}

TEST_CASE("a message that NCCL refuses breaks the group") {
  Fault fault("fail=ncclAllReduce:1");
  Texts told =
      onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; });
  for (const std::string &text : told)
    CHECK_THAT(text, Contains("NCCL: ncclAllReduce failed: internal error (made to fail)"));
}

TEST_CASE("the others do not wait for a message that one could not put into its stream") {
  Fault fault("fail=ncclAllReduce:3:1"); // the first of the second call
  Texts told = onDevices<std::string>(2, [&](Step &step, int rank) {
    std::string wrong = rightCall(step, rank, 2);
    std::vector<int32_t> values = step.readV();
    wrong += step.call({1, 2, 3, 4}).message;
    wrong += step.readV() == values ? " / " : " and updated";
    return wrong + step.call({1, 2, 3, 4}).message;
  });
  CHECK_THAT(told[1], Contains("NCCL: ncclAllReduce failed: internal error (made to fail) / "));
  CHECK_THAT(told[0], Contains(" / "));
  for (const std::string &text : told)
    CHECK_THAT(text, Contains("the group is broken"));
}

TEST_CASE("ranks that NCCL does not bring together are told so") {
  Fault fault("fail=ncclCommInitRankConfig:1");
  for (const std::string &text :
       onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; }))
    CHECK_THAT(text, Contains("NCCL: ncclCommInitRankConfig failed: system error"));
}

TEST_CASE("two ranks cannot have the same device") {
  nccl();
  const keratin_device_t *device = cudaDevice("cuda:5");
  for (const std::string &text : onRanks<std::string>(2, [&](keratin_group_t *group, int) {
         Step step(group, device);
         return step.call({1, 2, 3, 4}).message;
       }))
    CHECK_THAT(text, Contains("NCCL: ncclCommInitRankConfig failed: invalid usage (two ranks have "
                              "the same device)"));
}

// In processes of their own: the library is opened once.
TEST_CASE("a library that is not there", "[.missing]") {
  for (const std::string &text :
       onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; }))
    CHECK_THAT(text, Contains("NCCL: ") && Contains("no-such-library") &&
                         Contains("cannot open shared object file"));
  // Where it need not be, the host does it.
  Setting any("KERATIN_NCCL", "");
  CHECK(onDevices<std::string>(2, [&](Step &step, int rank) {
          return rightCall(step, rank, 2) + rightCall(step, rank, 2);
        }) == Texts(2));
}
TEST_CASE("another driver", "[.unnamed]") {
  unsetenv("KERATIN_NCCL_LIBRARY");
  Setting on("KERATIN_NCCL", "on");
  const keratin_device_t *device = cudaDevice("cuda:0");
  CHECK_THAT(onRanks<std::string>(1,
                                  [&](keratin_group_t *group, int) {
                                    return Step(group, device).call({1, 2, 3, 4}).message;
                                  })[0],
             Contains("NCCL: KERATIN_CUDA_DRIVER names a driver"));
}
TEST_CASE("a library that is another", "[.foreign]") {
  for (const std::string &text :
       onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; }))
    CHECK_THAT(text, Contains("has no function ncclGetVersion"));
}
TEST_CASE("a library that is too old", "[.old]") {
  Fault fault("version=21003");
  for (const std::string &text :
       onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; }))
    CHECK_THAT(text, Contains("has version 2.10.3; needed is 2.18 or a later one"));
}

TEST_CASE("messages go through the host where that is wanted") {
  int64_t messages = nccl().counts().messages;
  Setting off("KERATIN_NCCL", "off");
  CHECK(onDevices<std::string>(2, [&](Step &step, int rank) {
          std::string wrong;
          for (int call = 0; call < 3; ++call)
            wrong += rightCall(step, rank, 2);
          return wrong;
        }) == Texts(2));
  CHECK(nccl().counts().messages == messages);
}

TEST_CASE("KERATIN_NCCL is on or off") {
  Setting wrong("KERATIN_NCCL", "maybe");
  for (const std::string &text :
       onDevices<std::string>(2, [&](Step &step, int) { return step.call({1, 2, 3, 4}).message; }))
    CHECK_THAT(text, Contains("KERATIN_NCCL is 'maybe'; needed is on or off"));
}

namespace {

// y = what all ranks have of x, as the test says.
keratin_rank_message_t asked;
void reducingEntry(keratin_context_t *context, void *const *buffers, const int64_t *) {
  keratin_rank_message_t wanted = asked;
  wanted.send = buffers[0];
  wanted.receive = buffers[1];
  context->functions->start_collective(context, &wanted);
  context->functions->wait_collective(context);
}

// The bytes of y on the two ranks, or why there are none.
std::vector<std::string> reduceOnTwo(int32_t dtype, int32_t reduction, int64_t elements,
                                     const std::vector<std::string> &sent) {
  asked = {nullptr,   nullptr, KERATIN_MESSAGE_ALL_REDUCE,
           reduction, dtype,   elements,
           elements,  -1,      nullptr,
           0,         0};
  const keratin_device_t *devices[] = {cudaDevice("cuda:0"), cudaDevice("cuda:1")};
  return onRanks<std::string>(2, [&](keratin_group_t *group, int rank) {
    CudaCode code;
    FunctionBuilder builder("reduce", reducingEntry);
    builder.input("x", dtype, {elements}).output("y", dtype, {elements});
    builder.descriptor.device_code = &code.code;
    builder.descriptor.num_collectives = 1;
    keratin_executable_t *made = nullptr;
    keratin_executable_create_on(builder.build(), devices[rank], &made, nullptr);
    Executable executable(made);
    keratin_executable_set_group(made, group, nullptr);
    std::string x = sent[size_t(rank)], y(x.size(), '?');
    keratin_tensor_t in = {x.data(), dtype, 1, &elements, nullptr, nullptr},
                     out = {y.data(), dtype, 1, &elements, nullptr, nullptr};
    keratin_status_t status = {};
    return keratin_invoke(made, nullptr, 0, &in, 1, &out, 1, &status) == KERATIN_OK
               ? y
               : std::string(status.message);
  });
}

template <typename T> std::string bytesOf(std::vector<T> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

// What is sent by both and what comes of it on both.
template <typename T>
void checkReduction(int32_t dtype, int32_t reduction, const std::vector<std::vector<T>> &sent,
                    const std::vector<std::vector<T>> &expected, bool isDirect) {
  INFO("dtype " << dtype << ", reduction " << reduction);
  int64_t messages = nccl().counts().messages;
  CHECK(reduceOnTwo(dtype, reduction, int64_t(sent[0].size()),
                    {bytesOf(sent[0]), bytesOf(sent[1])}) ==
        Texts{bytesOf(expected[0]), bytesOf(expected[1])});
  CHECK(nccl().counts().messages - messages == (isDirect ? 2 : 0));
}

} // namespace

TEST_CASE("each dtype and reduction goes from device to device if NCCL keeps what it is") {
  checkReduction<int32_t>(KERATIN_DTYPE_INT32, KERATIN_REDUCE_SUM, {{1, -2}, {3, 4}},
                          {{4, 2}, {4, 2}}, true);
  checkReduction<int8_t>(KERATIN_DTYPE_INT8, KERATIN_REDUCE_MIN, {{1, -2}, {3, 4}},
                         {{1, -2}, {1, -2}}, true);
  checkReduction<uint8_t>(KERATIN_DTYPE_UINT8, KERATIN_REDUCE_MAX, {{1, 250}, {3, 4}},
                          {{3, 250}, {3, 250}}, true);
  checkReduction<uint8_t>(KERATIN_DTYPE_BOOL, KERATIN_REDUCE_SUM, {{1, 0, 1}, {1, 0, 0}},
                          {{1, 0, 1}, {1, 0, 1}}, true);
  checkReduction<uint32_t>(KERATIN_DTYPE_UINT32, KERATIN_REDUCE_SUM, {{4000000000u}, {5}},
                           {{4000000005u}, {4000000005u}}, true);
  checkReduction<int64_t>(KERATIN_DTYPE_INT64, KERATIN_REDUCE_MAX, {{-5}, {-7}}, {{-5}, {-5}},
                          true);
  checkReduction<uint64_t>(KERATIN_DTYPE_UINT64, KERATIN_REDUCE_MIN, {{5}, {UINT64_MAX}},
                           {{5}, {5}}, true);
  // 1 + 2 = 3
  checkReduction<uint16_t>(KERATIN_DTYPE_FLOAT16, KERATIN_REDUCE_SUM, {{0x3c00}, {0x4000}},
                           {{0x4200}, {0x4200}}, true);
  checkReduction<uint16_t>(KERATIN_DTYPE_BFLOAT16, KERATIN_REDUCE_SUM, {{0x3f80}, {0x4000}},
                           {{0x4040}, {0x4040}}, true);
  checkReduction<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_SUM, {{0.5f}, {2}}, {{2.5f}, {2.5f}},
                        true);
  checkReduction<double>(KERATIN_DTYPE_FLOAT64, KERATIN_REDUCE_SUM, {{0.5}, {2}}, {{2.5}, {2.5}},
                         true);
  // Of what NCCL has no like, and where it does not say what becomes of NaN.
  checkReduction<int16_t>(KERATIN_DTYPE_INT16, KERATIN_REDUCE_SUM, {{1}, {2}}, {{3}, {3}}, false);
  checkReduction<float>(KERATIN_DTYPE_FLOAT32, KERATIN_REDUCE_MAX, {{1}, {2}}, {{2}, {2}}, false);
  checkReduction<int64_t>(KERATIN_DTYPE_INT64, KERATIN_REDUCE_BEFORE, {{7}, {2}}, {{0}, {7}},
                          false);
}
