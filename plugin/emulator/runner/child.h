// The supervisor's side of a locked-down child: it starts it, asks it, and sees it die.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "channel.h"
#include "fault.h"
#include "json.h"
#include "lockdown.h"

namespace npu_runner {

// Thrown when the machine, not the candidate, stands in the way.
struct Infrastructure {
  std::string message;
};

// What a child is started for. Two requests with equal keys share one.
struct ChildKey {
  bool host;
  // the host library, or the vector and the cube variant ("" for none)
  std::vector<std::string> libraries;
  // device, inode, size and time of change of each: a rebuilt library is another one
  std::string identity;

  bool operator==(const ChildKey& other) const {
    return host == other.host && libraries == other.libraries && identity == other.identity;
  }
};

// Throws Infrastructure when a library does not exist.
ChildKey makeKey(bool host, std::vector<std::string> libraries);

// Of one request. What else the machine is busy with must not decide: processor time does, and the clock is there for a child
// that sleeps. It stands still while the child waits for a processor, where the system tells.
struct TimeLimit {
  std::chrono::milliseconds processor, clock;
};

struct Outcome {
  enum Kind { Answered, Died, TimedOut } kind;
  // Answered: `{"ok":…}` as the child wrote it
  Json answer;
  // Died: the name of the signal, `exit` when it left by itself
  std::string signal;
  std::optional<int> exitCode;
  // Died of a memory access: where it went, as far as the child could tell
  std::string place;
  // what it printed, whatever became of it
  std::string log;
};

class Child {
 public:
  // Forks and waits until the child has locked itself down. Throws Infrastructure.
  Child(const ChildKey& key, int workspaceTemplate, size_t memoryBytes, MissingLayers allowed);
  // Kills it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const ChildKey& key() const { return key_; }

  // One request. After anything but an answer the child is gone and must be discarded.
  Outcome ask(const std::string& request, const std::vector<int>& files, size_t memoryBytes, const TimeLimit& limit);

 private:
  void limitResources(size_t memoryBytes, const TimeLimit& limit) const;
  std::chrono::nanoseconds processorTime() const;
  std::chrono::nanoseconds queuedTime() const;
  bool answersInTime(const TimeLimit& limit) const;
  Outcome ended(Outcome::Kind kind);
  std::string takeLog() const;

  ChildKey key_;
  pid_t pid_ = -1;
  Descriptor socket_, log_;
  FaultNote* note_ = nullptr;
};

}  // namespace npu_runner
