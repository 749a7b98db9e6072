/** Bytes of one event of a stream: a server that sends no line end would fill the memory. */
const maxEventBytes = 16 << 20

/** Bytes of all events of an answer, whatever they hold. */
const maxStreamBytes = 256 << 20

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
export async function fetchEvents(...args: Parameters<typeof fetch>): Promise<Response> {
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
        if (event.after(chunk) > maxEventBytes)
          controller.error(new Error(`an event is longer than ${maxEventBytes >> 20} MiB`))
        else if (total > maxStreamBytes)
          controller.error(new Error(`an answer is longer than ${maxStreamBytes >> 20} MiB`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Counts the bytes of the event that is being sent: an empty line ends it. */
class EventLength {
  #event = 0
  #line = 0

  after(chunk: Uint8Array): number {
    for (const byte of chunk) {
      this.#event++
      if (byte !== 10) this.#line += byte === 13 ? 0 : 1
      else {
        if (this.#line === 0) this.#event = 0
        this.#line = 0
      }
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
