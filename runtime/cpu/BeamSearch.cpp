#include "runtime/cpu/BeamSearch.h"

#include "runtime/core/DType.h"
#include "runtime/core/Half.h"

#include <bit>
#include <math.h>

namespace keratin::runtime {

namespace {

// log(1 + x) for 0 <= x <= 1, as 2 atanh(x / (2 + x)), whose series needs few terms here. Not
// libm's: what an object takes from elsewhere is bounded (docs/ahead-of-time.md).
double logOnePlus(double x) {
  double s = x / (2 + x), square = s * s, sum = 0;
  for (int power = 35; power > 1; power -= 2)
    sum = sum * square + 1.0 / power;
  return 2 * (s + s * square * sum);
}

// The logarithm of a positive normal number; infinity and NaN stay.
double logarithm(double x) {
  if (!isfinite(x))
    return x;
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = int64_t(bits >> 52) - 1023;
  double mantissa =
      std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | uint64_t(1023) << 52); // in [1, 2)
  return double(exponent) * 0x1.62e42fefa39efp-1 + logOnePlus(mantissa - 1);
}

// log(exp(a) + exp(b)).
double logAdd(double a, double b) {
  double high = a > b ? a : b, low = a > b ? b : a;
  return low == -INFINITY ? high : high + logOnePlus(exp(low - high));
}

void writeFloat(int64_t dtype, void *data, int64_t index, double value) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    static_cast<uint16_t *>(data)[index] = float16FromDouble(value);
    break;
  case KERATIN_DTYPE_BFLOAT16:
    static_cast<uint16_t *>(data)[index] = bfloat16FromDouble(value);
    break;
  case KERATIN_DTYPE_FLOAT32:
    static_cast<float *>(data)[index] = float(value);
    break;
  default:
    static_cast<double *>(data)[index] = value;
  }
}

constexpr int64_t none = -1;

// A prefix: the label that it ends in, behind the prefix that is its parent. Kept while it is in
// the beam, or was at the frame's begin, or a longer prefix is kept.
struct Node {
  int64_t parent, label;
  int64_t firstChild, nextSibling, previousSibling; // nextSibling also links free nodes
  int64_t state;                                    // none: only longer prefixes need it
};

// What a prefix in the beam is known by: log probabilities of ending in a blank, in its label, and
// of either; of the first and the last as they were before this frame.
struct State {
  double blank, label, total;
  double oldBlank, oldTotal;
  int64_t node;
  int64_t found;    // the order in which prefixes came into the beam, which decides between equals
  int64_t standing; // bits, see below; links free states
};
constexpr int64_t inBeam = 1, wasInBeam = 2;

static_assert(sizeof(Node) == 8 * KERATIN_BEAM_NODE_WORDS);
static_assert(sizeof(State) == 8 * KERATIN_BEAM_STATE_WORDS);

class Search {
public:
  Search(const keratin_beam_search_t &s, int64_t sample) : s(s), sample(sample) {
    auto *next = static_cast<int64_t *>(s.workspace) + sample * s.workspace_words;
    auto carve = [&next](int64_t words) {
      int64_t *found = next;
      next += words;
      return found;
    };
    int64_t width = s.beam_width;
    nodes =
        reinterpret_cast<Node *>(carve(KERATIN_BEAM_NODE_WORDS * ((2 * width + 1) * s.time + 2)));
    states = reinterpret_cast<State *>(carve(KERATIN_BEAM_STATE_WORDS * (2 * width + 2)));
    heap = carve(width + 1);
    order = carve(width + 1);
    logits = reinterpret_cast<double *>(carve(s.classes));
    child = carve(s.classes);
    childOf = carve(s.classes);
  }

  // False if there are fewer prefixes than paths.
  bool run(int64_t frames) {
    for (int64_t c = 0; c < s.classes; ++c)
      childOf[c] = none;
    State &empty = states[makeState(makeNode(none, none))];
    empty.blank = empty.total = 0;
    empty.label = -INFINITY;
    push(nodes[0].state);
    for (int64_t frame = 0; frame < frames; ++frame)
      step(frame);
    return writeResults();
  }

private:
  //===-- Prefixes ----------------------------------------------------------------------------===//

  int64_t makeNode(int64_t parent, int64_t label) {
    int64_t id = freeNode;
    if (id != none)
      freeNode = nodes[id].nextSibling;
    else
      id = usedNodes++;
    nodes[id] = {parent, label, none, none, none, none};
    if (parent != none) {
      Node &above = nodes[parent];
      nodes[id].nextSibling = above.firstChild;
      if (above.firstChild != none)
        nodes[above.firstChild].previousSibling = id;
      above.firstChild = id;
    }
    return id;
  }

  int64_t makeState(int64_t node) {
    int64_t id = freeState;
    if (id != none)
      freeState = states[id].standing;
    else
      id = usedStates++;
    states[id] = {0, 0, 0, -INFINITY, -INFINITY, node, 0, 0};
    nodes[node].state = id;
    return id;
  }

  // Forgets a state that nobody needs any more, and the nodes that only it kept.
  void release(int64_t state) {
    int64_t id = states[state].node;
    nodes[id].state = none;
    states[state].standing = freeState;
    freeState = state;
    while (nodes[id].state == none && nodes[id].firstChild == none && nodes[id].parent != none) {
      Node &node = nodes[id];
      int64_t parent = node.parent;
      if (node.previousSibling != none)
        nodes[node.previousSibling].nextSibling = node.nextSibling;
      else
        nodes[parent].firstChild = node.nextSibling;
      if (node.nextSibling != none)
        nodes[node.nextSibling].previousSibling = node.previousSibling;
      if (childOf[node.label] == parent)
        childOf[node.label] = none;
      node.nextSibling = freeNode;
      freeNode = id;
      id = parent;
    }
  }

  bool isInBeam(int64_t node) const {
    return nodes[node].state != none && states[nodes[node].state].standing & inBeam;
  }

  //===-- The beam: a heap with the least likely prefix on top --------------------------------===//

  bool isLess(int64_t a, int64_t b) const {
    return states[a].total < states[b].total ||
           (states[a].total == states[b].total && states[a].found > states[b].found);
  }

  void swap(int64_t a, int64_t b) {
    int64_t held = heap[a];
    heap[a] = heap[b];
    heap[b] = held;
  }

  void sink(int64_t place) {
    for (;;) {
      int64_t least = place;
      for (int64_t below = 2 * place + 1; below <= 2 * place + 2 && below < count; ++below)
        if (isLess(heap[below], heap[least]))
          least = below;
      if (least == place)
        return;
      swap(place, least);
      place = least;
    }
  }

  void push(int64_t state) {
    states[state].standing |= inBeam;
    states[state].found = numFound++;
    int64_t place = count++;
    heap[place] = state;
    for (; place > 0 && isLess(heap[place], heap[(place - 1) / 2]); place = (place - 1) / 2)
      swap(place, (place - 1) / 2);
  }

  int64_t pop() {
    int64_t state = heap[0];
    heap[0] = heap[--count];
    sink(0);
    return state;
  }

  bool enters(double total) const {
    return isfinite(total) && (count < s.beam_width || total > states[heap[0]].total);
  }

  //===-- Frames ------------------------------------------------------------------------------===//

  void readLogits(int64_t frame) {
    double high = -INFINITY, sum = 0;
    for (int64_t c = 0; c < s.classes; ++c) {
      logits[c] = readFloat(s.dtype, s.logits, (sample * s.time + frame) * s.classes + c);
      high = logits[c] > high ? logits[c] : high;
    }
    for (int64_t c = 0; c < s.classes; ++c)
      sum += exp(logits[c] - high);
    // The largest is one of the summands, so the sum is 1 or more.
    double all = high + logarithm(sum);
    for (int64_t c = 0; c < s.classes; ++c)
      logits[c] -= all;
  }

  void step(int64_t frame) {
    readLogits(frame);
    int64_t numBefore = count;
    for (int64_t i = numBefore - 1; i >= 0; --i) {
      order[i] = pop();
      State &state = states[order[i]];
      state.standing = inBeam | wasInBeam;
      state.oldBlank = state.blank;
      state.oldTotal = state.total;
    }
    for (int64_t i = 0; i < numBefore; ++i)
      stay(states[order[i]]);
    for (; count < numBefore; ++count)
      heap[count] = order[count];
    for (int64_t place = count / 2; place-- > 0;)
      sink(place);
    for (int64_t i = 0; i < numBefore; ++i)
      extend(order[i]);
    for (int64_t i = 0; i < numBefore; ++i) {
      State &state = states[order[i]];
      state.standing &= ~wasInBeam;
      if (!state.standing)
        release(order[i]);
    }
  }

  // The frame shows a blank, the last label again, or the last label for the first time.
  void stay(State &state) {
    const Node &node = nodes[state.node];
    if (node.parent != none) {
      if (isInBeam(node.parent)) {
        const State &parent = states[nodes[node.parent].state];
        bool repeats = nodes[node.parent].label == node.label;
        state.label = logAdd(state.label, repeats ? parent.oldBlank : parent.oldTotal);
      }
      state.label += logits[node.label];
    }
    state.blank = state.oldTotal + logits[s.classes - 1];
    state.total = logAdd(state.blank, state.label);
  }

  void extend(int64_t id) {
    // Kept aside: the state may leave the beam and come back meanwhile.
    const State before = states[id];
    if (!enters(before.oldTotal))
      return;
    for (int64_t node = nodes[before.node].firstChild; node != none;
         node = nodes[node].nextSibling) {
      childOf[nodes[node].label] = before.node;
      child[nodes[node].label] = node;
    }
    for (int64_t c = 0; c + 1 < s.classes; ++c) {
      bool known = childOf[c] == before.node;
      if (known && isInBeam(child[c]))
        continue;
      double total =
          logits[c] + (c == nodes[before.node].label ? before.oldBlank : before.oldTotal);
      if (!enters(total))
        continue;
      if (count == s.beam_width) {
        int64_t last = pop();
        states[last].standing &= ~inBeam;
        if (!states[last].standing)
          release(last);
        known = childOf[c] == before.node; // it may have been this one's longer prefix
      }
      int64_t node = known ? child[c] : makeNode(before.node, c);
      int64_t state = nodes[node].state == none ? makeState(node) : nodes[node].state;
      states[state].blank = -INFINITY;
      states[state].label = states[state].total = total;
      push(state);
    }
    for (int64_t node = nodes[before.node].firstChild; node != none; node = nodes[node].nextSibling)
      childOf[nodes[node].label] = none;
  }

  bool writeResults() {
    if (count < s.paths)
      return false;
    while (count > s.paths)
      pop();
    while (count > 0) {
      int64_t place = sample * s.paths + (count - 1);
      const State &state = states[pop()];
      int64_t length = 0;
      for (int64_t node = state.node; nodes[node].parent != none; node = nodes[node].parent)
        ++length;
      if (s.labels)
        writeLabels(s.labels + place * s.time, state.node, length);
      if (s.counts)
        s.counts[place] = length;
      if (s.log_probabilities)
        writeFloat(s.dtype, s.log_probabilities, place, state.total);
    }
    return true;
  }

  void writeLabels(int64_t *labels, int64_t node, int64_t length) const {
    for (int64_t i = length; i < s.time; ++i)
      labels[i] = -1;
    for (; nodes[node].parent != none; node = nodes[node].parent)
      labels[--length] = nodes[node].label;
  }

  const keratin_beam_search_t &s;
  int64_t sample;
  Node *nodes;
  State *states;
  int64_t *heap, *order; // states
  int64_t count = 0;     // of the heap
  double *logits;        // of the frame, normalised
  // For each label the prefix longer by it, where childOf is the prefix at hand.
  int64_t *child, *childOf;
  int64_t usedNodes = 0, usedStates = 0, freeNode = none, freeState = none, numFound = 0;
};

} // namespace

void beamSearch(keratin_context_t *context, const keratin_beam_search_t *search, int64_t begin,
                int64_t end) {
  const keratin_beam_search_t &s = *search;
  for (int64_t sample = begin; sample < end; ++sample) {
    int64_t frames = 0;
    const char *length =
        static_cast<const char *>(s.lengths) + sample * dtypeSize(int32_t(s.length_dtype));
    if (s.classes < 1 || !readInteger(int32_t(s.length_dtype), length, frames) || frames < 0 ||
        frames > s.time)
      context->functions->fail(context, int32_t(s.length_site));
    else if (!Search(s, sample).run(frames))
      context->functions->fail(context, int32_t(s.paths_site));
  }
}

} // namespace keratin::runtime
