// Something to be done when a thread ends.
#ifndef KERATIN_FRONTEND_GRAPH_ATTHREADEND_H
#define KERATIN_FRONTEND_GRAPH_ATTHREADEND_H

namespace keratin::frontend {

// An object of the thread, which calls the function when the thread has ended: before objects that
// it has made earlier go, and after those that it has made later.
template <void (*Function)()> struct AtThreadEnd {
  ~AtThreadEnd() { Function(); }
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_ATTHREADEND_H
