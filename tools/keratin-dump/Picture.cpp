#include "tools/keratin-dump/Picture.h"

#include "tools/keratin-dump/Text.h"

#include <algorithm>

using namespace keratin::dump;

namespace {

// As page.js and page.css draw them.
constexpr double kLetter = 6.4, kBoldLetter = 7.6, kLine = 13, kLeast = 64, kMost = 210;

double widthFor(size_t letters) {
  return std::clamp(double(letters) * kLetter + 16, kLeast, kMost);
}

// What is in bold, in letters of the others.
size_t bold(size_t letters) { return size_t(double(letters) * kBoldLetter / kLetter + 0.5); }

LayoutInput::Node sizeOf(const ViewNode &node) {
  // Its name stands beside the number of its result, in bold.
  const std::string &number = node.yields.empty() ? node.result : node.yields.front();
  size_t letters = bold(node.name.size() + (node.name == number ? 0 : number.size() + 1));
  int lines = 1;
  if (!node.shape.empty()) {
    letters = std::max(letters, node.shape.size());
    ++lines;
  }
  if (!node.places.empty()) {
    letters = std::max(letters, shortPlace(node.places.front()).size());
    ++lines;
  }
  return {widthFor(letters), 8 + kLine * lines, node.kernel};
}

// A closed one: its label, its title, its line.
LayoutInput::Node sizeOf(const ViewKernel &kernel) {
  size_t letters =
      std::max({bold(kernel.label.size()) + 4, kernel.title.size(), kernel.place.size()});
  return {widthFor(letters + 2), 8 + kLine * 3, -1};
}

LayoutInput::Node sizeOf(const GraphView &view, const std::vector<ScopePage> &pages,
                         const ScopeItem &item) {
  LayoutInput::Node size;
  if (item.kind == ScopeItem::Scope)
    size = {widthFor(std::max<size_t>(bold(pages[item.index].name.size()) + 4, 22)), 8 + kLine * 3,
            -1};
  else if (item.kind == ScopeItem::Kernel)
    size = sizeOf(view.kernels[item.index]);
  else
    size = sizeOf(view.nodes[item.index]);
  size.group = -1;
  if (item.side != ScopeItem::Inside)
    size.height = 8 + kLine; // the name alone
  return size;
}

Picture open(const GraphView &view) {
  LayoutInput input;
  input.groups = int(view.kernels.size());
  for (size_t id = 0; id < view.nodes.size(); ++id) {
    input.nodes.push_back(sizeOf(view.nodes[id]));
    for (int operand : view.nodes[id].operands)
      input.edges.push_back({operand, int(id)});
  }
  LayoutResult result = layOut(input);
  return {result.nodes, result.groups, result.bends, result.width, result.height};
}

Picture closed(const GraphView &view) {
  LayoutInput input;
  // Kernels take the places of their first ops, so that the order stays that of the program.
  std::vector<int> boxOfNode(view.nodes.size()), boxOfKernel(view.kernels.size(), -1);
  for (size_t id = 0; id < view.nodes.size(); ++id) {
    int kernel = view.nodes[id].kernel;
    if (kernel >= 0 && boxOfKernel[kernel] >= 0) {
      boxOfNode[id] = boxOfKernel[kernel];
      continue;
    }
    boxOfNode[id] = int(input.nodes.size());
    if (kernel >= 0)
      boxOfKernel[kernel] = boxOfNode[id];
    input.nodes.push_back(kernel >= 0 ? sizeOf(view.kernels[kernel]) : sizeOf(view.nodes[id]));
  }
  for (size_t id = 0; id < view.nodes.size(); ++id)
    for (int operand : view.nodes[id].operands)
      input.edges.push_back({boxOfNode[operand], boxOfNode[id]});
  // One line between two boxes is enough; the first one is drawn.
  LayoutResult result = layOut(input);
  Picture picture{{}, {}, result.bends, result.width, result.height};
  for (size_t id = 0; id < view.nodes.size(); ++id)
    picture.nodes.push_back(view.nodes[id].kernel < 0 ? result.nodes[boxOfNode[id]] : Box());
  for (int box : boxOfKernel)
    picture.kernels.push_back(box >= 0 ? result.nodes[box] : Box());
  return picture;
}

} // namespace

Picture keratin::dump::pictureOf(const GraphView &view, bool openKernels) {
  return openKernels ? open(view) : closed(view);
}

ScopePicture keratin::dump::pictureOf(const GraphView &view, const std::vector<ScopePage> &pages,
                                      size_t page) {
  LayoutInput input;
  for (const ScopeItem &item : pages[page].items)
    input.nodes.push_back(sizeOf(view, pages, item));
  input.edges = pages[page].edges;
  LayoutResult result = layOut(input);
  return {result.nodes, result.bends, result.width, result.height};
}
