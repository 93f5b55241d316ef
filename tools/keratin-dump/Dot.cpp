#include "tools/keratin-dump/Dot.h"

#include "tools/keratin-dump/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

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

class Writer {
public:
  explicit Writer(llvm::raw_ostream &out) : out(out) {}

  void write(const GraphView &view, size_t number) {
    prefix = "f" + std::to_string(number) + "_";
    out << "  subgraph cluster_" << prefix << " {\n    label=\""
        << escaped(view.function, kLabelBytes) << " (" << view.stage << ")\";\n";
    std::vector<std::vector<size_t>> members(view.kernels.size());
    for (size_t id = 0; id < view.nodes.size(); ++id) {
      if (view.nodes[id].kernel >= 0)
        members[view.nodes[id].kernel].push_back(id);
      else
        node(view.nodes[id], id, "    ");
    }
    for (size_t kernel = 0; kernel < members.size(); ++kernel) {
      out << "    subgraph cluster_" << prefix << "k" << kernel << " {\n      label=\""
          << view.kernels[kernel].kind << " " << kernel << " "
          << escaped(view.kernels[kernel].result, kLabelBytes)
          << "\"; style=\"rounded,filled\"; fillcolor=\"#eef7ec\"; color=\"#7aa874\";\n";
      for (size_t id : members[kernel])
        node(view.nodes[id], id, "      ");
      out << "    }\n";
    }
    for (size_t id = 0; id < view.nodes.size(); ++id)
      for (int operand : view.nodes[id].operands)
        out << "    " << prefix << operand << " -> " << prefix << id << ";\n";
    out << "  }\n";
  }

private:
  void node(const ViewNode &node, size_t id, const char *indent) {
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
  std::string prefix;
};

} // namespace

std::string keratin::dump::toDot(const std::vector<GraphView> &views) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "digraph keratin {\n"
         "  node [style=filled, fontname=\"Helvetica\", fontsize=11];\n"
         "  graph [fontname=\"Helvetica\", fontsize=12];\n"
         "  edge [color=\"#666666\", arrowsize=0.6];\n";
  Writer writer(out);
  for (size_t number = 0; number < views.size(); ++number)
    writer.write(views[number], number);
  out << "}\n";
  return text;
}
