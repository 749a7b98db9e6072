const key = 'g_tilingKey'

/** What opens and ends statements, what asks, and the key. */
const token = new RegExp(String.raw`${key}|\b(?:constexpr|consteval|enum|if|while|else)\b|\w+|[(){};"']|[^\s\w]`, 'g')

/** A comparison of the key, from behind it. */
const compared = /^\s*(?:[=!]=|[<>]=?)[\s(]*-?\w/

/** Of a statement, what stands in front of a key that is asked for as any other number is. */
const mayAsk = /^(?:[;{}]|if|while|else|&&|\|\||!|)$/

/**
 * Does a kernel take its tiling key for a constant, as it is where a build compiles it for each key? `text` is what the preprocessor
 * has made of it, with `g_tilingKey` for the key. It does not where the key is only compared, in the condition of an `if` or a `while` or
 * as a statement of its own: all else (`if constexpr`, an argument of a template or a call, the value of a variable) can tell a number from what
 * is known when the kernel runs. To be taken for a constant costs builds and changes nothing else.
 */
export function takesConstantKey(text: string): boolean {
  if (!text.includes(key)) return false
  /** for each open brace, whether it is of a function that may be constant */
  const braces: boolean[] = []
  /** for each open parenthesis, whether it is a part of a condition */
  let parentheses: boolean[] = []
  let [isConstant, isConstantBody, before, last] = [false, false, '', '']
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === key) {
      const isAsked = mayAsk.test(before) && compared.test(text.slice(index + key.length, index + key.length + 80))
      if (isConstant || braces.at(-1) === true || parentheses.includes(false) || !isAsked) return true
    } else if (/^[;{}]$/.test(found)) {
      if (found === '{') braces.push(braces.at(-1) === true || isConstantBody)
      if (found === '}') braces.pop()
      parentheses = []
      isConstant = isConstantBody = false
    } else if (found === '(') parentheses.push(mayAsk.test(before))
    else if (found === ')') parentheses.pop()
    else if (/^(?:constexpr|consteval|enum)$/.test(found)) {
      isConstant = true
      isConstantBody ||= last !== 'if'
    }
    // parentheses around a comparison are none of a call
    if (found !== '(') before = found === last && /[&|]/.test(found) ? found + found : found
    last = found
  }
  return false
}
