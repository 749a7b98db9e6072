/** Blocks that one of two launches has reached (`CompletedLaunch.reached`); undefined where neither tells. */
export function eitherOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other
  const [bits, more] = [Buffer.from(one, 'base64'), Buffer.from(other, 'base64')]
  const longest = Math.max(bits.length, more.length)
  return Buffer.from(Array.from({ length: longest }, (_, i) => (bits[i] ?? 0) | (more[i] ?? 0))).toString('base64')
}

/** Whether a block is among those reached. */
export function isReached(reached: Uint8Array, block: number): boolean {
  return ((reached[block >> 3] ?? 0) & (1 << (block & 7))) !== 0
}
