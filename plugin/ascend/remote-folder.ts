import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { InfrastructureError } from '../model/index.ts'
import type { Machine } from './machine.ts'

/** A file to be written on the machine: its path below the folder, and what it holds. */
export interface PlacedFile {
  path: string
  content: string | Uint8Array
}

const shortLimitMs = 60_000

/** Runs a command that has to succeed. Rejects with `InfrastructureError` where it does not. */
export async function succeed(machine: Machine, argv: readonly [string, ...string[]], timeoutMs = shortLimitMs) {
  const result = await machine.run(argv, { timeoutMs })
  if (result.exitCode === 0) return result.stdout
  const said = result.timedOut ? `no end within ${timeoutMs / 1000} s` : result.stderr.trim() || result.stdout.trim()
  throw new InfrastructureError(`${argv[0]} failed on ${machine.name}: ${said.split('\n').slice(-3).join(' / ')}`)
}

/** Writes files into a folder on the machine. */
export async function sendFiles(machine: Machine, files: readonly PlacedFile[], to: string): Promise<void> {
  const local = mkdtempSync(join(tmpdir(), 'npu-ascend-send-'))
  try {
    for (const { path, content } of files) {
      mkdirSync(dirname(join(local, path)), { recursive: true })
      writeFileSync(join(local, path), content)
    }
    await machine.send(local, to)
  } finally {
    rmSync(local, { recursive: true, force: true })
  }
}

/**
 * Folders on the machine that are named by everything that went into them. Each is made beside its place and renamed, so that
 * it is complete or not there, whoever else makes it at the same time.
 */
export class RemoteFolders {
  readonly #machine: Machine
  readonly #making = new Map<string, Promise<string>>()

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** The folder of a kind and key; `make` fills an empty one where there is none. What it throws leaves nothing. */
  async entry(
    kind: string,
    key: string,
    make: (folder: string) => Promise<void>,
  ): Promise<{ path: string; made: boolean }> {
    const path = join(await this.#machine.folder(), kind, key)
    const running = this.#making.get(path)
    if (running) return { path: await running, made: false }
    let made = false
    const work = this.#make(path, async (folder) => {
      made = true
      await make(folder)
    }).finally(() => this.#making.delete(path))
    this.#making.set(path, work)
    return { path: await work, made }
  }

  async #make(path: string, make: (folder: string) => Promise<void>): Promise<string> {
    const found = await this.#machine.run(['test', '-d', path], { timeoutMs: shortLimitMs })
    if (found.exitCode === 0) return path
    const draft = `${path}.tmp-${randomBytes(6).toString('hex')}`
    await succeed(this.#machine, ['mkdir', '-p', draft])
    try {
      await make(draft)
      // -T: into its place, and not below a folder that somebody else has made meanwhile
      const moved = await this.#machine.run(['mv', '-T', draft, path], { timeoutMs: shortLimitMs })
      if (moved.exitCode !== 0) await succeed(this.#machine, ['test', '-d', path])
    } finally {
      await this.#machine.run(['rm', '-rf', draft], { timeoutMs: shortLimitMs }).catch(() => {})
    }
    return path
  }
}
