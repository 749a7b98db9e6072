// Builds the emulator with each compiler named; '' is the one that is found first.
import { availableParallelism } from 'node:os'
import { Cache } from '../dist/cache/cache.js'
import { Semaphore } from '../dist/process/semaphore.js'
import { findCompiler } from '../dist/toolchain/compiler.js'
import { Runtime } from '../dist/toolchain/runtime.js'

const cache = new Cache(process.env.NPU_CACHE_DIR)
const semaphore = new Semaphore(availableParallelism())
for (const name of process.argv.slice(2)) {
  const compiler = await findCompiler({ ...process.env, NPU_CXX: name })
  await new Runtime(compiler, cache, semaphore, (line) => console.log(line)).files()
}
