/**
 * Exit codes of `vitest run` and of the commands, everywhere alike. Where several hold, the highest one below `usage` is
 * told: what the machine could not judge says more than what was judged. Usage is that of sysexits.h, so that a wrong call
 * is no gate that was missed.
 */
export const exitCodes = {
  fine: 0,
  /** a candidate failed; or a test that is none of ours, or a command found something that cannot be taken */
  failed: 1,
  /** the gate, or the threshold of a command, does not hold */
  gate: 2,
  /** our fault or the machine's: no compiler, a broken cache, a golden that throws */
  infrastructure: 3,
  /** what the call says cannot be used: an argument, an option, a file or a candidate that it names */
  usage: 64,
} as const
