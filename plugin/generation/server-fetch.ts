/** Bytes of one event of a stream: a server that sends no line end would fill the memory. Bytes of all, whatever they hold. */
const most = { eventBytes: 16 << 20, streamBytes: 256 << 20 }

/** Bytes that are read of what a server says of an error. */
const maxErrorBytes = 64 << 10

/** What answers is no server of this kind. */
export class NotAServerError extends Error {
  override name = 'NotAServerError'
}

/**
 * `fetch` that takes nothing for a stream of events but one, ends a stream whose events have no end, and reads no more than the
 * beginning of an error.
 */
export const fetchEvents = (...args: Parameters<typeof fetch>): Promise<Response> => eventsWithin(most, args)

/** The same with other limits. */
export async function eventsWithin(limits: typeof most, args: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...args)
  if (!response.body) return response
  if (!response.ok) return beginningOf(response, response.body)
  const type = response.headers.get('content-type') ?? 'no content type'
  if (!type.startsWith('text/event-stream')) {
    await response.body.cancel()
    throw new NotAServerError(`answers with ${type} in place of text/event-stream`)
  }
  const event = new EventLength()
  let total = 0
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length
        if (event.after(chunk) > limits.eventBytes)
          controller.error(new Error(`an event is longer than ${limits.eventBytes >> 20} MiB`))
        else if (total > limits.streamBytes)
          controller.error(new Error(`an answer is longer than ${limits.streamBytes >> 20} MiB`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Counts the bytes of the event that is being sent: an empty line ends it. LF, CR and CR LF end a line. */
class EventLength {
  #event = 0
  #line = 0
  #before = 0

  after(chunk: Uint8Array): number {
    for (const byte of chunk) {
      this.#event++
      if (byte !== 10 && byte !== 13) this.#line++
      else if (byte === 13 || this.#before !== 13) {
        if (this.#line === 0) this.#event = 0
        this.#line = 0
      }
      this.#before = byte
    }
    return this.#event
  }
}

function beginningOf({ status, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  let left = maxErrorBytes
  const beginning = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.length
        if (left <= 0) controller.terminate()
      },
    }),
  )
  return new Response(beginning, { status, headers })
}
