// The whole keras.backend API, and what Keratin has beside it: the files of api/.
//
// keratin-tblgen makes of it docs/api.md, the list by which a test links every function that is said
// to exist, and Python's functions with their documentation.
#ifndef KERATIN_API
#define KERATIN_API

class Keratin_Function<string name, string group, string signature> {
  string functionName = name;
  string functionGroup = group;
  // As Python writes it.
  string functionSignature = signature;
  // 0: a class, a template or overloaded, so it has no single address.
  bit hasAddress = 1;
  // The name in C++ where Python's is a keyword.
  string cxxName = name;
  // What Python's help() says: a line, which docs/api.md has too, and what Args, Returns and Raises
  // say. The indentation of the lines behind the first is not part of it. Of a function with a
  // Python body it is the line alone. "A tensor or what becomes one" is a tensor, a number, a bool,
  // an array, or a list of these.
  string documentation = "";
  // What Python's function returns, for type checkers; None of one whose documentation has no
  // "Returns:".
  string pythonResult = "Tensor";
  // Whether complex numbers are among what it takes; any other one refuses them (graph/Call.cpp).
  bit takesComplex = 0;
  // Whether frontend/python/keratin has the Python function, with its whole documentation; of all
  // others it is generated.
  bit hasPythonBody = 0;
}

include "frontend/backend/api/Config.td"
include "frontend/backend/api/Graph.td"
include "frontend/backend/api/Io.td"
include "frontend/backend/api/Variables.td"
include "frontend/backend/api/Creation.td"
include "frontend/backend/api/Random.td"
include "frontend/backend/api/LinearAlgebra.td"
include "frontend/backend/api/Reductions.td"
include "frontend/backend/api/Elementwise.td"
include "frontend/backend/api/Shapes.td"
include "frontend/backend/api/Neural.td"
include "frontend/backend/api/Windows.td"
include "frontend/backend/api/Control.td"
include "frontend/backend/api/TrainingPhase.td"
include "frontend/backend/api/Sparse.td"
include "frontend/backend/api/Ctc.td"
include "frontend/backend/api/Extensions.td"
include "frontend/backend/api/Mathematics.td"
include "frontend/backend/api/Distributions.td"
include "frontend/backend/api/Complex.td"
include "frontend/backend/api/Fourier.td"
include "frontend/backend/api/Derivatives.td"

#endif // KERATIN_API
