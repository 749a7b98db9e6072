/** Bytes of one event of a stream: a server that sends no line end would fill the memory. */
const maxEventBytes = 16 << 20

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
  let length = 0
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = chunk.lastIndexOf(10)
        length = end < 0 ? length + chunk.length : chunk.length - end
        if (length > maxEventBytes) controller.error(new Error(`an event is longer than ${maxEventBytes >> 20} MiB`))
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(body, { status: response.status, headers: response.headers })
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
