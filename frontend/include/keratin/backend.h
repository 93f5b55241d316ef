// The whole API: `namespace K = keratin::backend;`.
//
// A K function builds a node of the graph and computes nothing; K::function compiles, K::eval
// computes at once. Names, argument order and defaults are Keras's. Errors are thrown by the call
// that is at fault (keratin/error.h).
//
// Threads. Several may build, evaluate, compile and call at once, each a graph of its own: K
// functions that build take turns; compiling and running wait for nobody, except that calls exclude
// each other where they share a session's variables and one updates. Tensors, variables and
// functions may be handed to other threads; only one graph is not to be built by two at once.
// What is the process's own is for one thread: settings (set_floatx, set_epsilon,
// set_image_data_format, set_session, set_learning_phase, manual_variable_initialization,
// clear_session) are made while no other thread builds, and a name_scope or control_dependencies
// holds for all that is built meanwhile, by any thread.
#ifndef KERATIN_BACKEND_H
#define KERATIN_BACKEND_H

#include "keratin/complex.h"
#include "keratin/config.h"
#include "keratin/control.h"
#include "keratin/creation.h"
#include "keratin/ctc.h"
#include "keratin/derivatives.h"
#include "keratin/distributions.h"
#include "keratin/elementwise.h"
#include "keratin/fourier.h"
#include "keratin/graph.h"
#include "keratin/io.h"
#include "keratin/linear_algebra.h"
#include "keratin/nn.h"
#include "keratin/onnx.h"
#include "keratin/options.h"
#include "keratin/random.h"
#include "keratin/reductions.h"
#include "keratin/saving.h"
#include "keratin/segments.h"
#include "keratin/shapes.h"
#include "keratin/sparse.h"
#include "keratin/sparse_derivatives.h"
#include "keratin/training_phase.h"
#include "keratin/variables.h"
#include "keratin/weights.h"
#include "keratin/windows.h"

namespace keratin::backend {

// Every public type, so that K:: is all that a program needs to name.
using keratin::All;
using keratin::ArangeOptions;
using keratin::Array;
using keratin::AssertionError;
using keratin::Axes;
using keratin::Axis;
using keratin::BatchNormalizationOptions;
using keratin::Branch;
using keratin::CompileProgress;
using keratin::ConstantOptions;
using keratin::Constraint;
using keratin::Conv3dTransposeOptions;
using keratin::ConvOptions;
using keratin::CreationOptions;
using keratin::CrossentropyOptions;
using keratin::CtcDecodeOptions;
using keratin::DataFormat;
using keratin::Dim;
using keratin::DimOptions;
using keratin::DropoutOptions;
using keratin::DType;
using keratin::DTypeArgument;
using keratin::ElementFunction;
using keratin::Elements;
using keratin::Ellipsis;
using keratin::EllipsisType;
using keratin::Error;
using keratin::Feed;
using keratin::Fft2Options;
using keratin::FftnOptions;
using keratin::FftOptions;
using keratin::FloatingPointError;
using keratin::FoldOptions;
using keratin::Function;
using keratin::FunctionOptions;
using keratin::Eigh;
using keratin::Gradient;
using keratin::IndexList;
using keratin::LinspaceOptions;
using keratin::LoopBody;
using keratin::Lu;
using keratin::MapOptions;
using keratin::MemoryError;
using keratin::NamedFeeds;
using keratin::None;
using keratin::NormOptions;
using keratin::NormOrder;
using keratin::NotImplementedError;
using keratin::Operand;
using keratin::Output;
using keratin::OutputList;
using keratin::PadOptions;
using keratin::Parts;
using keratin::PlaceholderOptions;
using keratin::PoolOptions;
using keratin::RandomBetaOptions;
using keratin::RandomBinomialOptions;
using keratin::RandomChoiceOptions;
using keratin::RandomExponentialOptions;
using keratin::RandomGammaOptions;
using keratin::RandomNormalOptions;
using keratin::RandomPoissonOptions;
using keratin::RandomUniformOptions;
using keratin::RandomVariableOptions;
using keratin::ReductionOptions;
using keratin::ReluOptions;
using keratin::Results;
using keratin::RnnOptions;
using keratin::Qr;
using keratin::RnnStep;
using keratin::RnnStepResult;
using keratin::RuntimeError;
using keratin::Session;
using keratin::Shape;
using keratin::Size;
using keratin::Slice;
using keratin::SlogDet;
using keratin::SourceLocation;
using keratin::SparseMatrix;
using keratin::StaticShape;
using keratin::Svd;
using keratin::Tensor;
using keratin::TensorList;
using keratin::TopK;
using keratin::toString;
using keratin::TraceOptions;
using keratin::TriangularSolveOptions;
using keratin::TypeError;
using keratin::Unique;
using keratin::Update;
using keratin::UpdateList;
using keratin::ValueError;
using keratin::VariableOptions;

} // namespace keratin::backend

#endif // KERATIN_BACKEND_H
