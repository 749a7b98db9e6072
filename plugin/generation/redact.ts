const hidden = '***'

/** A shorter key is no secret but a placeholder, such as `EMPTY`. */
export const shortestSecret = 12

/** The text in base64 by itself, and what of it stands in the base64 of a longer one, as of `Bearer <key>`. */
const base64Of = (secret: string): string[] => [
  Buffer.from(secret).toString('base64'),
  ...[0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    // six bits a character: the first and the last one may hold bits of what is around
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
  }),
]

/** Takes keys out of texts, in the forms in which servers and tools repeat them. */
export class Redactor {
  readonly #forms: readonly string[]

  constructor(secrets: readonly (string | undefined)[]) {
    const plain = secrets.filter((secret) => secret !== undefined).filter((secret) => secret !== '')
    const forms = plain.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      // that of a short one may be part of any word
      ...(secret.length < shortestSecret ? [] : base64Of(secret)),
    ])
    this.#forms = [...new Set(forms)].sort((one, other) => other.length - one.length)
  }

  /** The text without any of them. */
  clean(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, hidden), text)
  }
}
