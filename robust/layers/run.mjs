// Runs robust/layers/main.ts with the plugin's sources as they are: Vite, which Vitest brings along, turns TypeScript into JavaScript.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const { module } = await runnerImport(here('main.ts'), { root: here('../..'), configFile: false, logLevel: 'warn' })
await module.main(process.argv.slice(2))
