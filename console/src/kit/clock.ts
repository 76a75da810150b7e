/** The clock of all times that are shown. */
import { TICK_MS } from './times.ts'

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
