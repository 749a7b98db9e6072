import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

/** Runs `main` of a folder's main.ts with the plugin's sources as they are: Vite, which Vitest brings along, turns TypeScript into JavaScript. */
export async function runMain(folder, aliases = []) {
  const { module } = await runnerImport(fileURLToPath(new URL('main.ts', folder)), {
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: aliases },
  })
  await module.main(process.argv.slice(2))
}
