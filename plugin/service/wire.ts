import type { Socket } from 'node:net'
import { z } from 'zod'
import type { ServiceCalls, ServiceNotices } from './protocol.ts'

/** Requests carry an id and get one answer; notices carry none. Arguments are typed by `ServiceCalls`: both ends are ours. */
export const requestMessage = z.object({ id: z.int().optional(), op: z.string(), args: z.unknown() })

export const answerMessage = z.object({ id: z.int(), result: z.unknown().optional(), error: z.string().optional() })

export type RequestMessage =
  | { [K in keyof ServiceCalls]: { id: number; op: K; args: ServiceCalls[K]['args'] } }[keyof ServiceCalls]
  | { [K in keyof ServiceNotices]: { op: K; args: ServiceNotices[K] } }[keyof ServiceNotices]

export type AnswerMessage = z.infer<typeof answerMessage>

/** Calls `on` for each line of JSON that arrives; a line that is no JSON ends the connection. */
export function onMessages(socket: Socket, on: (message: unknown) => void): void {
  let rest: string[] = []
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const whole = rest.join('') + line
      rest = []
      if (whole === '') continue
      try {
        on(JSON.parse(whole))
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined)
        return
      }
    }
    if (last !== '') rest.push(last)
  })
}

export const sendMessage = (socket: Socket, message: RequestMessage | AnswerMessage): void => {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}
