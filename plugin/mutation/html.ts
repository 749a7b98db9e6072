import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { MutationReport } from './report.ts'

const elements = createRequire(import.meta.url).resolve('mutation-testing-elements/mutation-test-elements.js')

/** Source that may stand in a script of a page: no text in it ends the script. */
const inScript = (json: string): string => json.replaceAll('<', String.raw`\u003c`)

/** A page that shows a report: one file, which asks for nothing else and may ask for nothing else. */
export function htmlOf(report: MutationReport): string {
  const script = readFileSync(elements, 'utf8').replaceAll('</script', String.raw`<\/script`)
  const { task, sample, partial } = report.config
  const title = inScript(JSON.stringify(` - ${task} ${sample}${partial ? ' (partial)' : ''}`))
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>Mutation test report</title>
<script>${script}</script>
</head>
<body>
<mutation-test-report-app></mutation-test-report-app>
<script>
const app = document.querySelector('mutation-test-report-app')
app.titlePostfix = ${title}
app.report = ${inScript(JSON.stringify(report))}
</script>
</body>
</html>
`
}
