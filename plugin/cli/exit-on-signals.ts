const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** Has the signals that stop a program end this process as `process.exit` does: what is removed at its exit is removed then. */
export function exitOnSignals(): void {
  for (const [name, number] of Object.entries(signals)) process.once(name, () => process.exit(128 + number))
}
