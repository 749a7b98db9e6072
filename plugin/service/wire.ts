import type { Socket } from 'node:net'
import { z } from 'zod'
import { compile } from 'zod/v4/core'
import { onLines } from '../process/lines.ts'
import { dtypeNames, kernelCase, sample, taskInterface } from '../model/index.ts'

const combination = z.object({ inputs: z.array(z.enum(dtypeNames)), outputs: z.array(z.enum(dtypeNames)) })
/** What a build is asked for with. */
export const build = z.object({ sample, task: taskInterface, combinations: z.array(combination) })

const slot = z.object({
  name: z.string(),
  offset: z.number(),
  bytes: z.number(),
  shape: z.array(z.number()),
  access: z.enum(['in', 'out', 'inout']),
})

const onCaseFile = {
  artifact: z.string(),
  case: kernelCase,
  file: z.string(),
  fileBytes: z.number(),
  slots: z.array(z.union([slot, z.array(slot), z.null()])),
  poison: z.string(),
}

const measure = z.object({ ...onCaseFile, baseline: z.string().nullable(), rounds: z.int().positive() })

const launch = z.object({
  ...onCaseFile,
  coreOrder: z.string().exactOptional(),
  lateCopies: z.boolean().exactOptional(),
  watched: z.array(z.object({ offset: z.number(), bytes: z.number() })).exactOptional(),
  timeline: z.boolean().exactOptional(),
  after: z.array(kernelCase).exactOptional(),
  isTiledAfter: z.boolean().exactOptional(),
})

const sketch = z.object({ artifact: z.string(), cases: z.array(kernelCase), timeoutMs: z.number() })

const verdictFile = z.object({ artifact: z.string(), spec: z.string(), project: z.string() })

const earlier = z.object({
  model: z.string().nullable(),
  suite: z.string(),
  task: z.string(),
  sample: z.string(),
  artifact: z.string().exactOptional(),
  sources: z.string().exactOptional(),
  spec: z.string(),
  project: z.string(),
})

/** Requests carry an id and get one answer; notices carry none. */
export const requestMessage = compile(
  z.discriminatedUnion('op', [
    z.object({ op: z.literal('build'), id: z.int(), args: build }),
    z.object({ op: z.literal('launch'), id: z.int(), args: launch }),
    z.object({ op: z.literal('measure'), id: z.int(), args: measure }),
    z.object({ op: z.literal('sketch'), id: z.int(), args: sketch }),
    z.object({ op: z.literal('verdictFile'), id: z.int(), args: verdictFile }),
    z.object({ op: z.literal('earlier'), id: z.int(), args: earlier }),
    z.object({ op: z.literal('code'), id: z.int(), args: z.object({ artifact: z.string() }) }),
    z.object({ op: z.literal('prefetch'), args: z.array(z.unknown()) }),
  ]),
)

export type RequestMessage = z.infer<typeof requestMessage>

/** `result` is what the call of that id returns: the answering end is ours. `error`: why there is none. */
export const answerMessage = z.object({ id: z.int(), result: z.any(), error: z.string().exactOptional() })

/** Of a message that is no request: whose it is. */
export const numbered = z.object({ op: z.string(), id: z.int() })

export type AnswerMessage = z.infer<typeof answerMessage>

/** Calls `on` for each line of JSON that arrives; a line that is no JSON ends the connection. */
export function onMessages(socket: Socket, on: (message: unknown) => void): void {
  onLines(socket, (line) => {
    if (line === '' || socket.destroyed) return
    try {
      on(JSON.parse(line))
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined)
    }
  })
}

export const sendMessage = (socket: Socket, message: { op: string; args: unknown } | AnswerMessage): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}
