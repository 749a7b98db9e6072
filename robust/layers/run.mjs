import { runMain } from '../../fixtures/run-sources.mjs'

await runMain(new URL('.', import.meta.url))
