// The instruction stream: what a kernel asks of the device, call by call, through memory that two processes share.
//
// A record is a header, the return addresses of the kernel that led to the call where they differ from those of the
// record before, and the arguments (wire.h). Records of all cores follow each other in the order in which the cores
// run, which is the same on both sides. The side of the device believes nothing that is in the shared memory: it
// copies a record before it looks at it, and ends the launch where one does not fit.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "call_path.h"
#include "wire.h"

namespace npu_emu {

// Raised whenever records change.
constexpr uint32_t streamVersion = 2;

// What both processes map, followed by the records. Mapped twice in a row, so that no record is cut.
struct StreamHeader {
  std::atomic<uint64_t> written, read;  // bytes, since the launch began
  std::atomic<uint32_t> deviceSleeps, kernelSleeps;
  std::atomic<uint32_t> ended;    // nothing more will be written
  std::atomic<uint32_t> stopped;  // nothing more will be read
};
constexpr uint32_t streamHeaderBytes = 4096, streamBytes = 1 << 20;
static_assert(sizeof(StreamHeader) <= streamHeaderBytes && std::atomic<uint64_t>::is_always_lock_free);

struct RecordHeader {
  uint16_t bytes;  // of all, a multiple of 8
  uint16_t call;   // the number of the function, or one of those below
  uint16_t reserved;
  uint8_t places;  // return addresses that follow; `samePlaces`: those of the record before
  uint8_t unused;  // of `bytes`
  uint32_t code;   // cycles of the kernel's own code since the record before
  uint32_t core;
};
constexpr uint8_t samePlaces = 255;
constexpr uint16_t firstOwnRecord = 0xFF00;
enum OwnRecord : uint16_t {
  LaunchBegins = firstOwnRecord,  // how the kernel was built
  CoreEnds,                       // the kernel has returned
  FunctionEnds,                   // a function of the kernel that the library has called has returned
  KernelTraps,                    // the kernel cannot go on, for a reason that only its process can see
  Constants                       // memory of the kernel that instructions read
};

// Shared memory of a stream, mapped.
class StreamMemory {
 public:
  // Throws std::bad_alloc.
  explicit StreamMemory(int file);
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  StreamHeader& header() const { return *reinterpret_cast<StreamHeader*>(base_); }
  uint8_t* records() const { return base_ + streamHeaderBytes; }
  void clear() const;
  // Says that nothing more will be written or read, and wakes who waits.
  void end() const;
  void stop() const;

  // A file of the right size that cannot change it; below 0: errno says why.
  static int createFile();

 private:
  uint8_t* base_;
};

// ---- the side of the kernel ----------------------------------------------------------------------------------------

// Begins the records of a launch.
void beginStream(const StreamMemory& memory);
// Hands over what is written. The stream is over.
void endStream();
// Whether this process holds a kernel, and writes down what it does.
bool isIssuing();

// What is called before each record, as code of the kernel may have stored something that the device has to be told of
// first. Returns the cycles that code of the kernel has taken since the last time.
void setBeforeRecords(uint32_t (*tell)());
// Where what is issued comes from, instead of the calls that have led there; null: from there.
void setIssuedFrom(const CallPath* place);

// What becomes of a record before it is handed over, for tests of the device: it may be changed and have other bytes, at most
// `recordLimit`; of 0 it is left out. Null: it stays as it is. The kernel goes on as if it were what it has issued.
using RecordChange = uint32_t (*)(uint8_t* record, uint32_t bytes);
void setRecordChange(RecordChange change);

// A record of the running core, from the place in the kernel where it is.
WireWriter beginRecord(uint16_t call);
// With a place that is known.
WireWriter beginRecord(uint16_t call, const CallPath& place);
void endRecord(const WireWriter& record);

// ---- the side of the device ----------------------------------------------------------------------------------------

class StreamReader {
 public:
  explicit StreamReader(const StreamMemory& memory) : memory_(memory) {}

  struct Record {
    uint16_t call;
    uint32_t core, code;
    const uint8_t* arguments;
    uint32_t argumentBytes;
    WireReader reader() const { return WireReader(arguments, argumentBytes); }
  };
  // The next record, after waiting for it; false: there is none, and `problem` says why. The content holds until the
  // next call.
  bool next(Record& record);

  // Where in the kernel the last record was issued.
  const CallPath& place() const { return place_; }
  const char* problem() const { return problem_; }

 private:
  bool waitForBytes(uint64_t count);

  const StreamMemory& memory_;
  uint64_t read_ = 0, told_ = 0;
  CallPath place_{};
  const char* problem_ = "";
  alignas(8) uint8_t record_[recordLimit];
};

}  // namespace npu_emu
