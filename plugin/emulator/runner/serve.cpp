#include "serve.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "host.h"
#include "lockdown.h"
#include "redirect_calls.h"

namespace npu_runner {

namespace {

constexpr size_t tokenBytes = 16;
constexpr size_t requestLimit = size_t(256) << 20;

struct Loaded {
  std::vector<std::unique_ptr<Library>> libraries;
  // why loading failed: every request gets the same answer
  std::optional<std::string> error;
};

// Static initialisers run here: candidate code from now on.
Loaded load(const std::vector<std::string>& paths, Role role) {
  Loaded loaded;
  try {
    for (const std::string& path : role == Role::Device ? std::vector<std::string>() : paths)
      loaded.libraries.push_back(path.empty() ? nullptr : std::make_unique<Library>(path));
    if (role == Role::Kernel) {
      redirectCalls(libraryOfKernels(), false);
      for (const auto& library : loaded.libraries)
        if (library) redirectCalls(*library->map(), true);
      for (const auto& library : loaded.libraries)
        if (library) library->snapshot();
    }
  } catch (const Rejected& rejected) {
    loaded.error = rejected.message;
  } catch (const std::exception& error) {
    loaded.error = std::string("loading the library threw: ") + error.what();
  }
  // Leaving early is reported with its status. Destructors of static objects must not run then: the stack they would
  // run on may be one of those they free.
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        std::_Exit(status);
      },
      nullptr);
  if (!lockDownForRunning()) std::_Exit(125);
  return loaded;
}

Json answer(Role role, const std::string& text, const Loaded& loaded, std::vector<Descriptor> files) {
  if (loaded.error) throw Rejected{*loaded.error};
  const Json request = Json::parse(text);
  const std::string& op = request.at("op").string("op");
  if (role == Role::Device) return launchOnDevice(request, std::move(files));
  if (op == "describe") return describe(request);
  if (op == "tile") return tileCase(request);
  if (op == "tilings") return tileCases(request);
  if (op == "infer") return inferCase(request);
  return runKernel(request, loaded.libraries.at(0).get(), loaded.libraries.at(1).get(), std::move(files));
}

Json reply(Role role, const std::string& text, const Loaded& loaded, std::vector<Descriptor> files) {
  const auto rejected = [](const std::string& message) {
    return JsonObject{{"ok", false}, {"failure", JsonObject{{"kind", "rejected"}, {"message", message}}}};
  };
  try {
    return answered(answer(role, text, loaded, std::move(files)));
  } catch (const Rejected& error) {
    return rejected(error.message);
  } catch (const npu_emu::host::HostError& error) {
    return rejected(error.message);
  } catch (const JsonError& error) {
    return rejected("request: " + error.message);
  } catch (const std::bad_alloc&) {
    return rejected("out of memory: the memory limit was reached");
  } catch (const std::exception& error) {
    return rejected(std::string("an exception left the candidate's code: ") + error.what());
  }
}

}  // namespace

void serve(Role role, const std::vector<std::string>& paths) {
  // What was printed before a crash must be in the log.
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  std::optional<Loaded> loaded;
  // It may have been started ahead of its request. A kernel's library is loaded within the time of the first launch.
  if (role == Role::Host) loaded = load(paths, role);
  while (true) {
    std::string message;
    std::vector<Descriptor> files;
    if (receiveMessage(socketFd, message, files, requestLimit, {}) != Transfer::Done) std::_Exit(0);
    if (message.size() < tokenBytes) std::_Exit(0);
    if (!loaded) loaded = load(paths, role);
    const Json result = reply(role, message.substr(tokenBytes), *loaded, std::move(files));
    std::fflush(nullptr);
    sendMessage(socketFd, message.substr(0, tokenBytes) + result.dump(), {}, {});
  }
}

}  // namespace npu_runner
