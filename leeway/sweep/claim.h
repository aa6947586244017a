// Claims: which runner runs a unit, when runners share nothing but a folder.
//
// A runner has a random name and a file runners/NAME that says which machine it is on; renew() touches it. A
// claim is a symbolic link claims/ab/UNIT.1 to the runner's name: creating it with its content is atomic on
// any file system. The claim of a runner that is gone is not removed, since two runners doing so could remove
// a third one's: claim .2 is made, which exactly one can, and so on. The highest number holds the unit.
//
// A runner is gone if its file is gone; on this machine (boot and pid namespace), if its process is gone;
// elsewhere, if its file has not changed for a whole lease by this process's steady clock. Clocks of two
// machines are never compared. A runner that was only slow loses its work, nothing else: results are renamed
// into place, and the first one stays (store.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "leeway/sweep/store.h"

namespace leeway::sweep {

inline constexpr std::chrono::duration<double> default_lease{60};

// Of a runner. alive: its process is there, or its file has changed since it was first seen; silent: neither yet.
enum class Sign { gone, silent, alive };

// Which runners live, as far as this process could see.
class Liveness {
 public:
  Liveness(const Store& store, std::chrono::duration<double> lease) : store_(store), lease_(lease) {}
  // One look at its file, which is read the first time.
  [[nodiscard]] Sign sign(const std::string& runner);

 private:
  struct Seen {
    std::string machine, pid, start;
    std::int64_t first = 0, changed = 0;
    std::chrono::steady_clock::time_point since;
  };
  const Store& store_;
  const std::chrono::duration<double> lease_;
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;
};

class Runner {
 public:
  Runner(const Store& store, std::chrono::duration<double> lease);
  ~Runner();  // it is no runner any more
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // To be called at least four times a lease.
  void renew() const;

  // The number of the claim that is now this runner's; 0: another runner has the unit.
  [[nodiscard]] std::size_t claim(const std::string& unit);
  // The unit is not this runner's any more. `ended`: it is done or has failed, so that no claim on it counts.
  void release(const std::string& unit, std::size_t number, bool ended) const;
  // Of the runner that has claimed the unit; gone: nobody has.
  [[nodiscard]] Sign holder_sign(const std::string& unit);

 private:
  void write() const;
  const Store& store_;
  std::string name_;
  Liveness liveness_;
};

// The runner that a claim names; empty without that claim. Error: a claim that is not a link to a runner's name.
[[nodiscard]] std::string holder_of(const Store& store, const std::string& unit, std::size_t number);

}  // namespace leeway::sweep
