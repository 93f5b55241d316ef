#include "tools/keratin-dump/Dot.h"

#include "tools/keratin-dump/ScopeTree.h"
#include "tools/keratin-dump/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace keratin::dump;

namespace {

constexpr size_t kLabelBytes = 60;
constexpr size_t kTooltipBytes = 400;

// Within the quotes of a string of the language; "\N", "\G" and the like would be replaced.
std::string escaped(llvm::StringRef text, size_t most) {
  std::string result;
  for (char c : readable(text, most)) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result;
}

const char *styleOf(NodeKind kind) {
  switch (kind) {
  case NodeKind::Input:
    return "shape=invhouse, fillcolor=\"#cfe5ff\"";
  case NodeKind::Variable:
    return "shape=cylinder, fillcolor=\"#ffe3b8\"";
  case NodeKind::Constant:
    return "shape=note, fillcolor=\"#eeeeee\"";
  case NodeKind::Op:
    return "shape=box, fillcolor=\"#ffffff\"";
  case NodeKind::Output:
    return "shape=house, fillcolor=\"#cfe5ff\"";
  case NodeKind::Update:
    return "shape=cylinder, fillcolor=\"#ffd0b0\"";
  case NodeKind::Argument:
    return "shape=box, style=\"rounded,filled\", fillcolor=\"#e8e0f5\"";
  case NodeKind::Outside:
    return "shape=plaintext, fontcolor=\"#888888\"";
  }
  return "";
}

// A line takes a node in each layer that it passes, and GraphViz's time grows with the square of
// those; clusters in clusters make it worse. So from so many nodes on each scope is a drawing of
// its own, beside the others, and lines from elsewhere or over more than these layers begin at
// stubs.
constexpr size_t kLargeGraph = 800;
constexpr int kMostLayers = 8;

// How far from the inputs a node is; what nothing goes into stands right before its first user.
std::vector<int> layersOf(const GraphView &view) {
  std::vector<int> layers(view.nodes.size(), 0), firstUser(view.nodes.size(), -1);
  for (size_t id = 0; id < layers.size(); ++id)
    for (int operand : view.nodes[id].operands)
      layers[id] = std::max(layers[id], layers[operand] + 1);
  for (size_t id = 0; id < layers.size(); ++id)
    for (int operand : view.nodes[id].operands)
      if (firstUser[operand] < 0 || layers[id] < firstUser[operand])
        firstUser[operand] = layers[id];
  for (size_t id = 0; id < layers.size(); ++id)
    if (view.nodes[id].operands.empty() && firstUser[id] >= 0)
      layers[id] = firstUser[id] - 1;
  return layers;
}

class DotWriter {
public:
  explicit DotWriter(llvm::raw_ostream &out) : out(out) {}

  void write(const GraphView &shown, size_t number) {
    view = &shown;
    prefix = "f" + std::to_string(number) + "_";
    pages = scopePages(shown);
    members.assign(shown.kernels.size(), {});
    for (size_t id = 0; id < shown.nodes.size(); ++id)
      if (shown.nodes[id].kernel >= 0)
        members[shown.nodes[id].kernel].push_back(id);
    findStubs();
    if (isLarge())
      writeScopesApart();
    else
      writeScope(0, prefix, nameOf(shown), "  ");
    for (size_t id = 0; id < shown.nodes.size(); ++id)
      for (int operand : shown.nodes[id].operands)
        out << "    " << prefix << (isStub(operand, id) ? "s" + std::to_string(id) + "_" : "")
            << operand << " -> " << prefix << id << ";\n";
  }

  static bool isLargeGraph(const GraphView &view) { return view.nodes.size() > kLargeGraph; }

private:
  bool isLarge() const { return isLargeGraph(*view); }
  static std::string nameOf(const GraphView &view) {
    return view.function + " (" + view.stage + ")";
  }

  void findStubs() {
    pageOfNode.assign(view->nodes.size(), 0);
    for (size_t page = 0; page < pages.size(); ++page)
      for (const ScopeItem &item : pages[page].items)
        if (item.side == ScopeItem::Inside && item.kind == ScopeItem::Node)
          pageOfNode[item.index] = int(page);
        else if (item.side == ScopeItem::Inside && item.kind == ScopeItem::Kernel)
          for (size_t id : members[item.index])
            pageOfNode[id] = int(page);
    layers = layersOf(*view);
  }
  bool isStub(int operand, size_t user) const {
    return isLarge() && (pageOfNode[operand] != pageOfNode[user] ||
                         layers[user] - layers[operand] > kMostLayers);
  }

  // A scope with those within it.
  void writeScope(int page, const std::string &id, const std::string &label,
                  const std::string &indent) {
    out << indent << "subgraph cluster_" << id << " {\n"
        << indent << "  label=\"" << escaped(label, kLabelBytes)
        << "\"; style=rounded; color=\"#98a3ad\";\n";
    for (const ScopeItem &item : pages[page].items)
      if (item.kind == ScopeItem::Scope && item.side == ScopeItem::Inside)
        writeScope(item.index, prefix + "n" + std::to_string(item.index), pages[item.index].name,
                   indent + "  ");
    writeItems(page, indent + "  ");
    out << indent << "}\n";
  }

  void writeScopesApart() {
    writeItems(0, "  ");
    std::vector<std::string> paths(pages.size(), nameOf(*view) + ":");
    for (size_t page = 1; page < pages.size(); ++page) {
      paths[page] = paths[pages[page].parent] + (pages[page].parent ? "/" : " ") + pages[page].name;
      out << "  subgraph cluster_" << prefix << "n" << page << " {\n    label=\""
          << escaped(paths[page], kTooltipBytes) << "\"; style=rounded; color=\"#98a3ad\";\n";
      writeItems(int(page), "    ");
      out << "  }\n";
    }
  }

  void writeItems(int page, const std::string &indent) {
    for (const ScopeItem &item : pages[page].items)
      if (item.side != ScopeItem::Inside)
        continue;
      else if (item.kind == ScopeItem::Node)
        writeNode(size_t(item.index), indent);
      else if (item.kind == ScopeItem::Kernel)
        writeKernel(size_t(item.index), indent);
  }

  void writeKernel(size_t number, const std::string &indent) {
    const ViewKernel &kernel = view->kernels[number];
    out << indent << "subgraph cluster_" << prefix << "k" << number << " {\n"
        << indent << "  label=\"" << kernel.label << "\\n"
        << escaped(kernel.title, kLabelBytes)
        << "\"; style=\"rounded,filled\"; fillcolor=\"#eef7ec\"; color=\"#7aa874\";\n";
    for (size_t id : members[number])
      writeNode(id, indent + "  ");
    out << indent << "}\n";
  }

  // With the stubs of what it reads from far away.
  void writeNode(size_t id, const std::string &indent) {
    node(view->nodes[id], id, indent);
    std::set<int> written;
    for (int operand : view->nodes[id].operands)
      if (isStub(operand, id) && written.insert(operand).second) {
        const ViewNode &maker = view->nodes[operand];
        out << indent << prefix << "s" << id << "_" << operand
            << " [shape=plaintext, style=\"\", fontcolor=\"#888888\", label=\""
            << escaped(maker.name == maker.result ? maker.name : maker.name + " " + maker.result,
                       kLabelBytes)
            << "\"];\n";
      }
  }

  void node(const ViewNode &node, size_t id, const std::string &indent) {
    out << indent << prefix << id << " [" << styleOf(node.kind) << ", label=\"";
    if (!node.result.empty() && node.kind != NodeKind::Outside)
      out << escaped(node.result, kLabelBytes) << " ";
    out << escaped(node.name, kLabelBytes);
    if (!node.shape.empty())
      out << "\\n" << escaped(node.shape, kLabelBytes);
    if (!node.places.empty())
      out << "\\n" << escaped(shortPlace(node.places.front()), kLabelBytes);
    out << "\", tooltip=\"" << escaped(node.op.empty() ? node.name : node.op, kTooltipBytes);
    for (const std::string &type : node.types)
      out << "\\n" << escaped(type, kTooltipBytes);
    if (!node.region.empty())
      out << "\\n" << escaped(node.region, kTooltipBytes);
    for (const auto &[name, value] : node.attributes)
      out << "\\n" << escaped(name + " = " + value, kTooltipBytes);
    for (const std::string &place : node.places)
      out << "\\n" << escaped(place, kTooltipBytes);
    out << "\"];\n";
  }

  llvm::raw_ostream &out;
  const GraphView *view = nullptr;
  std::string prefix;
  std::vector<ScopePage> pages;
  std::vector<std::vector<size_t>> members; // of kernels
  std::vector<int> layers, pageOfNode;
};

} // namespace

std::string keratin::dump::toDot(const std::vector<GraphView> &views) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "digraph keratin {\n"
         "  node [style=filled, fontname=\"Helvetica\", fontsize=11];\n"
         "  graph [fontname=\"Helvetica\", fontsize=12];\n"
         "  edge [color=\"#666666\", arrowsize=0.6];\n";
  if (std::any_of(views.begin(), views.end(), DotWriter::isLargeGraph))
    out << "  pack=16; packmode=\"graph\"; splines=line;\n";
  DotWriter writer(out);
  for (size_t number = 0; number < views.size(); ++number)
    writer.write(views[number], number);
  out << "}\n";
  return text;
}
