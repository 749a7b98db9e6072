import { directive, quotedPlaces, withoutQuoted, type Macros } from './macros.ts'
import { blank, gap } from './text.ts'

/** A place in a text as [start, end). */
type Place = [start: number, end: number]

/** The parameters of the template whose head stands right before a place, as far as one reaches; undefined where none does. */
export function templateParameters(text: string, at: number): string | undefined {
  const near = text.slice(0, at).trimEnd().slice(-2000)
  if (!near.endsWith('>')) return undefined
  const begin = Math.max(...[';', '{', '}'].map((end) => near.lastIndexOf(end))) + 1
  return /\btemplate\s*<(.*)>$/s.exec(near.slice(begin))?.[1]
}

/**
 * Up to its first `>>>`, no longer than anybody writes one, and without another one in it: a text without an end is not
 * searched from each mark on. A call of `operator<<` with arguments of its template is none.
 */
const launchHead =
  /(?<![\w:])[\w:]+(?<!\boperator)\s{0,99}(?:<[^<>;{}]{0,999}>\s{0,99})?<<<(?=((?:(?!<<<)[^;{}]){0,999}?>>>))\1\s{0,99}\(/g

/** No arguments of a launch are longer. */
const longestArguments = 2000

/** The place behind the parenthesis that closes the one right before `from`; undefined where none does. */
function endOfArguments(code: string, from: number): number | undefined {
  const text = code.slice(from, from + longestArguments)
  let open = 1
  for (const { 0: token, index } of text.matchAll(/[();]|<<</g)) {
    if (token === '(') open++
    else if (token !== ')') return undefined
    else if (--open === 0) return from + index + 1
  }
  return undefined
}

/** The launches of a text, but for those of which macros make another text. */
function launchesIn(code: string, { quoting }: Macros): Place[] {
  const found = [...code.matchAll(launchHead)].flatMap(({ 0: head, index }): Place[] => {
    const end = endOfArguments(code, index + head.length)
    return end === undefined ? [] : [[index, end]]
  })
  return found.length === 0 ? found : outside(found, quotedPlaces(code, quoting))
}

/** Does a text launch a kernel, itself or by a macro? */
const launches = (code: string, macros: Macros): boolean =>
  launchesIn(code, macros).length > 0 ||
  (macros.launching.size > 0 &&
    (withoutQuoted(code, macros.quoting).match(/\w+/g) ?? []).some((word) => macros.launching.has(word)))

const conditionHead = String.raw`^${gap}*(?:#|%:)${gap}*(if|el|endif)`
const isCondition = new RegExp(conditionHead)

/** What stands outside all conditions of the preprocessor that begin in a text; nothing where one ends that began before it. */
function unconditional(code: string): string {
  const kept: string[] = []
  let open = 0
  for (const line of code.split('\n')) {
    const directive = isCondition.exec(line)?.[1]
    if (directive === 'if') open++
    else if (directive === 'endif') open--
    if (open < 0 || (directive === 'el' && open === 0)) return ''
    if (open === 0) kept.push(line)
  }
  return kept.join('\n')
}

/** A parenthesis, a brace or a semicolon; from the end of the parameters to the brace where a function begins. */
const functionMark = /\)\s*(?:(?:const|noexcept|override|final)\b\s*)*(?:->[^(){};]{1,99})?\{|[(){};]/g

interface DefinedFunction {
  body: Place
  /** what stands before the body, from the end of what is declared before it */
  head: string
}

/**
 * The functions of a text without directives; those inside others belong to the outer ones, and what stands between parentheses
 * is no function of its own: a macro may make a text of it.
 */
function functionsOf(written: string): DefinedFunction[] {
  const code = written.replace(/<%|%>/g, (mark) => (mark === '<%' ? '{ ' : '} '))
  const functions: DefinedFunction[] = []
  const open: { at: number; begin: number; parentheses: number; isFunction: boolean }[] = []
  let inside = 0
  let parentheses = 0
  let begin = 0
  for (const { 0: token, index } of code.matchAll(functionMark)) {
    const end = index + token.length
    if (token === '(') parentheses++
    if (token.startsWith(')')) parentheses = Math.max(0, parentheses - 1)
    if (token.endsWith('{')) {
      const isFunction = token !== '{' && parentheses === 0
      open.push({ at: end, begin, parentheses, isFunction })
      if (isFunction) inside++
      begin = end
    } else if (token.startsWith('}')) {
      const last = open.pop() ?? { at: 0, begin: 0, parentheses: 0, isFunction: false }
      parentheses = last.parentheses
      if (last.isFunction && --inside === 0)
        functions.push({ body: [last.at, index], head: code.slice(last.begin, last.at) })
      // braces of a value are a part of the head in which they stand
      begin = last.isFunction || !/^\s*[,){]/.test(code.slice(end, end + 100)) ? end : last.begin
    } else if (token === ';' && parentheses === 0) begin = end
  }
  return functions
}

/** Is a function one of the device, as its head says or macros in it? */
const isForDevice = (head: string, { device }: Macros): boolean =>
  /\b(?:__aicore__|__global__|aicore)\b/.test(head) ||
  (device.size > 0 && (head.match(/\w+/g) ?? []).some((word) => device.has(word)))

/** Those of the places, in the order of the text, before which each parenthesis is closed: what others enclose may become a text. */
function outsideParentheses(code: string, places: readonly Place[]): Place[] {
  const marks = code.matchAll(/[()]/g)
  let mark = marks.next()
  let open = 0
  return places.filter(([start]) => {
    for (; !mark.done && mark.value.index < start; mark = marks.next())
      open = mark.value[0] === '(' ? open + 1 : Math.max(0, open - 1)
    return open === 0
  })
}

const bodiesOf = (functions: readonly Pick<DefinedFunction, 'body'>[]): Place[] => functions.map(({ body }) => body)

/** The places of a list that lie in none of another list, both in the order of the text. */
function outside(places: readonly Place[], others: readonly Place[]): Place[] {
  let next = 0
  return places.filter(([start]) => {
    while (next < others.length && (others[next]?.[1] ?? 0) <= start) next++
    return start < (others[next]?.[0] ?? Infinity)
  })
}

const attribute = /\[\s*(?:host\s*,\s*)?aicore\s*\]/g

/** What may stand before an attribute, in the same declaration or as the end of what precedes it. */
const beforeAttribute =
  /(?:^|[;{}]|\b(?:public|private|protected)\s{0,9}:|(?:^|\n)[ \t]{0,99}#[ \t]{0,99}define[ \t]{1,99}\w+|__attribute__\s{0,9}\(\(\w+\)\)|\b(?:extern|static|inline|constexpr|virtual|explicit|friend|__inline__|__inline|__forceinline__|__always_inline__|__noinline__|__global__|__aicore__))$/

/** Whether an attribute can stand at a place: neither an index nor what a lambda captures. */
function isAttribute(code: string, [start, end]: Place, inDirective: boolean): boolean {
  let at = start
  while (at > 0 && /\s/.test(code[at - 1] ?? '')) at--
  const before = code.slice(Math.max(0, at - 100), at)
  const [next] = /^\s{0,99}\S?/.exec(code.slice(end, end + 100)) ?? ['']
  if (inDirective) return !/[({]$/.test(next) && beforeAttribute.test(before)
  return /[\w:~]$/.test(next) && (beforeAttribute.test(before) || templateParameters(code, at) !== undefined)
}

/** A place of the vendor compiler's own syntax, or of what a function does that launches a kernel. */
interface VendorSyntax {
  place: Place
  kind: 'attribute' | 'launch' | 'body' | 'rest of a body'
}

/** A condition of the preprocessor; a name; what nests. */
const nesting = new RegExp(String.raw`${conditionHead}|(?<!\w)[A-Za-z_]\w*|[(){}]|<%|%>`, 'gm')

/**
 * Does a body end where its braces say, however the preprocessor reads it? No macro opens or closes one, none stands alone in the
 * arguments of a macro, and each branch of a condition closes what it opens.
 */
function isWhole(code: string, { braces }: Macros): boolean {
  const open: string[] = []
  const conditions: number[] = []
  const text = code.replace(directive, (line) => (isCondition.exec(line)?.[0] ?? '').concat(blank(line)))
  for (const [token, condition] of text.matchAll(nesting)) {
    if (condition === 'if') conditions.push(open.length)
    else if (condition !== undefined) {
      if (conditions.at(-1) !== open.length) return false
      if (condition === 'endif') conditions.pop()
    } else if (braces.has(token)) return false
    else if (token === '(') open.push(')')
    else if (token === '{' || token === '<%') open.push('}')
    else if (/^[)}%]/.test(token) && open.pop() !== (token === ')' ? ')' : '}')) return false
  }
  return open.length === 0 && conditions.length === 0
}

/** Does the body of a function tell its type? Nothing can stand in its place. */
const isDeduced = (head: string): boolean => /\b(?:auto|decltype)\b/.test(head) && !head.includes('->')

/** The parts of bodies between directives, which hold for what follows as well. */
function withoutDirectives(bodies: readonly Place[], code: string): VendorSyntax[] {
  const directives = [...code.matchAll(directive)].map(({ 0: text, index }): Place => [index, index + text.length])
  let next = 0
  return bodies.flatMap(([start, end]) => {
    const parts: VendorSyntax[] = []
    let from = start
    const add = (to: number): void => {
      parts.push({ place: [from, to], kind: parts.length === 0 ? 'body' : 'rest of a body' })
    }
    while (next < directives.length && directives[next]![0] < start) next++
    for (; next < directives.length && directives[next]![0] < end; next++) {
      add(directives[next]![0])
      from = directives[next]![1]
    }
    add(end)
    return parts
  })
}

/**
 * The places of the vendor compiler's own syntax in a text without comments and literals. A launch in the code of a device is
 * an error there, and stays.
 */
export function vendorSyntax(code: string, macros: Macros): VendorSyntax[] {
  const plain = code.replace(directive, blank)
  const attributes = [...code.matchAll(attribute)].flatMap(({ 0: token, index }): VendorSyntax[] => {
    const place: Place = [index, index + token.length]
    const inDirective = plain[index] !== '['
    return isAttribute(inDirective ? code : plain, place, inDirective) ? [{ place, kind: 'attribute' }] : []
  })
  if (!launches(code, macros)) return attributes
  const functions = functionsOf(plain)
  const ofDevice = bodiesOf(functions.filter(({ head }) => isForDevice(head, macros)))
  const launching = bodiesOf(functions.filter(({ head }) => !isForDevice(head, macros) && !isDeduced(head))).filter(
    ([start, end]) => {
      const body = code.slice(start, end)
      return launches(unconditional(body), macros) && isWhole(body, macros)
    },
  )
  const bodies = withoutDirectives(launching, code)
  const inBodies = bodies.map(({ place }) => place)
  const others = outside(outside(launchesIn(code, macros), inBodies), ofDevice)
  const inMacros = others.filter(([start]) => plain[start] === ' ')
  const inCode = outsideParentheses(
    plain,
    others.filter(([start]) => plain[start] !== ' '),
  )
  const alone = [...inMacros, ...inCode].map((place): VendorSyntax => ({ place, kind: 'launch' }))
  return [...bodies, ...alone, ...attributes].sort((a, b) => a.place[0] - b.place[0])
}
