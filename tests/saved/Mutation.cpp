#include "tests/saved/Mutation.h"

#include "ir/saved/GraphReader.h"
#include "ir/saved/GraphWriter.h"
#include "ir/saved/graph.pb.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

using namespace keratin;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Numbers at the edges of what is allowed.
static uint64_t number(std::mt19937_64 &random) {
  static constexpr uint64_t edges[] = {0,
                                       1,
                                       2,
                                       3,
                                       31,
                                       32,
                                       33,
                                       127,
                                       128,
                                       255,
                                       65535,
                                       1u << 31,
                                       0xffffffff,
                                       1ull << 32,
                                       1ull << 62,
                                       INT64_MAX,
                                       1ull << 63,
                                       UINT64_MAX,
                                       UINT64_MAX - 1};
  return random() % 2 ? edges[random() % std::size(edges)] : random() % 16;
}

static std::string mutateBytes(std::string bytes, std::mt19937_64 &random) {
  for (uint64_t count = 1 + random() % 4; count && !bytes.empty(); --count) {
    size_t at = random() % bytes.size(), length = 1 + random() % 8;
    switch (random() % 6) {
    case 0:
      bytes[at] = char(bytes[at] ^ (1 << (random() % 8)));
      break;
    case 1:
      bytes[at] = char(number(random));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), length));
      break;
    case 4:
      bytes.insert(at, std::string(length, char(random())));
      break;
    case 5:
      bytes.resize(at);
      break;
    }
  }
  return bytes;
}

static void mutateScalar(Message &message, const FieldDescriptor *field, int index,
                         std::mt19937_64 &random) {
  const Reflection &reflection = *message.GetReflection();
  uint64_t value = number(random);
  bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_UINT32:
    repeated ? reflection.SetRepeatedUInt32(&message, field, index, uint32_t(value))
             : reflection.SetUInt32(&message, field, uint32_t(value));
    break;
  case FieldDescriptor::CPPTYPE_UINT64:
    reflection.SetUInt64(&message, field, value);
    break;
  case FieldDescriptor::CPPTYPE_INT64:
    repeated ? reflection.SetRepeatedInt64(&message, field, index, int64_t(value))
             : reflection.SetInt64(&message, field, int64_t(value));
    break;
  case FieldDescriptor::CPPTYPE_BOOL:
    reflection.SetBool(&message, field, value % 2);
    break;
  case FieldDescriptor::CPPTYPE_ENUM:
    reflection.SetEnumValue(&message, field, int(value));
    break;
  case FieldDescriptor::CPPTYPE_STRING: {
    static const char *const texts[] = {"",     "kernel",  "yield", "add",   "variable",
                                        "axes", "literal", "lt",    "equal", "reshape"};
    std::string text = random() % 4 ? texts[random() % std::size(texts)]
                                    : std::string(random() % 20, char(random() % 128));
    repeated ? reflection.SetRepeatedString(&message, field, index, text)
             : reflection.SetString(&message, field, text);
    break;
  }
  default:
    break;
  }
}

// Walks down from the message and changes one field somewhere.
static void mutateMessage(Message &message, std::mt19937_64 &random) {
  const Reflection &reflection = *message.GetReflection();
  const google::protobuf::Descriptor *type = message.GetDescriptor();
  const FieldDescriptor *field = type->field(int(random() % uint64_t(type->field_count())));
  bool isMessage = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (!field->is_repeated()) {
    if (isMessage && (reflection.HasField(message, field) || random() % 8 == 0))
      mutateMessage(*reflection.MutableMessage(&message, field), random);
    else if (!isMessage)
      mutateScalar(message, field, 0, random);
    return;
  }
  int size = reflection.FieldSize(message, field);
  if (size == 0) {
    if (isMessage && random() % 4 == 0)
      reflection.AddMessage(&message, field);
    return;
  }
  int index = int(random() % uint64_t(size));
  switch (random() % 8) {
  case 0:
    reflection.RemoveLast(&message, field);
    break;
  case 1:
    reflection.SwapElements(&message, field, index, int(random() % uint64_t(size)));
    break;
  case 2:
    if (isMessage) {
      std::string copy = reflection.GetRepeatedMessage(message, field, index).SerializeAsString();
      reflection.AddMessage(&message, field)->ParseFromString(copy);
      break;
    }
    [[fallthrough]];
  default:
    if (isMessage)
      mutateMessage(*reflection.MutableRepeatedMessage(&message, field, index), random);
    else
      mutateScalar(message, field, index, random);
  }
}

std::string tests::mutate(const std::string &bytes, std::mt19937_64 &random) {
  v1::Graph graph;
  if (random() % 3 == 0 || !graph.ParseFromString(bytes))
    return mutateBytes(bytes, random);
  uint64_t magic = graph.magic();
  uint32_t version = graph.version();
  for (uint64_t count = 1 + random() % 3; count; --count)
    mutateMessage(graph, random);
  graph.set_magic(magic);
  graph.set_version(version);
  return graph.SerializeAsString();
}

std::string tests::complaint(std::string_view bytes, mlir::MLIRContext &context, bool *accepted) {
  auto graph = ir::readGraph(bytes, context);
  if (accepted)
    *accepted = graph.ok();
  if (!graph.ok()) {
    std::string message(graph.status().message());
    if (graph.status().code() != absl::StatusCode::kInvalidArgument || message.empty() ||
        message.find('\n') != std::string::npos)
      return "not one clear line: " + graph.status().ToString();
    return {};
  }
  auto written = ir::writeGraph(*graph->module, graph->functions, graph->variables);
  if (!written.ok())
    return "what was read cannot be written: " + written.status().ToString();
  auto again = ir::readGraph(*written, context);
  if (!again.ok())
    return "what was written cannot be read: " + again.status().ToString();
  return {};
}
