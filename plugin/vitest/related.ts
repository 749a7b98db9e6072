interface RelatedFiles {
  related?: string[] | undefined
}

/**
 * `vitest related` and `--changed` compare files with what tests import, and no test ever imports a candidate: the specs of
 * the candidates that the files belong to are put beside them, whenever Vitest sets or asks for them.
 */
export function relateCandidates(config: RelatedFiles, specsOf: (files: readonly string[]) => string[]): void {
  const withSpecs = (files: string[] | undefined): string[] | undefined =>
    files && [...new Set([...files, ...specsOf(files)])]
  let related = withSpecs(config.related)
  Object.defineProperty(config, 'related', {
    configurable: true,
    enumerable: true,
    get: () => related,
    set: (files: string[] | undefined) => {
      related = withSpecs(files)
    },
  })
}
