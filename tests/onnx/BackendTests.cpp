// Runs ONNX's own tests of backends: models, with inputs and the outputs that they must give.
//
//   onnx_backend_tests FOLDER EXCEPTIONS… [--open=KNOWN] [--object | --export=FOLDER [--opset=N]]
//                      [--only=TEXT]
//   onnx_backend_tests --ops | --exports
//
// Each folder below FOLDER that has a model.onnx is a test. EXCEPTIONS has a line for each that
// does not pass: its name, and why. One that passes all the same is a failure, too, so that the
// list stays true. --only takes those whose names have the text, and tells of each;
// KERATIN_TEST_EVERY a part. Models whose short inputs (axes, shapes) a call cannot know are loaded
// with them as constants. --open makes all sizes of inputs unknown: KNOWN has a line for each test
// that needs some of them all the same: its name, the axes ("x1:-1" is the last one of the second
// input, "x1" are all of it), and why. --object compiles ahead of time, and loads and calls that.
// --export writes each model again, with K::save_onnx, and runs what that is when it is loaded:
// another list of EXCEPTIONS has what is refused. --ops and --exports print the tables of
// docs/onnx.md.
#include "frontend/onnx/ExportRecords.h"
#include "frontend/onnx/ModelFile.h"
#include "frontend/onnx/ModelNode.h"
#include "keratin/error.h"
#include "keratin/model.h"
#include "keratin/onnx.h"
#include "keratin/saving.h"
#include "tests/support/TemporaryFolder.h"
#include "tests/support/TestEnvironment.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace keratin;
namespace fs = std::filesystem;
namespace K = keratin::backend;
using frontend::onnx_models::ModelFile;

// Of ONNX's runner.
static constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

static std::string readBytes(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

static Array readTensor(ModelFile &file, const fs::path &path) {
  onnx::TensorProto tensor;
  if (!tensor.ParseFromString(readBytes(path)))
    throw ValueError(path.string() + " is no tensor");
  return file.array(tensor, path.filename().string());
}

// The messages in a field of another one, whose schema (onnx-data.proto) is not here.
static std::vector<std::string> messagesIn(const std::string &bytes, int field) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t *>(bytes.data()),
                                            int(bytes.size()));
  std::vector<std::string> messages;
  while (const uint32_t tag = in.ReadTag()) {
    using Wire = google::protobuf::internal::WireFormatLite;
    uint32_t size = 0;
    std::string message;
    if (Wire::GetTagWireType(tag) != Wire::WIRETYPE_LENGTH_DELIMITED) {
      if (!Wire::SkipField(&in, tag))
        break;
      continue;
    }
    if (!in.ReadVarint32(&size) || !in.ReadString(&message, int(size)))
      break;
    if (Wire::GetTagFieldNumber(tag) == field)
      messages.push_back(std::move(message));
  }
  return messages;
}

// A value of the type: a tensor, the tensors of a sequence, or what an optional value holds.
static std::vector<Array> readValue(ModelFile &file, const onnx::TypeProto &type,
                                    const fs::path &path) {
  const onnx::TypeProto *of = &type;
  std::string bytes = readBytes(path);
  if (of->has_optional_type()) {
    of = &of->optional_type().elem_type();
    const std::vector<std::string> held = messagesIn(bytes, of->has_sequence_type() ? 5 : 3);
    if (held.size() != 1)
      throw ValueError(path.string() + " has an optional value that is not there");
    bytes = held.front();
  }
  std::vector<std::string> tensors{bytes};
  if (of->has_sequence_type())
    tensors = messagesIn(bytes, 3);
  std::vector<Array> arrays;
  for (const std::string &each : tensors) {
    onnx::TensorProto tensor;
    if (!tensor.ParseFromString(each))
      throw ValueError(path.string() + " has no tensor");
    arrays.push_back(file.array(tensor, path.filename().string()));
  }
  return arrays;
}

static std::string difference(const Array &found, const Array &expected) {
  if (found.dtype() != expected.dtype())
    return std::string("found ") + dtypeName(found.dtype()) + ", expected " +
           dtypeName(expected.dtype());
  if (found.shape() != expected.shape()) {
    std::string text = "found shape";
    for (int64_t size : found.shape())
      text += " " + std::to_string(size);
    text += ", expected";
    for (int64_t size : expected.shape())
      text += " " + std::to_string(size);
    return text;
  }
  const bool areWhole = !isFloating(found.dtype());
  for (int64_t i = 0; i < found.size(); ++i) {
    if (areWhole ? found.item<int64_t>(i) == expected.item<int64_t>(i)
                 : found.item<double>(i) == expected.item<double>(i))
      continue;
    const double a = found.item<double>(i), b = expected.item<double>(i);
    if ((std::isnan(a) && std::isnan(b)) ||
        (!areWhole && std::abs(a - b) <= kAbsolute + kRelative * std::abs(b)))
      continue;
    std::ostringstream text;
    text << "element " << i << " is " << a << ", expected " << b;
    return text.str();
  }
  return "";
}

// The tensor type of an input, which may be that of a sequence's elements, or optional.
static onnx::TypeProto::Tensor *tensorIn(onnx::TypeProto *type) {
  if (type->has_optional_type())
    return tensorIn(type->mutable_optional_type()->mutable_elem_type());
  if (type->has_sequence_type())
    return tensorIn(type->mutable_sequence_type()->mutable_elem_type());
  return type->has_tensor_type() ? type->mutable_tensor_type() : nullptr;
}

// The model with unknown sizes of inputs, in a file of its own; `known` are axes as lists have
// them.
static void writeOpen(const std::string &from, const std::string &to, const std::string &known) {
  onnx::ModelProto model;
  if (!model.ParseFromString(readBytes(from)))
    throw ValueError(from + " is no model");
  const std::string list = known + " ";
  for (int i = 0; i < model.graph().input_size(); ++i) {
    auto *tensor = tensorIn(model.mutable_graph()->mutable_input(i)->mutable_type());
    const std::string input = " x" + std::to_string(i);
    if (!tensor || list.find(input + " ") != std::string::npos)
      continue;
    const int rank = tensor->shape().dim_size();
    for (int axis = 0; axis < rank; ++axis) {
      const std::string fromFront = input + ":" + std::to_string(axis) + " ",
                        fromBack = input + ":" + std::to_string(axis - rank) + " ";
      if (list.find(fromFront) == std::string::npos && list.find(fromBack) == std::string::npos)
        tensor->mutable_shape()->mutable_dim(axis)->Clear();
    }
  }
  std::ofstream(to, std::ios::binary) << model.SerializeAsString();
}

static bool isOpen = false, isObject = false;

// Where models are written to and loaded from again; empty: they are not.
static fs::path exports;
static int64_t opset = OnnxSaveOptions().opset;

static Function writtenAndLoaded(const Function &function, const std::string &name) {
  fs::create_directories(exports / name);
  const std::string path = (exports / name / "model.onnx").string();
  K::save_onnx(function, path, {.opset = opset});
  return K::load_onnx(path).function;
}

// How a loaded model is called.
using Callee = std::function<Results(const std::vector<Array> &)>;

// Compiled ahead of time; `object` is the file's name.
static Callee compiledObject(const Function &function, const std::string &object) {
  K::compile_model({function}, object);
  return
      [model = Model(object)](const std::vector<Array> &inputs) { return model.call("", inputs); };
}

static Callee calleeOf(const Function &function, const std::string &name,
                       const std::string &object) {
  if (isObject)
    return compiledObject(function, object);
  if (!exports.empty())
    return writtenAndLoaded(function, name);
  return function;
}

// "" for a test that passes. `known`: axes whose sizes are known all the same.
static std::string run(const fs::path &folder, bool areConstants, const std::string &known) {
  std::string path = (folder / "model.onnx").string();
  try {
    const tests::TemporaryFolder written;
    if (isOpen) {
      writeOpen(path, written / "model.onnx", known);
      path = written / "model.onnx";
    }
    frontend::onnx_models::ImportSteps steps;
    ModelFile file(path, SourceLocation(), steps);
    OnnxOptions options;
    const onnx::GraphProto &graph = file.graph();
    auto isSequence = [](const onnx::TypeProto &type) {
      return type.has_sequence_type() ||
             (type.has_optional_type() && type.optional_type().elem_type().has_sequence_type());
    };
    for (int i = 0; i < graph.input_size(); ++i)
      if (isSequence(graph.input(i).type()))
        options.lengths[graph.input(i).name()] =
            int64_t(readValue(file, graph.input(i).type(),
                              folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"))
                        .size());
    if (areConstants) {
      // Whole numbers in short vectors: shapes, axes, counts.
      for (int i = 0; i < graph.input_size(); ++i) {
        if (!graph.input(i).type().has_tensor_type())
          continue;
        const fs::path name = folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
        Array array = readTensor(file, name);
        if (array.ndim() <= 1 && array.size() <= 32)
          options.constants.emplace(file.graph().input(i).name(), std::move(array));
      }
    }
    const Callee call = calleeOf(K::load_onnx(path, options).function, folder.filename().string(),
                                 written / "libmodel.so");
    for (int set = 0;; ++set) {
      const fs::path data = folder / ("test_data_set_" + std::to_string(set));
      if (!fs::exists(data))
        return "";
      // What is a constant is not fed.
      auto read = [&](const char *what, const auto &values, bool areInputs) {
        std::vector<Array> arrays;
        for (int i = 0; i < values.size(); ++i) {
          const fs::path name = data / (what + std::to_string(i) + ".pb");
          if (!fs::exists(name))
            break;
          if (areInputs && options.constants.count(values.Get(i).name()))
            continue;
          for (Array &array : readValue(file, values.Get(i).type(), name))
            arrays.push_back(std::move(array));
        }
        return arrays;
      };
      const std::vector<Array> inputs = read("input_", graph.input(), true),
                               expected = read("output_", graph.output(), false);
      const Results outputs = call(inputs);
      if (outputs.size() != expected.size())
        return "found " + std::to_string(outputs.size()) + " outputs, expected " +
               std::to_string(expected.size());
      for (size_t i = 0; i < expected.size(); ++i)
        if (std::string wrong = difference(outputs[i], expected[i]); !wrong.empty())
          return "output " + std::to_string(i) + ": " + wrong;
    }
  } catch (const std::exception &error) {
    return error.what();
  }
}

// The same in a process of its own: a crash is a failure like others.
static std::string runApart(const fs::path &folder, bool areConstants, const std::string &known) {
  int ends[2];
  if (pipe(ends))
    return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = run(folder, areConstants, known);
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == ssize_t(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) ? "ended with " + std::to_string(WEXITSTATUS(status)) : text;
}

// A row for each subject, as docs/onnx.md has them.
static int printOps() {
  std::printf("| subject | ops |\n|---|---|\n");
  for (const frontend::onnx_models::OpTable &table : frontend::onnx_models::allOps()) {
    std::vector<std::string> names;
    for (const frontend::onnx_models::OpRecord &record : table.ops)
      names.push_back(record.name);
    std::sort(names.begin(), names.end());
    std::printf("| %s |", table.subject);
    for (size_t i = 0; i < names.size(); ++i)
      std::printf("%s %s", i ? "," : "", names[i].c_str());
    std::printf(" |\n");
  }
  return 0;
}

// A row for each op of the dialect.
static int printExports() {
  std::printf("| op | in ONNX |\n|---|---|\n");
  std::map<std::string, std::string> rows;
  for (const frontend::onnx_models::ExportTable &table : frontend::onnx_models::allExports())
    for (const frontend::onnx_models::ExportRecord &record : table.ops)
      rows[record.op] = (record.write ? "" : "refused: ") + std::string(record.becomes);
  for (const auto &[op, becomes] : rows)
    std::printf("| %s | %s |\n", op.c_str(), becomes.c_str());
  return 0;
}

// Lines: a test's name, and what is said of it.
static void readList(const std::string &path, std::map<std::string, std::string> &list) {
  std::ifstream in(path);
  if (!in)
    throw ValueError(path + " cannot be read");
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') {
      const size_t gap = std::min(line.find(' '), line.size());
      list[line.substr(0, gap)] = line.substr(gap);
    }
}

namespace {

struct Verdict {
  std::string wrong;
  bool withConstants = false;
};

} // namespace

static Verdict judge(const fs::path &folder, const std::string &known) {
  const std::string wrong = runApart(folder, false, known);
  if (!wrong.empty() && runApart(folder, true, known).empty())
    return {"", true};
  return {wrong};
}

// Sizes that are listed as known must be.
static Verdict judgeOpen(const fs::path &folder, const std::string *known) {
  if (!known)
    return judge(folder, "");
  if (judge(folder, "").wrong.empty())
    return {"passes with all sizes unknown, though some are listed as needed"};
  return judge(folder, *known);
}

int main(int argc, char **argv) {
  std::string only, openList;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--only=", 0) == 0)
      only = word.substr(7);
    else if (word.rfind("--open=", 0) == 0)
      openList = word.substr(7);
    else if (word == "--object")
      isObject = true;
    else if (word == "--ops")
      return printOps();
    else if (word == "--exports")
      return printExports();
    else if (word.rfind("--export=", 0) == 0)
      exports = word.substr(9);
    else if (word.rfind("--opset=", 0) == 0)
      opset = std::stoll(word.substr(8));
    else
      paths.push_back(word);
  }
  if (paths.size() < 2 || (isObject && !exports.empty())) {
    std::fprintf(stderr, "usage: onnx_backend_tests FOLDER EXCEPTIONS... [--open=KNOWN] "
                         "[--object | --export=FOLDER [--opset=N]] [--only=TEXT], or --ops, or "
                         "--exports\n");
    return 2;
  }
  isOpen = !openList.empty();
  std::map<std::string, std::string> exceptions, known;
  for (size_t i = 1; i < paths.size(); ++i)
    readList(paths[i], exceptions);
  if (isOpen)
    readList(openList, known);
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(paths[0]))
    if (entry.path().filename() == "model.onnx")
      folders.push_back(entry.path().parent_path());
  std::sort(folders.begin(), folders.end());
  size_t passed = 0, failed = 0, excepted = 0, withConstants = 0;
  for (size_t i = 0; i < folders.size(); ++i) {
    const std::string name = folders[i].filename().string();
    auto listed = known.find(name);
    const std::string *knownSizes = listed == known.end() ? nullptr : &listed->second;
    const bool isListed = exceptions.count(name);
    if (only.empty() ? !tests::isInSample(i) : name.find(only) == std::string::npos)
      continue;
    const Verdict found = judgeOpen(folders[i], knownSizes);
    withConstants += found.withConstants;
    if (found.wrong.empty() == !isListed) {
      ++(isListed ? excepted : passed);
      if (!only.empty())
        std::printf("%s: %s\n", name.c_str(), isListed ? found.wrong.c_str() : "passed");
      continue;
    }
    ++failed;
    std::printf("FAILED %s: %s\n", name.c_str(),
                isListed ? "passes, though it is listed as one that does not"
                         : found.wrong.c_str());
  }
  std::printf("%zu passed, of them %zu with short inputs that were known when they were loaded; "
              "%zu failed, %zu do not pass as listed\n",
              passed, withConstants, failed, excepted);
  return failed || (passed + excepted == 0) ? 1 : 0;
}
