// The supervisor's side of a locked-down child: it starts it, asks it, and sees it die.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "channel.h"
#include "fault.h"
#include "instruction_stream.h"
#include "json.h"
#include "lockdown.h"
#include "serve.h"

namespace npu_runner {

// Thrown when the machine, not the candidate, stands in the way.
struct Infrastructure {
  std::string message;
};

// What a child is started for. Two requests with equal keys share one.
struct ChildKey {
  Role role;
  // the host library, or the vector and the cube variant ("" for none); none for the device
  std::vector<std::string> libraries;
  // device, inode, size and time of change of each: a rebuilt library is another one
  std::string identity;

  bool operator==(const ChildKey& other) const {
    return role == other.role && libraries == other.libraries && identity == other.identity;
  }
};

// Throws Infrastructure when a library does not exist.
ChildKey makeKey(Role role, std::vector<std::string> libraries);

// Of one request. What else the machine is busy with must not decide: processor time does, and the clock is there for a child
// that sleeps. It stands still while the child waits for a processor, where the system tells.
struct TimeLimit {
  std::chrono::milliseconds processor, clock;
};

struct Outcome {
  // NoRoom: the machine could not give a page of the case, and nobody is to blame but the machine
  enum Kind { Answered, Died, TimedOut, NoRoom } kind;
  // Answered: `{"ok":…}` as the child wrote it
  Json answer;
  // Died, NoRoom: the name of the signal, `exit` when it left by itself
  std::string signal;
  std::optional<int> exitCode;
  // Died, NoRoom of a memory access: where it went, as far as the child could tell
  std::string place;
  // what it printed, whatever became of it
  std::string log;
};

struct Launching;
// What became of a launch, and whether the kernel asks for another.
struct Launched {
  Outcome outcome;
  bool again = false;
};

class Child {
 public:
  // Forks. The child locks itself down meanwhile, which its first request waits for. Throws Infrastructure.
  // `processor`: what it may use in its whole life; without it, what each request says.
  Child(const ChildKey& key, int memoryTemplate, size_t memoryBytes, MissingLayers allowed,
        std::optional<std::chrono::seconds> processor = {});
  // Kills it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const ChildKey& key() const { return key_; }

  // A request and the files that go with it, and what may be used for it.
  struct Request {
    const std::string& text;
    std::vector<int> files;
    size_t memoryBytes;
    TimeLimit limit;
  };
  // One request. After anything but an answer the child is gone and must be discarded.
  Outcome ask(const Request& request);
  // In two steps: why there will be no answer, or nothing; then the answer.
  std::optional<Outcome> begin(const Request& request);
  Outcome finish(const TimeLimit& limit);

  bool isGone() const { return pid_ < 0; }
  // It ends by itself from here on; who destroys the child waits for that.
  void kill() const;
  // Whether a child that was killed is gone, without waiting for it.
  bool hasEnded();

 private:
  // What one request has taken so far.
  struct Used {
    std::chrono::nanoseconds processor, queued;
  };
  // Throws Infrastructure.
  void awaitStart();
  Transfer send(const Request& request);
  void limitResources(size_t memoryBytes, const TimeLimit& limit);
  std::chrono::nanoseconds processorTime() const;
  std::chrono::nanoseconds queuedTime() const;
  Outcome receive(const TimeLimit& limit);
  Outcome ended(Outcome::Kind kind);
  std::string takeLog() const;

  friend class Race;
  friend Launched launchOnce(Child& device, Child& kernel, const Launching& launching);

  ChildKey key_;
  pid_t pid_ = -1;
  std::string token_;
  // What a kernel issues goes through memory that it shares with its device, and with nobody else.
  Descriptor streamFile_;
  std::unique_ptr<npu_emu::StreamMemory> stream_;
  Descriptor socket_, log_;
  FaultNote* note_ = nullptr;
  bool hasStarted_ = false;
  rlim_t hardMemory_ = 0, hardProcessor_ = 0;  // of its limits; 0: not known
};

// The file of a case is opened twice.
struct Launching {
  const std::string& request;
  int readOnly, readWrite;
  size_t memoryBytes;
  TimeLimit limit;
  // whether it may begin anew: a second launch finds what the first has found
  bool isRepeatable;
  // what there is to do while they work
  std::function<void()> meanwhile;
};

// A launch: the process of the kernel issues, that of the device carries out and answers. Either may be gone afterwards.
Outcome launch(Child& device, Child& kernel, const Launching& launching);

}  // namespace npu_runner
