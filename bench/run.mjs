import { fileURLToPath } from 'node:url'
import { runMain } from '../fixtures/run-sources.mjs'

const replacement = fileURLToPath(new URL('collect-tasks.ts', import.meta.url))
await runMain(new URL('.', import.meta.url), [{ find: /^vitest-npu$/, replacement }])
