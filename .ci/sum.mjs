// node .ci/sum.mjs <folder> [failed step]...
//
// Sums the JSON reports of Vitest in a folder, names the tests that failed, and ends with one plain line. There are at least
// as many failures as failed steps, whether or not a step has tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '.', ...failedSteps] = process.argv.slice(2)

/** The names of the tests of a report that failed, and of the files that could not be collected. */
const failures = ({ testResults }) =>
  testResults.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    if (tests.length === 0 && status === 'failed') return [name]
    return tests.map(({ fullName }) => `${name}: ${fullName}`)
  })

let passed = 0
let failed = 0
for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  passed += report.numPassedTests
  // a file that could not be collected has no failed test
  const own = Math.max(report.numFailedTests, report.success ? 0 : 1)
  failed += own
  for (const failure of failures(report)) console.log(`FAILED ${failure}`)
  console.log(
    `${name.replace('.json', '')}: ${report.numPassedTests} passed, ${own} failed, ${report.numPendingTests} skipped`,
  )
}
if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join('; ')}`)
failed = Math.max(failed, failedSteps.length)
if (passed === 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
