#include "tools/keratin-dump/Html.h"

#include "tools/keratin-dump/PageTemplate.h"
#include "tools/keratin-dump/Picture.h"
#include "tools/keratin-dump/Text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace keratin::dump;

namespace {

// Attributes beyond this are for the text formats.
constexpr size_t kAttributeBytes = 600;

// "1,234,567".
std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (int64_t at = int64_t(text.size()) - 3; at > (number < 0); at -= 3)
    text.insert(size_t(at), ",");
  return text;
}

// "/home/me/net/" of the working directory; "" if it is not known, or the root.
std::string workingFolder() {
  llvm::SmallString<256> folder;
  if (llvm::sys::fs::current_path(folder) || folder.size() < 2)
    return "";
  return (folder + llvm::sys::path::get_separator()).str();
}

// The data as page.js reads it: short names, since there are thousands of each.
class HtmlWriter {
public:
  explicit HtmlWriter(llvm::raw_ostream &out) : json(out), folder(workingFolder()) {}

  void write(const HtmlPage &page) {
    json.object([&] {
      text("title", page.title);
      json.attributeArray("functions", [&] {
        for (const HtmlFunction &function : page.functions)
          json.object([&] { write(function); });
      });
      json.attributeObject("sources", [&] {
        for (const auto &[place, line] : page.sources)
          text(readable(relative(place)), line);
      });
    });
  }

private:
  void text(llvm::StringRef key, llvm::StringRef value) { json.attribute(key, readable(value)); }
  void texts(llvm::StringRef key, const std::vector<std::string> &values) {
    if (!values.empty())
      json.attributeArray(key, [&] {
        for (const std::string &value : values)
          json.value(readable(value));
      });
  }
  // Python says absolute places: what lies below the working directory is known without that.
  llvm::StringRef relative(llvm::StringRef place) const {
    if (!folder.empty())
      place.consume_front(folder);
    return place;
  }
  void places(llvm::StringRef key, const std::vector<std::string> &values) {
    std::vector<std::string> shown;
    for (const std::string &value : values)
      shown.push_back(relative(value).str());
    texts(key, shown);
  }
  void number(const std::optional<int64_t> &value) {
    if (value)
      json.value(*value);
    else
      json.value(nullptr);
  }
  void quantity(llvm::StringRef key, const ViewQuantity &quantity) {
    json.attributeArray(key, [&] {
      number(quantity.value);
      json.value(quantity.formula);
    });
  }
  void numbers(const Box &box) {
    for (double number : {box.x, box.y, box.width, box.height})
      json.value(int64_t(std::lround(number)));
  }
  void numbers(const std::vector<Point> &points) {
    for (const Point &point : points) {
      json.value(int64_t(std::lround(point.x)));
      json.value(int64_t(std::lround(point.y)));
    }
  }
  void box(const Box &box) {
    json.array([&] { numbers(box); });
  }

  void write(const HtmlFunction &function) {
    text("name", function.stages.empty() ? "" : function.stages.front().function);
    json.attributeArray("stages", [&] {
      for (const GraphView &view : function.stages)
        json.object([&] { write(view); });
    });
    json.attributeObject("code", [&] {
      for (const auto &[name, code] : function.code)
        text(readable(name), code);
    });
  }

  void write(const GraphView &view) {
    text("stage", view.stage);
    std::string symbols;
    for (const auto &[name, value] : view.symbols)
      symbols += (symbols.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    text("symbols", symbols);
    int64_t ops = 0;
    for (const auto &count : view.opCounts)
      ops += count.second;
    std::string summary = grouped(ops) + " ops";
    size_t loops = view.loopCount(), kernels = view.kernels.size() - loops;
    if (kernels)
      summary += " in " + grouped(int64_t(kernels)) + " kernels";
    if (loops)
      summary += (kernels ? " and " : " in ") + grouped(int64_t(loops)) + " loops and branches";
    if (view.operations.value)
      summary += ", " + grouped(*view.operations.value) + " FLOPs";
    if (view.microseconds)
      summary += ", " + grouped(std::llround(*view.microseconds)) + " µs a call";
    text("summary", summary + (symbols.empty() ? "" : " (" + symbols + ")"));
    if (view.microseconds)
      json.attribute("us", *view.microseconds);
    writeTotals(view);
    json.attributeArray("counts", [&] {
      for (const auto &[name, count] : view.opCounts)
        json.array([&] {
          json.value(readable(name));
          json.value(count);
        });
    });
    json.attributeArray("nodes", [&] {
      for (const ViewNode &node : view.nodes)
        json.object([&] { write(node); });
    });
    json.attributeArray("kernels", [&] {
      for (const ViewKernel &kernel : view.kernels)
        json.object([&] { write(kernel); });
    });
    Picture open = pictureOf(view, true);
    writeScopes(view);
    json.attributeObject("open", [&] { write(open); });
    json.attributeObject("closed",
                         [&] { write(view.kernels.empty() ? open : pictureOf(view, false)); });
    if (view.memory)
      json.attributeObject("memory", [&] { write(*view.memory); });
  }

  void writeTotals(const GraphView &view) {
    auto row = [&](const char *name, const ViewQuantity &quantity) {
      json.array([&] {
        json.value(name);
        std::string value = quantity.value ? grouped(*quantity.value) : "?";
        json.value(value + (quantity.formula.empty() ? "" : " = " + quantity.formula));
      });
    };
    json.attributeArray("totals", [&] {
      row("FLOPs", view.operations);
      row("bytes read", view.bytesRead);
      row("bytes written", view.bytesWritten);
      if (view.memory) {
        row("arena bytes", view.memory->arena);
        if (view.memory->mostArena)
          row("arena at most", {view.memory->mostArena, ""});
        if (view.memory->prepared)
          row("prepared bytes", {view.memory->prepared, ""});
        row("live at most", {view.memory->maxLive, ""});
      }
    });
  }

  void write(const ViewNode &node) {
    json.attribute("k", nodeKindName(node.kind));
    if (!node.family.empty())
      text("f", node.family);
    text("n", node.name);
    if (!node.op.empty())
      text("o", node.op);
    if (!node.result.empty())
      text("r", node.result);
    texts("y", node.yields);
    texts("t", node.types);
    if (!node.shape.empty())
      text("s", node.shape);
    if (!node.attributes.empty())
      json.attributeArray("a", [&] {
        for (const auto &[name, value] : node.attributes)
          json.array([&] {
            json.value(readable(name));
            json.value(readable(value, kAttributeBytes));
          });
      });
    places("p", node.places);
    if (!node.operands.empty())
      json.attributeArray("u", [&] {
        for (int operand : node.operands)
          json.value(operand);
      });
    if (node.kernel >= 0)
      json.attribute("g", node.kernel);
    if (!node.region.empty())
      text("in", node.region);
  }

  void write(const ViewKernel &kernel) {
    text("kind", kernel.kind);
    text("label", kernel.label);
    json.attribute("first", kernel.first);
    json.attribute("last", kernel.last);
    text("r", kernel.result);
    text("title", kernel.title);
    text("place", kernel.place);
    quantity("flops", kernel.operations);
    quantity("read", kernel.bytesRead);
    quantity("written", kernel.bytesWritten);
    if (kernel.microseconds)
      json.attribute("us", *kernel.microseconds);
    text("text", kernel.text);
    text("function", kernel.function);
    if (!kernel.inside.empty())
      json.attributeArray("inside", [&] {
        for (const ViewKernel &inner : kernel.inside)
          json.object([&] { write(inner); });
      });
  }

  // Items as [kind, side, index, x, y, width, height], edges as [from, to, points between].
  void writeScopes(const GraphView &view) {
    std::vector<ScopePage> pages = scopePages(view);
    json.attributeArray("scopes", [&] {
      for (size_t i = 0; i < pages.size(); ++i)
        json.object([&] { write(pages[i], pictureOf(view, pages, i)); });
    });
  }
  void write(const ScopePage &page, const ScopePicture &picture) {
    text("name", page.name);
    json.attribute("parent", page.parent);
    json.attribute("ops", page.ops);
    json.attribute("kernels", page.kernels);
    json.attribute("flops", page.operations);
    if (page.microseconds)
      json.attribute("us", *page.microseconds);
    json.attribute("width", picture.width);
    json.attribute("height", picture.height);
    json.attributeArray("items", [&] {
      for (size_t item = 0; item < page.items.size(); ++item)
        json.array([&] {
          for (int number :
               {int(page.items[item].kind), int(page.items[item].side), page.items[item].index})
            json.value(number);
          numbers(picture.items[item]);
        });
    });
    json.attributeArray("edges", [&] {
      for (size_t edge = 0; edge < page.edges.size(); ++edge)
        json.array([&] {
          json.value(page.edges[edge].first);
          json.value(page.edges[edge].second);
          numbers(picture.bends[edge]);
        });
    });
  }

  void write(const Picture &picture) {
    json.attribute("width", picture.width);
    json.attribute("height", picture.height);
    json.attributeArray("nodes", [&] {
      for (const Box &place : picture.nodes)
        box(place);
    });
    json.attributeArray("kernels", [&] {
      for (const Box &place : picture.kernels)
        box(place);
    });
    json.attributeArray("bends", [&] {
      for (const std::vector<Point> &points : picture.bends)
        json.array([&] { numbers(points); });
    });
  }

  void write(const ViewMemory &memory) {
    quantity("arena", memory.arena);
    json.attributeBegin("maxLive");
    number(memory.maxLive);
    json.attributeEnd();
    json.attributeArray("live", [&] {
      for (int64_t bytes : memory.live)
        json.value(bytes);
    });
    json.attributeArray("buffers", [&] {
      for (const ViewBuffer &buffer : memory.buffers)
        json.object([&] {
          json.attribute("node", buffer.node);
          text("title", buffer.title);
          text("place", buffer.place);
          quantity("offset", buffer.offset);
          quantity("bytes", buffer.bytes);
          json.attribute("first", buffer.first);
          json.attribute("last", buffer.last);
          json.attribute("values", buffer.values);
        });
    });
  }

  llvm::json::OStream json;
  const std::string folder;
};

} // namespace

std::string keratin::dump::toHtml(const HtmlPage &page) {
  std::string data;
  llvm::raw_string_ostream out(data);
  HtmlWriter(out).write(page);
  std::string text = pageHead;
  // In JSON "<" stands in strings only; without it no name can end the element or begin another.
  for (char c : data)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text + pageTail;
}
