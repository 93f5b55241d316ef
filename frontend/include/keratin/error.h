// The exceptions of the K functions: one class for each kind of error that Keras knows.
//
// A message names the function as the user knows it, what is wrong, what was found and what is
// needed, and ends in the place of the call: "dot: …; found …; needed …; at net.cc:57".
#ifndef KERATIN_ERROR_H
#define KERATIN_ERROR_H

#include <exception>
#include <string>
#include <utility>

#define KERATIN_EXCEPTION __attribute__((visibility("default")))

namespace keratin {

class KERATIN_EXCEPTION Error : public std::exception {
public:
  explicit Error(std::string text) : message(std::move(text)) {}
  const char *what() const noexcept override { return message.c_str(); }

private:
  std::string message;
};

// A bad value, rank, shape, axis or missing feed.
class KERATIN_EXCEPTION ValueError : public Error {
  using Error::Error;
};
// A condition that Keras states with `assert`.
class KERATIN_EXCEPTION AssertionError : public ValueError {
  using ValueError::ValueError;
};
// A value of the wrong kind, or an unknown dtype.
class KERATIN_EXCEPTION TypeError : public Error {
  using Error::Error;
};
class KERATIN_EXCEPTION NotImplementedError : public Error {
  using Error::Error;
};
// A number became NaN or infinite in a function that checks its numbers
// (FunctionOptions::checkNumbers).
class KERATIN_EXCEPTION FloatingPointError : public Error {
  using Error::Error;
};
// What went wrong is neither the caller's value nor type: files, the compiler.
class KERATIN_EXCEPTION RuntimeError : public Error {
  using Error::Error;
};
// Another rank of the job has failed, or wants something else: no rank has updated anything, and
// all may go on.
class KERATIN_EXCEPTION RankError : public RuntimeError {
  using RuntimeError::RuntimeError;
};
// A rank is lost or did not come in time: none can go on together, but from a checkpoint.
class KERATIN_EXCEPTION LostRankError : public RankError {
  using RankError::RankError;
};
// The memory that was needed is not there, on the host or on a device.
class KERATIN_EXCEPTION MemoryError : public RuntimeError {
  using RuntimeError::RuntimeError;
};

} // namespace keratin

#endif // KERATIN_ERROR_H
