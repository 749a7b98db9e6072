import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { eventsWithin, fetchEvents } from './server-fetch.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** The address of a server that sends this over and over, up to so many MiB. */
async function sending(text: string, mebibytes: number): Promise<string> {
  const piece = text.repeat(Math.ceil((1 << 20) / text.length))
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let left = mebibytes
    const more = (): void => {
      while (left-- > 0) if (!response.write(piece)) return void response.once('drain', more)
      response.end()
    }
    more()
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}/`
}

const bytesOf = async (url: string): Promise<number> => (await (await fetchEvents(url)).arrayBuffer()).byteLength

test('an event ends at an empty line, and not before', async () => {
  await expect(bytesOf(await sending('data: x\n', 40))).rejects.toThrow('an event is longer than 16 MiB')
}, 60_000)

test.each(['\n', '\r\n', '\r'])(
  'events that end are taken, whatever ends their lines: %j',
  async (end) => {
    expect(await bytesOf(await sending(`data: x${end}${end}`, 20))).toBeGreaterThanOrEqual(20 << 20)
  },
  60_000,
)

test.each(['\n', '\r\n', '\r'])(
  'a line end is no empty line: %j',
  async (end) => {
    await expect(bytesOf(await sending(`data: x${end}`, 20))).rejects.toThrow('an event is longer than 16 MiB')
  },
  60_000,
)

test('a stream of events that say nothing ends as well', async () => {
  const url = await sending(': nothing\n\n', 8)
  const response = await eventsWithin({ eventBytes: 1 << 20, streamBytes: 2 << 20 }, [url])
  await expect(response.arrayBuffer()).rejects.toThrow('an answer is longer than 2 MiB')
})
