#include "tools/keratin-dump/ScopeTree.h"

#include <algorithm>
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
    findValues();
    while (liftNumbers())
      ;
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

  //===-- Values that scopes share ------------------------------------------------------------===//

  bool isLeaf(int node) const {
    return view.nodes[node].kind == NodeKind::Variable || isConstant[node];
  }

  // Constants, and what only moves their elements; numbers that follow from those and variables.
  void findValues() {
    isConstant.resize(view.nodes.size());
    isNumber.resize(view.nodes.size());
    numberKernel.assign(view.kernels.size(), true);
    for (size_t id = 0; id < view.nodes.size(); ++id) {
      const ViewNode &node = view.nodes[id];
      auto all = [&](auto &&is) {
        return std::all_of(node.operands.begin(), node.operands.end(), is);
      };
      bool isOp = node.kind == NodeKind::Op, onlyMoves = node.family == "movement";
      isConstant[id] = node.kind == NodeKind::Constant ||
                       (isOp && onlyMoves && all([&](int other) { return isConstant[other]; }));
      bool hasRank0 = !node.types.empty() && node.types.front().find('x') == std::string::npos;
      isNumber[id] = isOp && (hasRank0 || onlyMoves) &&
                     all([&](int other) { return isNumber[other] || isLeaf(other); });
      if (node.kernel >= 0 && !isNumber[id] && !isConstant[id])
        numberKernel[node.kernel] = false;
    }
  }
  bool isNumberUnit(int node) const {
    int kernel = view.nodes[node].kernel;
    return kernel >= 0 ? numberKernel[kernel] : isNumber[node] && !isConstant[node];
  }

  bool isWithin(int scope, int outer) const {
    while (depths[scope] > depths[outer])
      scope = pages[scope].parent;
    return scope == outer;
  }

  // Where scopes need one another because one of them makes a number for both, a step size for
  // instance, the number moves to the page on which they stand. Whether one did.
  bool liftNumbers() {
    std::map<int, std::map<std::pair<ScopeItem, ScopeItem>, int>> makers; // of each page's lines
    for (size_t id = 0; id < view.nodes.size(); ++id)
      for (int operand : view.nodes[id].operands)
        if (Line line = lineBetween(operand, int(id)); line.page >= 0 && !line.isLabel) {
          auto [place, isNew] = makers[line.page].try_emplace({line.start, line.end}, operand);
          if (!isNew && isNumberUnit(operand))
            place->second = operand;
        }
    bool hasLifted = false;
    for (auto &[page, lines] : makers) {
      dropAcyclic(lines);
      for (const auto &[ends, maker] : lines)
        if (ends.first.kind == ScopeItem::Scope && isNumberUnit(maker)) {
          lift(maker, page);
          hasLifted = true;
        }
    }
    return hasLifted;
  }

  // Leaves the lines between what follows a cycle and leads to one.
  static void dropAcyclic(std::map<std::pair<ScopeItem, ScopeItem>, int> &lines) {
    for (size_t before = 0; before != lines.size();) {
      before = lines.size();
      std::set<ScopeItem> starts, ends;
      for (const auto &line : lines) {
        starts.insert(line.first.first);
        ends.insert(line.first.second);
      }
      std::erase_if(lines, [&](const auto &line) {
        return !ends.count(line.first.first) || !starts.count(line.first.second);
      });
    }
  }

  // With the numbers that it is made of.
  void lift(int node, int page) {
    if (unitOf(node).scope == page || !isWithin(unitOf(node).scope, page))
      return;
    int kernel = view.nodes[node].kernel;
    (kernel >= 0 ? scopeOfKernel[kernel] : scopeOfNode[node]) = page;
    for (size_t id = 0; id < view.nodes.size(); ++id)
      if (kernel >= 0 ? view.nodes[id].kernel == kernel : int(id) == node)
        for (int operand : view.nodes[id].operands)
          if (isNumberUnit(operand))
            lift(operand, page);
  }

  //===-- Lines -------------------------------------------------------------------------------===//

  struct Line {
    int page = -1; // of the innermost scope that has both ends; -1: there is none
    ScopeItem start, end;
    // What is left and entered on the way: pages, and what is at the end in them.
    std::vector<std::pair<int, ScopeItem>> left, entered;
    // Constants and variables may be used anywhere, by scopes before their own, too. Elsewhere than
    // in the scope where they stand and those in it they are named where they are used.
    bool isLabel = false;
  };

  Line lineBetween(int from, int to) const {
    Line line;
    Unit a = unitOf(from), b = unitOf(to);
    if (a.kind == b.kind && a.index == b.index)
      return line;
    line.start = {a.kind, a.index};
    line.end = {b.kind, b.index};
    line.isLabel = isLeaf(from) && !isWithin(b.scope, a.scope);
    int scopeA = a.scope, scopeB = b.scope;
    while (scopeA != scopeB) {
      bool isDeeperA = depths[scopeA] >= depths[scopeB];
      int &scope = isDeeperA ? scopeA : scopeB;
      ScopeItem &end = isDeeperA ? line.start : line.end;
      (isDeeperA ? line.left : line.entered).push_back({scope, end});
      end = {ScopeItem::Scope, scope};
      scope = pages[scope].parent;
    }
    line.page = scopeA;
    return line;
  }

  // On its page, and as a line from or to outside on those that have one end.
  void addEdge(int from, int to) {
    Line line = lineBetween(from, to);
    if (line.page < 0)
      return;
    if (line.isLabel) {
      Unit a = unitOf(from), b = unitOf(to);
      connect(b.scope, {a.kind, a.index, ScopeItem::From}, {b.kind, b.index});
      return;
    }
    connect(line.page, line.start, line.end);
    for (const auto &[page, inside] : line.left)
      connect(page, inside, {line.end.kind, line.end.index, ScopeItem::To});
    for (const auto &[page, inside] : line.entered)
      connect(page, {line.start.kind, line.start.index, ScopeItem::From}, inside);
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
  std::vector<bool> isConstant, isNumber, numberKernel;
};

} // namespace

std::vector<ScopePage> keratin::dump::scopePages(const GraphView &view) {
  return TreeBuilder(view).build();
}
