import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { ledgerEntry, ledgerVersion } from './entry.ts'

/** Where the JSON schema of a ledger line lies in the package, for readers in other languages. */
export const schemaFile = fileURLToPath(new URL(`../../schemas/ledger-v${ledgerVersion}.schema.json`, import.meta.url))

/** The JSON schema of a ledger line, as a file holds it. */
export function schemaText(): string {
  const { $schema, ...schema } = z.toJSONSchema(ledgerEntry, { io: 'input' })
  const title = `A line of the ledger of vitest-npu, version ${ledgerVersion}`
  return `${JSON.stringify({ $schema, title, ...schema }, undefined, 2)}\n`
}

/** Writes the schema (`npm run docs`). */
export function writeLedgerSchema(): void {
  mkdirSync(dirname(schemaFile), { recursive: true })
  writeFileSync(schemaFile, schemaText())
}
