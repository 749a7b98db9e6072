import { z } from 'zod'

/** Layers of the confinement that a kernel may lack. */
export const confinementLayers = ['landlock', 'seccomp'] as const
export type ConfinementLayer = (typeof confinementLayers)[number]

/** Whether every layer of the confinement was there, and otherwise which ones were not. */
export const confinement = z.union([
  z.literal('full'),
  z.object({ missing: z.array(z.enum(confinementLayers)).min(1) }),
])
export type Confinement = z.infer<typeof confinement>
