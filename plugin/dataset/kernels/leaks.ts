import { apiNames } from '../documents/api-names.ts'
import { codeBlocksOf } from '../documents/sections.ts'
import { codeOf } from './pieces.ts'

/** Commas count for nothing: tensors are listed in requests as in calls. */
const tokensOf = (text: string): string[] => text.match(/[A-Za-z_]\w*|\d[\w.]*|[^\s\w,]/g) ?? []

/** Tokens in a row that a request may share with a code: `AscendC::LocalTensor<float>` are six. */
const mostTokens = 9
/** Names of a code that a request may say: of the function or class, and of tensors of the interface. */
const mostNames = 6

/** Names that nobody but who has seen the code would write: `xGm_`, `tileLength`, `BUFFER_NUM`. */
const isInner = (name: string): boolean =>
  /[a-z0-9]_$/.test(name) || /^[a-z]+[A-Z]/.test(name) || /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(name)

/** What is code, whatever the answer is. */
const statements =
  /[;{}]\s*(?:\n|$)|\)\s*;|\w->\w|\w\.\w+(?:<[^<>]*>)?\(|\b(?:reinterpret_cast|static_cast|__gm__|__aicore__)\b/

/** Why a request gives away the code that answers it; undefined: it does not. */
export function leakOf(request: string, code: string): string | undefined {
  if (codeBlocksOf(request).length > 0) return 'the request holds a block of code'
  const bare = codeOf(code)
  const statement = statements.exec(request)
  if (statement) return `the request holds a statement: ${statement[0].trim()}`
  const shared = sharedRun(tokensOf(request), tokensOf(bare))
  if (shared.length > mostTokens) return `the request holds code: ${shared.join(' ')}`
  const names = new Set(bare.match(/\b[A-Za-z_]\w*\b/g))
  const api = apiNames()
  const inner = [...new Set(request.match(/\b[A-Za-z_]\w*\b/g))].filter(
    (name) => names.has(name) && isInner(name) && !api.has(name),
  )
  const members = inner.filter((name) => name.endsWith('_'))
  if (members.length > 0) return `the request names members of the code: ${members.join(', ')}`
  return inner.length > mostNames ? `the request names what is inside of the code: ${inner.join(', ')}` : undefined
}

/** The longest run of tokens that two texts share. */
function sharedRun(own: readonly string[], other: readonly string[]): string[] {
  let best: string[] = []
  const places = new Map<string, number[]>()
  for (const [i, token] of other.entries()) places.set(token, [...(places.get(token) ?? []), i])
  for (let i = 0; i < own.length; i++)
    for (const at of places.get(own[i]!) ?? []) {
      let length = 0
      while (i + length < own.length && own[i + length] === other[at + length]) length++
      if (length > best.length) best = own.slice(i, i + length)
    }
  return best
}
