const hidden = '***'

/** A shorter key is no secret but a placeholder, such as `EMPTY`. */
export const shortestSecret = 12

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
      ...(secret.length < shortestSecret ? [] : [Buffer.from(secret).toString('base64')]),
    ])
    this.#forms = [...new Set(forms)].sort((one, other) => other.length - one.length)
  }

  /** The text without any of them. */
  clean(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, hidden), text)
  }
}
