/** Bytes of one event of a stream: a server that sends no line end would fill the memory. */
const maxEventBytes = 16 << 20

/** What answers is no server of this kind. */
export class NotAServerError extends Error {
  override name = 'NotAServerError'
}

/** `fetch` that takes nothing for a stream of events but one, and ends a stream whose events have no end. */
export async function fetchEvents(...args: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...args)
  if (!response.ok || !response.body) return response
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
