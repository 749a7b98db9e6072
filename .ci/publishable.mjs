// Run by `npm publish` before it publishes: the package has to say where its sources are.
import { readFileSync } from 'node:fs'

const { repository } = JSON.parse(readFileSync(process.argv[2] ?? 'package.json', 'utf8'))
const url = typeof repository === 'string' ? repository : repository?.url
if (!url) {
  console.error('package.json has no "repository": set it to the public address of the sources, then publish')
  process.exit(1)
}
