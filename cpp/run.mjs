import { runMain } from '../run-sources.mjs'

await runMain(new URL('.', import.meta.url))
