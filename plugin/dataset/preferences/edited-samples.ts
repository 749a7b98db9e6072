import type { ProjectFile } from '../../model/index.ts'
import { RandomStream } from '../../inputs/index.ts'
import { applyEdit, editsOf, type Damage } from '../../mutation/edits.ts'
import { drawn } from '../../mutation/mutant.ts'

/** An operator with one edit, or without any. */
export interface EditedSample {
  /** `original`, or the damage with a number, e.g. `lengths-2` */
  name: string
  files: ProjectFile[]
}

/**
 * An operator as it is, and `count` times with one edit of its kernel: other kinds of damage before the same one again, so that what is wrong
 * differs. The same seed draws the same edits.
 */
export function editedSamples(task: string, files: ProjectFile[], count: number, seed: number): EditedSample[] {
  const random = new RandomStream(seed, `edits of ${task}`)
  const byDamage = new Map<Damage, (() => EditedSample)[]>()
  for (const [index, { path, content }] of files.entries()) {
    if (!path.startsWith('op_kernel/')) continue
    for (const edit of editsOf(content)) {
      const known = byDamage.get(edit.damage) ?? []
      const name = `${edit.damage}-${known.length + 1}`
      known.push(() => ({ name, files: files.with(index, { path, content: applyEdit(content, edit) }) }))
      byDamage.set(edit.damage, known)
    }
  }
  const queues = drawn([...byDamage.values()], byDamage.size, random).map((all) => drawn(all, all.length, random))
  const rounds = Array.from({ length: count }, (_, round) => queues.flatMap((queue) => queue[round] ?? []))
  const chosen = rounds.flat().slice(0, count)
  return [{ name: 'original', files: [...files] }, ...chosen.map((make) => make())]
}
