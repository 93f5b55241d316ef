// Which groups of ops read which, while groups are being merged into kernels.
//
// A graph without cycles, kept in an order in which every group stands behind those it reads. The
// order is what makes questions cheap: only groups that stand between two others can lie on a path
// between them. It is repaired after each merge by moving what lies on such paths (Pearce and
// Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2006).
#ifndef KERATIN_PASSES_FUSION_GROUPGRAPH_H
#define KERATIN_PASSES_FUSION_GROUPGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace keratin::passes {

class GroupGraph {
public:
  // A new group, which reads these and which nobody reads so far. Groups are numbered from 0.
  int add(llvm::ArrayRef<int> producers);

  // Whether the consumer also depends on the producer through a third group: merged, the two would
  // have to run both before and after it. The consumer must read the producer, or stand behind it.
  bool hasDetour(int producer, int consumer) const;
  // Whether the group stands before the other, on which it then does not depend.
  bool standsBefore(int group, int other) const { return nodes[group].rank < nodes[other].rank; }

  // The producer becomes part of the consumer, which reads it or stands behind it. Precondition: no
  // detour.
  void merge(int producer, int consumer);

  bool isAlive(int group) const { return nodes[group].alive; }
  llvm::ArrayRef<int> producers(int group) const { return nodes[group].producers.getArrayRef(); }
  llvm::ArrayRef<int> readers(int group) const { return nodes[group].readers.getArrayRef(); }

private:
  using Groups = llvm::SmallSetVector<int, 4>;
  struct Node {
    Groups producers, readers;
    int rank; // place in the order
    bool alive = true;
  };
  // What depends on the producer, other than through the consumer, and stands before the consumer.
  Groups behind(int producer, int consumer) const;
  // What the consumer depends on, other than through the producer, and stands behind the producer.
  Groups before(int producer, int consumer) const;

  std::vector<Node> nodes;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_GROUPGRAPH_H
