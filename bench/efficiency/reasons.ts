/** Why an operator stays below its aim, by task; said where it does. */
export const reasons: Record<string, string> = {}
