/**
 * Memory that nothing needs any more, given back. A fleet that connects leaves behind as much again
 * as its sessions hold, and V8 looks for it only when more is allocated: a process that then idles
 * would keep it for ever.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Looking for garbage stops the process for some tens of milliseconds: only while it idles. */
const IDLE_SHARE = 0.1
/** It is worth a stop if the heap has grown by so much since the last look. */
const GROWTH_BYTES = 32 * 2 ** 20

/** V8's own collector, which is not shown to programs unless they ask for it (`--expose-gc`). */
function collectorOf(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** @returns what is to be called again and again: it collects once after each growth. */
export function createSpareMemory(): () => Promise<void> {
  let kept = 0
  let collect: (() => void) | undefined
  let lastUsage = process.cpuUsage()
  let lastLook = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(lastUsage)
    const now = performance.now()
    const share = (user + system) / 1_000 / (now - lastLook)
    lastUsage = process.cpuUsage()
    lastLook = now
    const { heapUsed } = process.memoryUsage()
    if (share < IDLE_SHARE && heapUsed > kept + GROWTH_BYTES) {
      collect ??= collectorOf()
      collect()
      kept = process.memoryUsage().heapUsed
    }
    kept = Math.min(kept, heapUsed)
    return Promise.resolve()
  }
}
