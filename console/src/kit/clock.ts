/** The clock of all times that are shown. */

/** Between two looks at it. */
export const TICK_MS = 10_000

let present = Date.now()
const listeners = new Set<() => void>()

setInterval(() => {
  present = Date.now()
  for (const listener of listeners) listener()
}, TICK_MS)

/** As of the last look. */
export const presentTime = (): number => present

export function onTick(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
