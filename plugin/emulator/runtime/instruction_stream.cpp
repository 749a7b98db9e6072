#include "instruction_stream.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <new>

#include "device.h"

namespace npu_emu {

namespace {

// Who waits looks again after this long, whoever forgot to wake it.
constexpr timespec longestSleep = {0, 50'000'000};
// What is written is shown to the other side in pieces: each costs both of them a cache miss.
constexpr uint64_t shownBytes = 4096;
constexpr int looksBeforeSleep = 400;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(int), "a futex is a word");

void sleepOn(std::atomic<uint32_t>& flag) {
  syscall(SYS_futex, reinterpret_cast<int*>(&flag), FUTEX_WAIT, 1, &longestSleep, nullptr, 0);
  flag.store(0);
}

void wake(std::atomic<uint32_t>& flag) {
  if (flag.load() == 0) return;
  flag.store(0);
  syscall(SYS_futex, reinterpret_cast<int*>(&flag), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Looks a few times, then sleeps until the other side wakes it.
template <typename Come>
void waitUntil(std::atomic<uint32_t>& sleeps, const Come& come) {
  for (int look = 0; look < looksBeforeSleep; ++look) {
    if (come()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (!come()) {
    sleeps.store(1);
    if (come()) break;
    sleepOn(sleeps);
  }
  sleeps.store(0);
}

}  // namespace

// ---- shared memory -------------------------------------------------------------------------------------------------

int StreamMemory::createFile() {
  const int file = memfd_create("npu-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return file;
  if (ftruncate(file, streamHeaderBytes + streamBytes) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(file);
    return -1;
  }
  return file;
}

StreamMemory::StreamMemory(int file) {
  constexpr size_t all = streamHeaderBytes + 2 * streamBytes;
  void* mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<uint8_t*>(mapped);
  const auto map = [&](uint8_t* to, size_t bytes, off_t from) {
    return mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, from) != MAP_FAILED;
  };
  if (map(base_, streamHeaderBytes + streamBytes, 0) &&
      map(base_ + streamHeaderBytes + streamBytes, streamBytes, streamHeaderBytes) &&
      // no process inherits that of a sibling
      madvise(base_, all, MADV_DONTFORK) == 0)
    return;
  munmap(base_, all);
  throw std::bad_alloc();
}

StreamMemory::~StreamMemory() { munmap(base_, streamHeaderBytes + 2 * streamBytes); }

void StreamMemory::clear() const {
  StreamHeader& shared = header();
  shared.written = 0;
  shared.read = 0;
  shared.deviceSleeps = shared.kernelSleeps = shared.ended = shared.stopped = 0;
}

void StreamMemory::end() const {
  header().ended = 1;
  wake(header().deviceSleeps);
}

void StreamMemory::stop() const {
  header().stopped = 1;
  wake(header().kernelSleeps);
}

// ---- the side of the kernel ----------------------------------------------------------------------------------------

namespace {

struct Writer {
  const StreamMemory* memory = nullptr;
  uint64_t written = 0, shown = 0;
  CallPath place{};
  RecordHeader* header = nullptr;  // of the record that is being written
};

Writer writer;
uint32_t (*tellBefore)() = nullptr;
const CallPath* issuedFrom = nullptr;
RecordChange changeRecord = nullptr;

void show() {
  StreamHeader& shared = writer.memory->header();
  shared.written.store(writer.written);
  writer.shown = writer.written;
  wake(shared.deviceSleeps);
}

bool isStopped() { return writer.memory->header().stopped.load(std::memory_order_relaxed) != 0; }

// The device has ended the launch: nothing that the kernel still does matters.
void leaveLaunch() {
  device.trapped = true;
  leaveFiber(core->fiber);
  __builtin_unreachable();
}

bool hasRoom() {
  return writer.written + recordLimit - writer.memory->header().read.load(std::memory_order_acquire) <= streamBytes;
}

void makeRoom() {
  show();
  waitUntil(writer.memory->header().kernelSleeps, [] { return hasRoom() || isStopped(); });
}

uint8_t placesOf(const CallPath& place) {
  uint8_t count = 0;
  while (count < place.size() && place[count] != nullptr) ++count;
  return count;
}

}  // namespace

void beginStream(const StreamMemory& memory) {
  writer = {&memory, 0, 0, {}, nullptr};
  issuedFrom = nullptr;
}

void endStream() {
  show();
  writer.memory = nullptr;
}

bool isIssuing() { return writer.memory != nullptr; }

void setBeforeRecords(uint32_t (*tell)()) { tellBefore = tell; }
void setIssuedFrom(const CallPath* place) { issuedFrom = place; }
void setRecordChange(RecordChange change) { changeRecord = change; }

WireWriter beginRecord(uint16_t call, const CallPath& place) {
  const uint32_t code = tellBefore == nullptr || core == nullptr ? 0 : tellBefore();
  if (!hasRoom()) makeRoom();
  if (isStopped() && core != nullptr) leaveLaunch();
  uint8_t* at = writer.memory->records() + writer.written % streamBytes;
  writer.header = reinterpret_cast<RecordHeader*>(at);
  *writer.header = {0, call, 0, samePlaces, 0, code, core == nullptr ? 0 : core->number};
  WireWriter record(at);
  record.plain(*writer.header);
  if (place != writer.place) {
    const uint8_t count = placesOf(place);
    record.bytes(place.data(), count * static_cast<uint32_t>(sizeof(void*)));
    writer.header->places = count;
    writer.place = place;
  }
  return record;
}

WireWriter beginRecord(uint16_t call) {
  if (issuedFrom != nullptr) return beginRecord(call, *issuedFrom);
  return beginRecord(call, core == nullptr ? CallPath() : callPath(core->fiber));
}

void endRecord(const WireWriter& record) {
  const uint32_t length = record.length(), whole = (length + 7) / 8 * 8;
  writer.header->bytes = static_cast<uint16_t>(whole);
  writer.header->unused = static_cast<uint8_t>(whole - length);
  writer.written += __builtin_expect(changeRecord == nullptr, 1)
                        ? whole
                        : changeRecord(reinterpret_cast<uint8_t*>(writer.header), whole);
  if (writer.written - writer.shown >= shownBytes) show();
}

// ---- the side of the device ----------------------------------------------------------------------------------------

bool StreamReader::waitForBytes(uint64_t count) {
  StreamHeader& shared = memory_.header();
  const auto available = [&] { return shared.written.load(std::memory_order_acquire) - read_; };
  if (available() < count) {
    shared.read.store(told_ = read_);
    wake(shared.kernelSleeps);
    waitUntil(shared.deviceSleeps, [&] { return available() >= count || shared.ended.load() != 0; });
  }
  const uint64_t now = available();
  if (now > streamBytes) problem_ = "more was written than fits";
  else if (now < count) problem_ = "it ends before the kernel does";
  else return true;
  return false;
}

bool StreamReader::next(Record& record) {
  if (!waitForBytes(sizeof(RecordHeader))) return false;
  const uint8_t* at = memory_.records() + read_ % streamBytes;
  RecordHeader header;
  std::memcpy(&header, at, sizeof header);
  const bool same = header.places == samePlaces;
  const uint32_t places = same ? 0 : header.places;
  const auto used = static_cast<uint32_t>(sizeof header + places * sizeof(void*) + header.unused);
  if (header.bytes % 8 != 0 || header.bytes > recordLimit || places > place_.size() || header.unused >= 8 ||
      header.bytes < used) {
    problem_ = "a record has no proper header";
    return false;
  }
  if (!waitForBytes(header.bytes)) return false;
  std::memcpy(record_, at, header.bytes);
  if (!same) {
    place_ = {};
    std::memcpy(place_.data(), record_ + sizeof header, places * sizeof(void*));
  }
  record = {header.call, header.core, header.code, record_ + sizeof header + places * sizeof(void*),
            header.bytes - used};
  read_ += header.bytes;
  // the kernel waits for room only when there is none: it is told now and then
  if (read_ - told_ > streamBytes / 4) {
    memory_.header().read.store(told_ = read_);
    wake(memory_.header().kernelSleeps);
  }
  return true;
}

}  // namespace npu_emu
