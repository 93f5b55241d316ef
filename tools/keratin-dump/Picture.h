// A view as boxes and lines: how large they are, and where they stand.
#ifndef KERATIN_TOOLS_DUMP_PICTURE_H
#define KERATIN_TOOLS_DUMP_PICTURE_H

#include "tools/keratin-dump/GraphView.h"
#include "tools/keratin-dump/Layout.h"
#include "tools/keratin-dump/ScopeTree.h"

namespace keratin::dump {

struct Picture {
  std::vector<Box> nodes;   // of no size where a closed kernel stands for them
  std::vector<Box> kernels; // of no size where nothing of them is shown
  // For each operand of each node, in their order, the points that the line from it goes through.
  std::vector<std::vector<Point>> bends;
  double width = 0, height = 0;
};

// With open kernels their ops are shown, in a box; else the box alone.
Picture pictureOf(const GraphView &view, bool openKernels);

// Of a page of scopePages(): a box for each item, and the points of each of its edges.
struct ScopePicture {
  std::vector<Box> items;
  std::vector<std::vector<Point>> bends;
  double width = 0, height = 0;
};
ScopePicture pictureOf(const GraphView &view, const std::vector<ScopePage> &pages, size_t page);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_PICTURE_H
