import { GenerationError } from './error.ts'
import type { Prompter } from './types.ts'

/** How prompts are rendered. */
export interface PrompterOptions {
  /** folder of the user's own templates, each instead of the packaged one of its name */
  templates?: string
}

/** A prompter that reads its templates now. */
export function createPrompter(_options: PrompterOptions = {}): Prompter {
  throw new GenerationError('this version has no prompts yet')
}
