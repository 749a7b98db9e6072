import { fileURLToPath } from 'node:url'
import { loadTemplates, render, type Facts } from '../generation/template.ts'
import type { Message } from '../generation/types.ts'

/** Beside `plugin/` (source) and beside `dist/` (built). */
const folder = fileURLToPath(new URL('../../plugin/dataset/prompts', import.meta.url))

/** Fills templates of `prompts/`; with a folder of the user's own, those in it first. */
export function datasetTemplates(own?: string): (name: string, facts: Facts) => string {
  const templates = loadTemplates(own, folder)
  return (name, facts) => render(templates.of(name), facts)
}

/** A prompt without turns before it. */
export const asked = (system: string, user: string): Message[] => [
  { role: 'system', content: system },
  { role: 'user', content: user },
]
