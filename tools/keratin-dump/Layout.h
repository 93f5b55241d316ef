// Places for the boxes of a graph, in layers from top to bottom. Numbers only.
//
// Layers follow from longest paths, but a layer that is full passes its nodes on to the next: wide
// graphs become tall instead of endless. Nodes without operands stand just above their first user.
// Within a layer, nodes and the lines that pass are ordered by where their neighbours are (means
// and medians in turn, exchanges, the order with the fewest crossings), then moved towards them as
// far as the order allows. A group's nodes are laid out by themselves, and the group is one node of
// the whole.
#ifndef KERATIN_TOOLS_DUMP_LAYOUT_H
#define KERATIN_TOOLS_DUMP_LAYOUT_H

#include <utility>
#include <vector>

namespace keratin::dump {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0; // x, y: the upper left corner
};

struct LayoutInput {
  struct Node {
    double width = 0, height = 0;
    int group = -1;
  };
  std::vector<Node> nodes;
  std::vector<std::pair<int, int>> edges; // from a node to a user of it
  int groups = 0;
};

struct LayoutResult {
  std::vector<Box> nodes;
  std::vector<Box> groups; // with room for a title; empty ones have no size
  // For each edge the points between its ends that it goes through, where it passes several layers.
  std::vector<std::vector<Point>> bends;
  double width = 0, height = 0;
};

// Any graph gives a layout: edges that close a cycle are not looked at when layers are chosen.
LayoutResult layOut(const LayoutInput &input);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_LAYOUT_H
