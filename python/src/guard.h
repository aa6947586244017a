// What a call of the library needs of its process: files that are cut while they are read, and the end of Python.
//
// A mapped file that another process cuts short raises SIGBUS. During a call, zeros take the place of the missing bytes,
// and the call ends with an Error. Other SIGBUS go to the handler that was there before.
//
// Python ends a thread that asks for the GIL after the main thread has ended. Inside the library this aborts the
// process. Therefore Python's `atexit` stops the calls of daemon threads: callbacks throw Interrupted, and a thread that
// would return to Python waits for ever. `atexit` waits for at most 10 s until all calls have stopped.
#pragma once

#include <nanobind/nanobind.h>

namespace leeway::python {

namespace nb = nanobind;

// One call, from its arguments to its result. The GIL is held.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void check_files() const;  // Error: a file was cut since the call began

 private:
  unsigned cuts_;
};

// nb::gil_scoped_release within a Call.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

// nb::gil_scoped_acquire within a Call; Interrupted when Python ends.
class Acquired {
 public:
  Acquired();
  ~Acquired() { PyGILState_Release(state_); }
  Acquired(const Acquired&) = delete;
  Acquired& operator=(const Acquired&) = delete;

 private:
  PyGILState_STATE state_;
};

// Python ends, and this thread must not enter it again.
[[nodiscard]] bool python_ends() noexcept;

void stop_calls_at_exit();  // from the module's initialization

}  // namespace leeway::python
