// System call filters, written as plain BPF: an allow-list, everything else kills the process.
#pragma once

namespace npu_runner {

// While libraries are loaded: files may be opened for reading, code may be mapped.
bool allowLoading();
// While candidate code runs: memory, time, its log and the socket. Cannot be undone.
bool forbidLoading();

}  // namespace npu_runner
