// How many random programs tests draw, and from which seed: docs/ci.md.

/** Programs that are compared with what they mean, of both tests that do so: 300, and more in a night. */
export const programsOfRun = Number(process.env['NPU_DSL_PROGRAMS'] ?? 300)

export const seed = Number(process.env['NPU_DSL_SEED'] ?? Date.now() % 2 ** 31)
