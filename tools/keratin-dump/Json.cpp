#include "tools/keratin-dump/Json.h"

#include "tools/keratin-dump/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace keratin::dump;

namespace {

class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &out) : json(out, /*IndentSize=*/1) {}

  void write(const std::vector<GraphView> &views) {
    json.object([&] {
      json.attribute("version", 1);
      json.attributeArray("functions", [&] {
        for (const GraphView &view : views)
          json.object([&] { write(view); });
      });
    });
  }

private:
  void text(llvm::StringRef key, llvm::StringRef value) { json.attribute(key, readable(value)); }
  void texts(llvm::StringRef key, const std::vector<std::string> &values) {
    json.attributeArray(key, [&] {
      for (const std::string &value : values)
        json.value(readable(value));
    });
  }
  void number(llvm::StringRef key, const std::optional<int64_t> &value) {
    if (value)
      json.attribute(key, *value);
    else
      json.attribute(key, nullptr);
  }
  void quantity(llvm::StringRef key, const ViewQuantity &quantity) {
    number(key, quantity.value);
    if (!quantity.formula.empty())
      text((key + "_formula").str(), quantity.formula);
  }

  void write(const GraphView &view) {
    text("name", view.function);
    text("stage", view.stage);
    json.attributeObject("symbols", [&] {
      for (const auto &[name, value] : view.symbols)
        json.attribute(name, value);
    });
    quantity("flops", view.operations);
    quantity("bytes_read", view.bytesRead);
    quantity("bytes_written", view.bytesWritten);
    if (view.microseconds)
      json.attribute("microseconds", *view.microseconds);
    json.attributeArray("nodes", [&] {
      for (size_t id = 0; id < view.nodes.size(); ++id)
        json.object([&] { write(view.nodes[id], int64_t(id)); });
    });
    json.attributeArray("kernels", [&] {
      for (size_t id = 0; id < view.kernels.size(); ++id)
        json.object([&] { write(view.kernels[id], int64_t(id)); });
    });
    if (view.memory)
      json.attributeObject("memory", [&] { write(*view.memory); });
  }

  void write(const ViewNode &node, int64_t id) {
    json.attribute("id", id);
    json.attribute("kind", nodeKindName(node.kind));
    if (!node.op.empty())
      text("op", node.op);
    text("name", node.name);
    text("result", node.result);
    if (!node.yields.empty())
      texts("yields", node.yields);
    json.attributeArray("operands", [&] {
      for (int operand : node.operands)
        json.value(operand);
    });
    texts("types", node.types);
    json.attributeObject("attributes", [&] {
      for (const auto &[name, value] : node.attributes)
        text(readable(name), value);
    });
    texts("location", node.places);
    if (node.kernel >= 0)
      json.attribute("kernel", node.kernel);
    if (!node.region.empty())
      text("region", node.region);
    if (!node.scope.empty())
      text("scope", node.scope);
  }

  void write(const ViewKernel &kernel, std::optional<int64_t> id) {
    if (id)
      json.attribute("id", *id);
    json.attribute("kind", kernel.kind);
    if (kernel.first <= kernel.last) {
      json.attribute("number", kernel.first);
      json.attribute("last_number", kernel.last);
    }
    text("result", kernel.result);
    text("title", kernel.title);
    text("location", kernel.place);
    quantity("flops", kernel.operations);
    quantity("bytes_read", kernel.bytesRead);
    quantity("bytes_written", kernel.bytesWritten);
    if (kernel.microseconds)
      json.attribute("microseconds", *kernel.microseconds);
    if (!kernel.inside.empty())
      json.attributeArray("inside", [&] {
        for (const ViewKernel &inner : kernel.inside)
          json.object([&] { write(inner, std::nullopt); });
      });
  }

  void write(const ViewMemory &memory) {
    quantity("arena", memory.arena);
    number("arena_at_most", memory.mostArena);
    number("prepared", memory.prepared);
    number("max_live", memory.maxLive);
    json.attributeArray("live", [&] {
      for (int64_t bytes : memory.live)
        json.value(bytes);
    });
    json.attributeArray("buffers", [&] {
      for (const ViewBuffer &buffer : memory.buffers)
        json.object([&] {
          if (buffer.node >= 0)
            json.attribute("node", buffer.node);
          else
            json.attribute("node", nullptr);
          quantity("offset", buffer.offset);
          quantity("bytes", buffer.bytes);
          json.attribute("first", buffer.first);
          json.attribute("last", buffer.last);
          json.attribute("values", buffer.values);
        });
    });
  }

  llvm::json::OStream json;
};

} // namespace

std::string keratin::dump::toJson(const std::vector<GraphView> &views) {
  std::string text;
  llvm::raw_string_ostream out(text);
  JsonWriter(out).write(views);
  out << "\n";
  return text;
}
