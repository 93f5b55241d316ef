#include "tools/keratin-dump/ScopeTree.h"

#include <set>

using namespace keratin::dump;

namespace {

// Deeper scopes are one with the one around them: names come from files.
constexpr int kMostDepth = 64;

class TreeBuilder {
public:
  explicit TreeBuilder(const GraphView &view) : view(view), pages(1), depths(1, 0) {}

  std::vector<ScopePage> build() {
    findFirstUsers();
    for (const ViewKernel &kernel : view.kernels)
      scopeOfKernel.push_back(pageOf(kernel.scope));
    for (size_t id = 0; id < view.nodes.size(); ++id)
      scopeOfNode.push_back(scopeOf(int(id)));
    addUnits();
    for (size_t id = 0; id < view.nodes.size(); ++id)
      for (int operand : view.nodes[id].operands)
        addEdge(operand, int(id));
    return std::move(pages);
  }

private:
  struct Unit {
    ScopeItem::Kind kind;
    int index, scope;
  };

  int pageOf(std::string_view path) {
    int page = 0;
    while (!path.empty() && depths[page] < kMostDepth) {
      size_t end = std::min(path.find('/'), path.size());
      std::string name(path.substr(0, end));
      path.remove_prefix(std::min(end + 1, path.size()));
      if (name.empty())
        continue;
      auto [child, isNew] = children.try_emplace({page, name}, int(pages.size()));
      if (isNew) {
        pages.emplace_back().name = name;
        pages.back().parent = page;
        depths.push_back(depths[page] + 1);
        itemOf({page, {ScopeItem::Scope, child->second}});
      }
      page = child->second;
    }
    return page;
  }

  void findFirstUsers() {
    firstUser.assign(view.nodes.size(), -1);
    for (size_t id = 0; id < view.nodes.size(); ++id)
      for (int operand : view.nodes[id].operands)
        if (firstUser[operand] < 0)
          firstUser[operand] = int(id);
  }

  int scopeOf(int id) {
    const ViewNode &node = view.nodes[id];
    if (node.kernel >= 0)
      return scopeOfKernel[node.kernel];
    int other = node.kind == NodeKind::Variable || node.kind == NodeKind::Constant ? firstUser[id]
                : node.kind == NodeKind::Update && !node.operands.empty() ? node.operands.front()
                                                                          : -1;
    if (!node.scope.empty() || other < 0)
      return pageOf(node.scope);
    const ViewNode &beside = view.nodes[other];
    return beside.kernel >= 0 ? scopeOfKernel[beside.kernel] : pageOf(beside.scope);
  }

  Unit unitOf(int node) const {
    int kernel = view.nodes[node].kernel;
    return kernel >= 0 ? Unit{ScopeItem::Kernel, kernel, scopeOfKernel[kernel]}
                       : Unit{ScopeItem::Node, node, scopeOfNode[node]};
  }

  int itemOf(const std::pair<int, ScopeItem> &place) {
    std::vector<ScopeItem> &items = pages[place.first].items;
    auto [item, isNew] = itemNumbers.try_emplace(place, int(items.size()));
    if (isNew)
      items.push_back(place.second);
    return item->second;
  }

  void addUnits() {
    for (size_t id = 0; id < view.nodes.size(); ++id) {
      Unit unit = unitOf(int(id));
      itemOf({unit.scope, {unit.kind, unit.index}});
      bool isOp = !view.nodes[id].op.empty() && view.nodes[id].kind != NodeKind::Outside;
      for (int page = unit.scope; page >= 0; page = pages[page].parent)
        pages[page].ops += isOp;
    }
    for (size_t i = 0; i < view.kernels.size(); ++i)
      for (int page = scopeOfKernel[i]; page >= 0; page = pages[page].parent) {
        const ViewKernel &kernel = view.kernels[i];
        pages[page].kernels += kernel.kind == std::string_view("kernel") ? 1 : kernel.inside.size();
        pages[page].operations += double(kernel.operations.value.value_or(0));
        if (kernel.microseconds)
          pages[page].microseconds = pages[page].microseconds.value_or(0) + *kernel.microseconds;
      }
  }

  // On the page of the innermost scope that has both ends, and as a line from or to outside on
  // those that have one.
  void addEdge(int from, int to) {
    Unit a = unitOf(from), b = unitOf(to);
    if (a.kind == b.kind && a.index == b.index)
      return;
    ScopeItem start{a.kind, a.index}, end{b.kind, b.index};
    int scopeA = a.scope, scopeB = b.scope;
    std::vector<std::pair<int, ScopeItem>> left, entered; // pages, and what is at the end in them
    while (scopeA != scopeB) {
      bool isDeeperA = depths[scopeA] >= depths[scopeB];
      (isDeeperA ? left : entered)
          .push_back(isDeeperA ? std::pair(scopeA, start) : std::pair(scopeB, end));
      (isDeeperA ? start : end) = {ScopeItem::Scope, isDeeperA ? scopeA : scopeB};
      int &scope = isDeeperA ? scopeA : scopeB;
      scope = pages[scope].parent;
    }
    connect(scopeA, start, end);
    for (const auto &[page, inside] : left)
      connect(page, inside, {end.kind, end.index, ScopeItem::To});
    for (const auto &[page, inside] : entered)
      connect(page, {start.kind, start.index, ScopeItem::From}, inside);
  }

  void connect(int page, const ScopeItem &from, const ScopeItem &to) {
    int a = itemOf({page, from}), b = itemOf({page, to});
    if (connected.insert({page, a, b}).second)
      pages[page].edges.push_back({a, b});
  }

  const GraphView &view;
  std::vector<ScopePage> pages;
  std::vector<int> depths; // of the pages
  std::map<std::pair<int, std::string>, int> children;
  std::map<std::pair<int, ScopeItem>, int> itemNumbers;
  std::set<std::tuple<int, int, int>> connected;
  std::vector<int> firstUser, scopeOfKernel, scopeOfNode;
};

} // namespace

std::vector<ScopePage> keratin::dump::scopePages(const GraphView &view) {
  return TreeBuilder(view).build();
}
