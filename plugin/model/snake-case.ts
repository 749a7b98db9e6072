/** `SoftplusCustom` as `softplus_custom`, `ABCd` as `ab_cd`: what tools of the vendor make of the name of an operator. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .toLowerCase()
