import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { layers, patched, patchesOf } from './layers/layers.ts'

test.each(layers)('the built package can be had without $name', (layer) => {
  for (const patch of patchesOf(layer)) {
    const text = readFileSync(new URL(`../${patch.file}`, import.meta.url), 'utf8')
    expect(patched(text, patch)).not.toBe(text)
  }
})
