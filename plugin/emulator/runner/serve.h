// The child's side: answers requests about the candidate's libraries. Runs in a locked-down process.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "case_memory.h"
#include "channel.h"
#include "host.h"
#include "json.h"
#include "launch.h"
#include "library.h"

namespace npu_runner {

// What a process is for: a host part, a kernel, or the device, which holds no code of a candidate.
enum class Role { Host, Kernel, Device };

// Reads requests from the socket until it closes, then exits. `libraries`: paths of the host library, or of the vector
// and the cube variant ("" for none).
[[noreturn]] void serve(Role role, const std::vector<std::string>& libraries);

// Reading a request runs no candidate code. Throw JsonError.
npu_emu::host::TileRequest readTileRequest(const Json& request);
struct Launch {
  npu_emu::LaunchRequest request;  // without addresses and entries
  uint64_t shapedOutputs = 0;
  uint64_t fileBytes;
  std::vector<Argument> arguments;
  uint64_t workspaceBytes;
  std::vector<uint8_t> tiling;
  std::array<uint8_t, 8> poison;
  struct Bytes {
    uint64_t offset, bytes;
  };
  std::vector<Bytes> watched;  // of the case file: who has written them last is to be told
  bool tellsTimeline = false;
};
Launch readLaunch(const Json& request);

// Answers of a process that holds a host library. Throw Rejected, HostError, JsonError.
Json describe(const Json& request);
// `after`: cases that are tiled first, in the same process.
Json tileCase(const Json& request);
// Many cases in turn, one after the other in one process: what an earlier one has left may change a later one, so that nothing
// may be judged by them.
Json tileCases(const Json& request);
Json inferCase(const Json& request);

// Answer of a process that holds kernel libraries; either may be nullptr. It says which blocks of their code the
// kernel has reached, and nothing that is judged: what counts is what the kernel issues. Files: the case, to be read, and
// the stream; they are closed before the kernel runs. Throws Rejected, JsonError.
Json runKernel(const Json& request, Library* aiv, Library* aic, std::vector<Descriptor> files);

// Answer of the device, of what has become of the instructions. Files: the case, to be read, to be written, and the
// stream. Throws Rejected, JsonError.
Json launchOnDevice(const Json& request, std::vector<Descriptor> files);

}  // namespace npu_runner
