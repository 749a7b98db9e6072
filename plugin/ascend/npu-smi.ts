/** One chip as the driver's tool lists it; the runtime counts them in this order. */
export interface Chip {
  /** number of the card, and of the chip on it */
  card: number
  chip: number
  /** as the tool names it, e.g. `910B2`; A3 cards say no more than `Ascend910` */
  name: string
  /** `OK` where nothing is wrong */
  health: string
}

export interface DriverListing {
  /** e.g. `25.5.1` */
  version: string | null
  chips: Chip[]
}

const versionLine = /^\|\s*npu-smi\s+\S+\s+Version:\s*(\S+)/m
/** The first of the two rows of a chip: card, name, health. */
const cardRow = /^\|\s*(\d+)\s+(\S+)\s*\|\s*([A-Za-z]+)\s*\|/
/** The second: chip (A3 cards add its physical number), address on the bus. */
const chipRow = /^\|\s*(\d+)(?:\s+\S+)?\s*\|\s*[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d\s*\|/

/** Reads what `npu-smi info` prints. */
export function parseDriverListing(text: string): DriverListing {
  const chips: Chip[] = []
  let card: Omit<Chip, 'chip'> | undefined
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, chip] = chipRow.exec(line) ?? []
    if (chip !== undefined && card) {
      chips.push({ ...card, chip: Number(chip) })
      card = undefined
      continue
    }
    const [, number, name, health] = cardRow.exec(line) ?? []
    if (number !== undefined && name !== undefined && health !== undefined)
      card = { card: Number(number), name, health }
  }
  return { version: versionLine.exec(text)?.[1] ?? null, chips }
}

/** The clock of the cores in MHz, as `npu-smi info -t common` says: rated, and at this moment; null where it does not. */
export function parseClock(text: string): { rated: number | null; now: number | null } {
  const of = (name: string): number | null => {
    const found = new RegExp(`^\\s*${name}\\(MHZ\\)\\s*:\\s*(\\d+)`, 'm').exec(text)?.[1]
    return found === undefined ? null : Number(found)
  }
  return { rated: of('Aicore Freq'), now: of('Aicore curFreq') }
}
