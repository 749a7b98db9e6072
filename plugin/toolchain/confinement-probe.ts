import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { InfrastructureError } from '../model/index.ts'
import { runProcess } from '../process/run-process.ts'
import type { Compiler } from './compiler.ts'

/** Asks the kernel what the confinement asks it for, without the emulator, which takes minutes to build. */
const source = `#include <cstdio>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int main() {
  // landlock_create_ruleset, by its number, which older headers do not have; 1: asks for the version
  const long landlock = syscall(444, nullptr, 0, 1);
  unsigned killing = SECCOMP_RET_KILL_PROCESS;
  const bool seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &killing) == 0;
  const bool namespaces = unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0 || unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0;
  std::printf("{\\"landlock\\": %ld, \\"seccomp\\": %s, \\"namespaces\\": %s}\\n", landlock < 0 ? 0 : landlock, seccomp ? "true" : "false",
              namespaces ? "true" : "false");
}
`

const answer = z.object({
  /** version of its interface; 0: the kernel has none */
  landlock: z.int(),
  seccomp: z.boolean(),
  /** of network and messages: a further layer, which nothing depends on */
  namespaces: z.boolean(),
})

export type ConfinementOfKernel = z.infer<typeof answer>

/** What the kernel of this machine has for the confinement. Rejects with `InfrastructureError` where it cannot be asked. */
export async function probeConfinement({ path }: Pick<Compiler, 'path'>): Promise<ConfinementOfKernel> {
  const folder = await mkdtemp(join(tmpdir(), 'npu-probe-'))
  try {
    await writeFile(join(folder, 'probe.cpp'), source)
    const compiled = await runProcess([path, '-std=c++17', 'probe.cpp', '-o', 'probe'], {
      cwd: folder,
      timeoutMs: 60_000,
    })
    if (compiled.exitCode !== 0)
      throw new InfrastructureError(
        `${path} cannot build a program for this machine: ${compiled.stderr.split('\n').find((line) => line !== '') ?? ''}`,
      )
    const { stdout } = await runProcess([join(folder, 'probe')], { timeoutMs: 20_000 })
    return answer.parse(JSON.parse(stdout))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
