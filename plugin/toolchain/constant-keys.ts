/** What opens and ends statements, and what decides whether one has to be constant. */
const token =
  /g_tilingKey|\bconst(?:expr)?\b|\bstatic_assert\b|\bcase\b|\balignas\b|\benum\b|\bif\b|<<=?|<=>?|->|>=|[<>;{}[\]]/g

/**
 * Does a kernel take its tiling key for a constant, as it is where a build compiles it for each key: in `if constexpr`, as an argument of a
 * template, in a constexpr function, as the value of a const variable, which may stand for it there? `text` is what the preprocessor has
 * made of it, with `g_tilingKey` for the key. A comparison by `<` in the same statement is taken for a template, and any const in it for
 * that of a variable: that costs builds and changes nothing else.
 */
export function takesConstantKey(text: string): boolean {
  /** for each open brace, whether all in it is constant */
  const braces: boolean[] = []
  let [isConstant, isConstantBody, angles, last] = [false, false, 0, '']
  const begin = (): void => {
    ;[isConstant, isConstantBody, angles] = [false, false, 0]
  }
  for (const [found] of text.matchAll(token)) {
    if (found === 'g_tilingKey') {
      if (isConstant || angles > 0 || braces.at(-1) === true) return true
    } else if (found === '{') {
      braces.push(isConstantBody || braces.at(-1) === true)
      begin()
    } else if (found === '}') {
      braces.pop()
      begin()
    } else if (found === ';') begin()
    else if (found === 'constexpr' || found === 'enum') {
      isConstant = true
      if (last !== 'if') isConstantBody = true
    } else if (found === '<' || found === '[') angles++
    else if (found === '>' || found === ']') angles = Math.max(0, angles - 1)
    else if (found !== 'if' && /^\w/.test(found)) isConstant = true
    last = found
  }
  return false
}
