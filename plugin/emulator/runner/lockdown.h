// Takes everything from a process that candidate code could do harm with.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace npu_runner {

// Bytes of standard output and error that are kept; writing more fails.
constexpr size_t logLimit = 64 * 1024;

// Descriptors of a locked-down process, at fixed numbers.
constexpr int socketFd = 3;

// Layers that this machine may lack. Whatever is not named here has to be there: a candidate never runs with less.
struct MissingLayers {
  bool landlock = false;
  bool seccomp = false;
};

struct Confinement {
  int socket;
  int log;
  // which cores' memories are copies of; below 0: no core runs here
  int memoryTemplate;
  // bytes of address space
  size_t memory;
  // processor time in all, where there is a limit
  std::optional<std::chrono::seconds> processor;
  // what may be opened for reading: the candidate's libraries
  std::vector<std::string> readable;
  MissingLayers allowed;
};

// The calling process and those that it starts are in a network of their own, and share memory with nobody outside. Once for
// all: making a network takes as long as a small launch. Best effort: the system call filter already keeps candidates from the
// network and from other processes. Where there is no filter, each child has its own.
void leaveNetwork();

// No process that the calling one starts from here on can get a capability back. Best effort: children drop those that they have.
void dropBoundingSet();

// Locks the calling process down for loading the candidate's libraries. On failure, says what failed; the process must
// then exit without having run anything.
std::string lockDown(const Confinement& confinement);

// After the libraries are loaded: nothing can be opened or made executable any more. False when it failed.
bool lockDownForRunning();

// Which layers this machine has.
bool hasLandlock();
bool hasSeccomp();

}  // namespace npu_runner
