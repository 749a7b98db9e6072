import { fileURLToPath } from 'node:url'

/**
 * The expert operators of this package: what speedup is measured against, and whose host parts complete bare kernels.
 */
export const packagedBaseline = fileURLToPath(new URL('../../references/baseline', import.meta.url))

/** The programs of the DSL that come with the package. */
export const packagedPrograms = fileURLToPath(new URL('../../references/dsl', import.meta.url))
