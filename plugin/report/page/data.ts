import { detailsPerBlock, type BlockPlace, type Listing, type SampleDetail, type Texts } from '../model.ts'
import type { Timeline } from '../types.ts'

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

/** The detail of a sample; undefined where there is no such sample. */
export async function readDetail(sample: number): Promise<SampleDetail | undefined> {
  const details = await read<SampleDetail[]>(`details-${Math.floor(sample / detailsPerBlock)}`)
  return details?.[sample % detailsPerBlock]
}

/** What stands at a place of the blocks of a kind; undefined where nothing was recorded. */
async function readPlace<T>(kind: string, place: BlockPlace | undefined): Promise<T | undefined> {
  if (!place) return undefined
  const [block, hash] = place
  return (await read<Record<string, T>>(`${kind}-${block}`))?.[hash]
}

/** The sources of a sample. */
export const readSources = (detail: SampleDetail | undefined): Promise<Texts | undefined> =>
  readPlace('sources', detail?.sources)

/** What the pipes did when in the launch that was timed. */
export const readTimeline = (detail: SampleDetail | undefined): Promise<Timeline | undefined> =>
  readPlace('timelines', detail?.timeline)
