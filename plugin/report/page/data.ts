import type { Listing, SampleDetail, TaskSources } from '../model.ts'

/** What stands in a data block of the page; undefined where there is none. */
async function read<T>(id: string): Promise<T | undefined> {
  const text = document.getElementById(id)?.textContent
  if (text === undefined || text === null) return undefined
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return await new Response(stream).json()
}

export async function readListing(): Promise<Listing> {
  const listing = await read<Listing>('listing')
  if (!listing) throw new Error('the page has no data')
  return listing
}

/** The detail of a sample. */
export async function readDetail(task: number, sample: number): Promise<SampleDetail | undefined> {
  const details = await read<Record<number, SampleDetail>>(`task-${task}`)
  return details?.[sample]
}

/** The sources of a task; undefined where none were recorded. */
export const readTaskSources = (task: number): Promise<TaskSources | undefined> => read<TaskSources>(`sources-${task}`)
