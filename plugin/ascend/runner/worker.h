// The process that calls the runtime and, by it, the host part of a candidate: it may crash or hang, and is replaced then.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace npu_ascend {

// What the process is doing; each has a limit of its own.
enum class Phase : int { Start, Prepare, Tiling, Launch, Wait, Collect, Idle };

const char* nameOf(Phase phase);

struct WorkerOptions {
  std::vector<std::string> libraries;  // of the operator, absolute
  int device = 0;
  bool finalizes = false;  // whether the runtime is let go at the end, for a profiler that writes its files then
  bool resets = false;     // whether what was before it has left the device in an unknown state
};

// Answers requests, one JSON line each, until the pipe closes. `phase` is memory that it shares with its parent.
[[noreturn]] void serve(int requests, int answers, const WorkerOptions& options, std::atomic<Phase>& phase);

// Lines of pipes.
bool readLine(int file, std::string& buffered, std::string& line);
void writeLine(int file, const std::string& line);

}  // namespace npu_ascend
