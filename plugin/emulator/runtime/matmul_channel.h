// What passes between the vector cores of a group and the cube core that carries out their Matmul objects.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "matmul.h"

namespace npu_emu::matmul {

// What a vector core asks of the cube core of its group.
struct Request {
  enum Kind : uint8_t { Iterate, Take, All, IntoWorkspace, Batch, Batches, Nothing, Hf32, End };
  Kind kind = End;
  bool accumulates = false;
  bool wantsAnswer = false;
  bool hf32 = false, hf32TiesToZero = false;  // Hf32
  Target target{};
  matmul::Batch batch{};
  const char* instruction = "";
  Object object{};
  uint32_t token = 0;  // of the meeting in the traces
  CrossCoreClock released{};
  CallPath where{};
};

// That a request, or a part of it, is carried out.
struct Answer {
  uint32_t token;  // of the meeting in the traces
  CrossCoreClock released;
};

// Global memory of the library through which matrices in UB travel.
struct Staging {
  uint8_t* base = nullptr;
  uint32_t used = 0;

  Staging() = default;
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
};

// Between one vector core and its cube core.
struct Channel {
  std::deque<Request> requests;
  std::deque<Answer> answers;
  bool open = false, closed = false;  // by the vector core; never opened: neither
  CallPath opened{};
  Staging staging;
};
Channel& channelOf(const Core& vectorCore);

// What the Matmul objects of a launch have.
struct LaunchState {
  std::map<uint32_t, Engines> engines;   // by number of core
  std::map<uint32_t, Channel> channels;  // of vector cores, by their number
};

// Asynchronous results are told one by one up to here; the last one tells of all the rest.
constexpr uint32_t answersOneByOne = 14;

// Of the scalar unit: a request travels through global memory.
constexpr uint32_t requestCycles = cleanLineCycles;

// The vector core of a channel asks, and stops until it is answered.
void sendRequest(Object& object, Request request);
void awaitAnswer(const char* instruction);
// Global memory for a matrix on its way to the cube core or back. It is used in turn, and only when nobody needs what is
// there.
GmAddress allocateStaging(const char* instruction, uint32_t bytes);

// The running core stops until `come` says that what it waits for has come.
void waitUntil(const char* instruction, bool (*come)(const Core& self));

}  // namespace npu_emu::matmul
