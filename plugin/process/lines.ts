import type { Readable } from 'node:stream'

/**
 * Calls `on` for each line that arrives, of any length. A line ends with a line feed and nothing else: `node:readline` takes other
 * characters for ends as well, and JSON may hold some of them.
 */
export function onLines(stream: Readable, on: (line: string) => void): void {
  let rest: string[] = []
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const whole = rest.join('') + line
      rest = []
      on(whole)
    }
    if (last !== '') rest.push(last)
  })
}
