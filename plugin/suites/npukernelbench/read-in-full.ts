/** Inputs that no kernel gets by without reading in full, whatever they hold, by task. */
export const readInFull: Readonly<Record<string, readonly string[]>> = {}
