import type { BuildArgs, BuildResult } from '../plugin/model/index.ts'
import { ServiceClient } from '../plugin/service/client.ts'
import { KernelService } from '../plugin/service/index.ts'
import { emulator } from '../plugin/targets/emulator.ts'
import type { EmulatorArtifact } from '../plugin/toolchain/artifact.ts'

/** A service and one worker's connection to it, as in a run. */
export interface Machine {
  service: KernelService<EmulatorArtifact>
  client: ServiceClient
}

const onProgress = (line: string): void => console.log(`  ${line}`)

/** Starts a service for `work` and closes it afterwards, whatever happens. */
export async function withMachine<T>(
  cacheDir: string,
  work: (machine: Machine) => Promise<T>,
  soc = 'Ascend910B2',
): Promise<T> {
  const target = emulator.create({ cacheDir, soc, jobs: 2, onProgress })
  const service = new KernelService({ target, cacheDir, jobs: 2 })
  await service.start()
  const client = new ServiceClient(service.path)
  try {
    return await work({ service, client })
  } finally {
    client.close()
    await service.close()
  }
}

/** The artifact of a build. Throws with the tool's output when it fails. */
export async function artifactOf({ client }: Machine, args: BuildArgs): Promise<Extract<BuildResult, { ok: true }>> {
  const built = await client.call('build', args)
  if (built.ok) return built
  throw new Error(built.verdict.kind === 'compile-failed' ? built.verdict.log : built.verdict.message)
}
