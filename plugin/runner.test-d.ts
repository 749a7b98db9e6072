import type { VitestRunner } from '@vitest/runner'
import type NpuRunner from './vitest/runner.ts'

/** Vitest accepts any class whose instances are a `VitestRunner`: ours must stay one, whatever a release changes. */
export type RunnerIsARunner = Expect<NpuRunner extends VitestRunner ? true : false>

type Expect<T extends true> = T
