/**
 * Operators with one formula, or with one that differs by a step: a program for one of them is no example for another, whatever it is
 * called. A name may be in several.
 */
const families: readonly RegExp[] = [
  /gelu|geglu/i,
  /sigmoid|swish|swiglu/i,
  /softmax|SubExpReduceSum/i,
  /^(?:Foreach)?S?elu/i,
  /relu/i,
  /tanh/i,
  /softplus/i,
  /softsign/i,
  /hardtanh|clip/i,
  /(?:layer|group|instance|batch|deep)norm/i,
  /rmsnorm/i,
  /l1norm|asum/i,
  /l2norm|frobenius|nrm2|foreachnorm/i,
  /adam|lamb/i,
  /(?:sum|mean)reduction|reducesum|reducemean|meanofrows/i,
  /(?:max|min)reduction/i,
  /productreduction|cumprod/i,
  /averagepooling/i,
  /maxpool/i,
  /cumsum/i,
  /mseloss/i,
  /crossentropy/i,
  /hingeloss/i,
  /huberloss/i,
  /kldiv/i,
  /tripletmargin/i,
  /cosinesimilarity/i,
  /matrixscalar|^muls$|sscal|mulscalar/i,
  /^(?:foreach)?add(?:custom|list|scalar)|unalignadd/i,
  /^root$|sqrt/i,
  /^(?:foreach)?(?:sin|cos|tan)(?:math)?$/i,
  /isfinite|isinf|nonfinite/i,
  /^(?:less|lessequal|equal)$/i,
  /^mhc/i,
  /matmul/i,
  /^tri[lu]$/i,
]

/** The word that is left of a name: `SwishCustom` and `ForeachSwish` are `swish`. */
const stemOf = (name: string): string =>
  name
    .replace(/^(?:Foreach|Inplace)/, '')
    .replace(/(?:Custom|Math|V\d)$/, '')
    .toLowerCase()

/** Whether a program for one operator shows how the other is written. */
export const areTwins = (one: string, other: string): boolean =>
  stemOf(one) === stemOf(other) || families.some((family) => family.test(one) && family.test(other))
