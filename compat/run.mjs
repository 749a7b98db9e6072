// Is the packed package all that a user needs? Packs it as last built, installs the tarball into empty projects with
// Vitest 4 on this Node and with Vitest 5 on Node 24, and judges the operator of compat/project there: as it is, and
// broken in two ways.
//
//   node compat/run.mjs [vitest4] [vitest5]       NPU_COMPAT_REPORTS: folder that gets the JSON reports of the good runs
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const repository = join(here, '..')
const reports = process.env['NPU_COMPAT_REPORTS']

/** @type {Record<string, { packages: string[], node?: string }>} */
const environments = {
  vitest4: { packages: ['vitest@~4.1.0'] },
  // the package `node` brings a whole Node: in a project of its own it serves that project alone
  vitest5: { packages: ['vitest@^5.0.0'], node: 'node@24' },
}

const kernel = 'candidates/ScaleCustom/op_kernel/scale_custom.cpp'
const runLimitMs = 900_000

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function must(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: runLimitMs,
  })
}

/**
 * @param {boolean} good
 * @param {string} what
 * @param {string} shown
 */
function expect(good, what, shown) {
  console.log(`  ${good ? 'ok  ' : 'FAIL'} ${what}`)
  if (good) return
  console.log(shown)
  process.exitCode = 1
}

/** @param {string} folder */
function pack(folder) {
  const [{ filename }] = JSON.parse(
    must('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], repository),
  )
  return join(folder, filename)
}

/** A project as a user would start it: its own files and the packages, nothing of this repository.
 * @param {string} name
 * @param {string} folder
 * @param {string} tarball
 */
function install(name, folder, tarball) {
  const { packages, node } = environments[name] ?? { packages: [] }
  cpSync(join(here, 'project'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-user", "private": true, "type": "module" }\n')
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // Vitest 5 refuses the Node that installs it; the one that runs it is in the same project
  const engine = node ? ['--engine-strict=false'] : []
  must('npm', ['install', ...quiet, ...engine, '--ignore-scripts', tarball, ...packages], folder)
  if (!node) return process.execPath
  must('npm', ['install', ...quiet, ...engine, node], folder)
  const binary = join(folder, 'node_modules/node/bin/node')
  if (!existsSync(binary)) throw new Error(`${node} brought no ${binary}`)
  return binary
}

/**
 * @param {string} node
 * @param {string} folder
 * @param {string} json
 * @param {string[]} more
 */
function run(node, folder, json, more = []) {
  rmSync(join(folder, '.npu'), { recursive: true, force: true })
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const args = [
    vitest,
    'run',
    '--project',
    'level1',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${json}`,
    ...more,
  ]
  const env = { ...process.env, CI: 'true', NO_COLOR: '1', NPU_CACHE_DIR: cacheDir }
  const done = spawnSync(node, args, { cwd: folder, env, encoding: 'utf8', timeout: runLimitMs })
  const ledger = join(folder, '.npu/ledger.jsonl')
  const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []
  const kinds = lines.map((line) => JSON.parse(line).verdict.kind)
  return { status: done.status, text: done.stdout + done.stderr, kinds }
}

/** Calls the command line of the package.
 * @param {string} node
 * @param {string} folder
 * @param {string[]} args
 */
function call(node, folder, args) {
  const bin = join(folder, 'node_modules/.bin/vitest-npu')
  const env = { ...process.env, NPU_CACHE_DIR: cacheDir }
  const done = spawnSync(node, [bin, ...args], { cwd: folder, env, encoding: 'utf8', timeout: runLimitMs })
  return { status: done.status, text: done.stdout + done.stderr }
}

/** What a script of the project reads from the ledger, with the module of the package for that.
 * @param {string} node
 * @param {string} folder
 */
function readByScript(node, folder) {
  const script = `import { metricsOf, readLedger, select } from 'vitest-npu/ledger'
    const entries = readLedger('.npu/ledger.jsonl')
    const { tasks, correctRate } = metricsOf(select(entries, { suite: 'npukernelbench', group: 'level1' }))
    console.log(JSON.stringify({ versions: [...new Set(entries.map(({ v }) => v))], tasks, correctRate }))`
  writeFileSync(join(folder, 'read-ledger.mjs'), script)
  return must(node, ['read-ledger.mjs'], folder).trim()
}

/**
 * @param {string} folder
 * @param {string} from
 * @param {string} to
 */
function edit(folder, from, to) {
  const path = join(folder, kernel)
  const text = readFileSync(join(here, 'project', kernel), 'utf8')
  if (!text.includes(from)) throw new Error(`${kernel} does not contain ${from}`)
  writeFileSync(path, text.replace(from, to))
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {string} node
 */
function check(name, folder, node) {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/vitest/package.json'), 'utf8'))
  console.log(`${name}: Vitest ${version}, Node ${must(node, ['--version'], folder).trim()}`)
  if (reports) mkdirSync(reports, { recursive: true })
  const good = run(node, folder, join(reports ?? folder, `compat-${name}.json`))
  expect(good.status === 0, 'a right candidate passes', good.text)
  expect(/level1 +1 +1 +100\.0% +100\.0% +100\.0%/.test(good.text), 'the table says so', good.text)
  expect(
    good.kinds.length === 6 && good.kinds.every((kind) => kind === 'correct'),
    'the ledger says so',
    good.kinds.join(),
  )

  const read = readByScript(node, folder)
  expect(read === '{"versions":[3],"tasks":1,"correctRate":1}', 'a script reads the ledger', read)
  const schema = join(folder, 'node_modules/vitest-npu/schemas/ledger-v3.schema.json')
  expect(existsSync(schema), 'the schema of its lines is part of the package', schema)

  const again = run(node, folder, join(folder, 'again.json'))
  expect(/ (\d+) of \1 verdicts are remembered/.test(again.text), 'a second run judges nothing again', again.text)

  const provider = ['enabled', 'provider=custom', 'customProviderModule=vitest-npu/coverage', 'reporter=text']
  const more = provider.map((option) => `--coverage.${option}`)
  const covered = run(node, folder, join(folder, 'covered.json'), more)
  expect(/scale_custom\.cpp +\| +100 /.test(covered.text), 'a run reports the coverage of its kernels', covered.text)

  const own = call(node, folder, ['tasks'])
  expect(/^level1 +Math +ScaleCustom /.test(own.text), 'the command line lists the tasks of the project', own.text)

  const mutants = call(node, folder, ['mutate', 'ScaleCustom', 'candidates', '--sample', '4', '--seed', '1'])
  const page = join(folder, 'reports/mutation/mutation.html')
  expect(mutants.status === 0 && existsSync(page), 'the command line judges mutants of a candidate', mutants.text)
  expect(/^mutation score: [\d.]+ %$/m.test(mutants.text), 'it says how many are noticed', mutants.text)

  edit(folder, 'for (uint32_t offset = 0; offset < length;', 'for (uint32_t offset = 0; offset + 7 < length;')
  const wrong = run(node, folder, join(folder, 'wrong.json'))
  expect(wrong.status === 1, 'a candidate that leaves a tail out fails', wrong.text)
  // inputs are random: what was not written may be a number or an infinity
  expect(
    wrong.kinds.some((kind) => kind.startsWith('wrong-')),
    'the ledger says that it is wrong',
    wrong.kinds.join(),
  )
  expect(/never wrote 4 bytes of y/.test(wrong.text), 'the message says that bytes were never written', wrong.text)
  expect(/reproduce: NPU_REPLAY=/.test(wrong.text), 'the message says how to see it again', wrong.text)

  edit(folder, 'Muls(out, in,', 'Mulls(out, in,')
  const broken = run(node, folder, join(folder, 'broken.json'))
  expect(broken.status === 1, 'a candidate that does not compile fails', broken.text)
  expect(broken.kinds.includes('compile-failed'), 'the ledger says compile-failed', broken.kinds.join())
  expect(
    /scale_custom\.cpp:30/.test(broken.text) && /Mulls/.test(broken.text),
    'the message names line and word',
    broken.text,
  )

  // without specs of its own, a project gets the tasks of the package
  rmSync(join(folder, 'tasks'), { recursive: true })
  const operator = 'node_modules/vitest-npu/references/baseline/AddCustom'
  cpSync(join(folder, operator), join(folder, 'candidates/AddCustom'), { recursive: true })
  const packaged = run(node, folder, join(folder, 'packaged.json'), ['-t', 'AddCustom'])
  expect(packaged.status === 0, 'the packaged tasks judge a candidate', packaged.text)
  const all = call(node, folder, ['tasks'])
  expect(/ RmsNorm /.test(all.text) && all.status === 0, 'the command line lists the packaged tasks', all.text)
  const inputs = call(node, folder, ['inputs', 'RmsNorm', '--case', '5', '--seed', '3', '--out', 'drawn'])
  expect(inputs.status === 0, 'the command line draws inputs', inputs.text)
  const golden = call(node, folder, ['golden', 'RmsNorm', '--in', 'drawn/manifest.json', '--out', 'golden'])
  const shapes = 'y.npy: float32[1, 2, 8]\nrstd.npy: float32[1, 2, 1]\n'
  expect(golden.text === shapes && golden.status === 0, 'the command line answers them', golden.text)
  expect(
    packaged.kinds.length >= 7 && packaged.kinds.every((kind) => kind === 'correct'),
    'the ledger holds its verdicts',
    packaged.kinds.join(),
  )
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in environments))
if (unknown.length > 0)
  throw new Error(`no environment ${unknown.join(', ')}; there are ${Object.keys(environments).join(', ')}`)
const scratch = mkdtempSync(join(tmpdir(), 'npu-compat-'))
const cacheDir = process.env['NPU_CACHE_DIR'] || join(scratch, 'cache')
try {
  const tarball = pack(scratch)
  for (const name of Object.keys(environments)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const folder = join(scratch, name)
    check(name, folder, install(name, folder, tarball))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
