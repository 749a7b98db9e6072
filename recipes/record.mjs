// Records which arguments the training projects take: names alone, with repository, revision and file, in arguments.json.
//
//   node recipes/record.mjs huggingface/trl=<folder>@v1.13.0 NVIDIA/Megatron-LM=<git directory>@core_v0.12.1 ...
//
// Sources that are not named keep what is recorded of them. A folder is what a release holds; of a git directory the
// commit is recorded.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const file = new URL('arguments.json', import.meta.url)
const matches = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name)

/** How the names are written in a file: fields of data classes, options of a command line, keys of a configuration. */
const forms = {
  fields: (text) => matches(text.replace(/"""[^]*?"""/g, ''), /^ {4}([a-z]\w*): [^=\n]+(?:=|$)/gm),
  options: (text) => matches(text, /["']--([A-Za-z][\w-]*)["']/g),
  keys: (text) => keysOf(parse(text)),
  reads: (text) =>
    matches(text, /reward_fn_config\.get\("(\w+)"/g).map((name) => `reward.custom_reward_function.${name}`),
}

const keysOf = (value, path = []) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, each]) => keysOf(each, [...path, key]))
    : [path.join('.')]

const byCodeUnit = (a, b) => (a < b ? -1 : 1)

/** What no recipe sets: it would be most of the list. */
const isNoise = (name) =>
  /\.(?:_target_$|profiler\.|turbo_config\.|qat\.)|^(?:critic|distillation|skip|global_profiler)\./.test(name)

function textOf(place, revision, path) {
  if (existsSync(join(place, 'HEAD')))
    return execFileSync('git', [`--git-dir=${place}`, 'show', `${revision}:${path}`], {
      maxBuffer: 64 << 20,
    }).toString()
  // wheels have no src/
  const found = [path, path.replace(/^src\//, '')].find((each) => existsSync(join(place, each)))
  return readFileSync(join(place, found ?? path), 'utf8')
}

const commitOf = (place, revision) =>
  existsSync(join(place, 'HEAD'))
    ? execFileSync('git', [`--git-dir=${place}`, 'rev-parse', `${revision}^{commit}`])
        .toString()
        .trim()
    : revision

const recorded = JSON.parse(readFileSync(file, 'utf8'))
for (const given of process.argv.slice(2)) {
  const [, repository, place, revision] = /^([^=]+)=(.+)@([^@]+)$/.exec(given) ?? []
  const sources = recorded.sources.filter((source) => source.repository === repository)
  if (sources.length === 0)
    throw new Error(`${given}: is not <repository>=<place>@<revision> of a source in arguments.json`)
  for (const source of sources) {
    source.revision = commitOf(place, revision)
    const names = forms[source.form](textOf(place, revision, source.file))
    source.names = [...new Set(names)].filter((name) => !isNoise(name)).sort(byCodeUnit)
    if (source.names.length === 0) throw new Error(`${source.file}: no names`)
  }
}
writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
