// One module for all sizes of a slice's values.
#ifndef KERATIN_FRONTEND_GRAPH_GENERALFORM_H
#define KERATIN_FRONTEND_GRAPH_GENERALFORM_H

#include "frontend/graph/FunctionModule.h"
#include "frontend/graph/OpenNumbers.h"

#include <cstddef>
#include <vector>

namespace keratin::frontend {

// What the inputs that generalize() adds are given, one number after the other.
class NumberInputs {
public:
  void addSize(size_t index) { places.push_back({true, index}); }
  void addOther(size_t index) { places.push_back({false, index}); }

  // `distinct` is what the form's SizePattern makes of the slice's sizes.
  void append(const std::vector<int64_t> &distinct, const OpenNumbers &numbers,
              std::vector<Array> &inputs) const {
    for (const Place &place : places)
      inputs.push_back(Array(place.isSize ? distinct[place.index] : numbers.others[place.index]));
  }

private:
  struct Place {
    bool isSize;
    size_t index;
  };
  std::vector<Place> places;
};

// Makes symbols of the open numbers of a module that was built of a slice, literals as inputs, and
// inputs, behind all others, for those that no dimension of an input tells; equal sizes have one.
// Every slice of the same general signature (SliceSignature) that matches the SizePattern is the
// module with its own numbers in place of the symbols:
//
//   func.func @eval(%x: tensor<3x4xf32>) {                   // sizes 3, 4, 12
//     %y = keratin.reshape %x : … -> tensor<12xf32>
//   func.func @eval(%x: tensor<?x?xf32, dims<d0, d1>>, %n: tensor<i64> {keratin.symbol = 2}) {
//     %y = keratin.reshape %x : … -> tensor<?xf32, dims<d2>>
//
// Where a shape follows from those of the operands, so do the expressions of its sizes (of a
// concatenation d0 + d1); where that gives another one than the same size has already, a reshape
// goes between. False: an op does not take unknown sizes in a place; the module is of no use then.
bool generalize(FunctionModule &module, const OpenNumbers &numbers, NumberInputs &inputs);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GENERALFORM_H
