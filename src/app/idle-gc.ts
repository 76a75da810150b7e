/**
 * Returns unused memory to the system. A connecting fleet leaves as much garbage as its sessions
 * hold, and V8 only collects when more is allocated: an idle process would keep it forever.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection stops the process for tens of milliseconds, so it only runs when idle. */
const IDLE_SHARE = 0.1
/** Growth of the heap since the last collection that makes another one worthwhile. */
const GROWTH_BYTES = 32 * 2 ** 20

/** V8's collector, which is only exposed on request (`--expose-gc`). */
function collectorOf(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** @returns to be called periodically: collects once after each growth */
export function createIdleGc(): () => Promise<void> {
  let kept = 0
  let collect: (() => void) | undefined
  let lastUsage = process.cpuUsage()
  let lastCheck = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(lastUsage)
    const now = performance.now()
    const share = (user + system) / 1_000 / (now - lastCheck)
    lastUsage = process.cpuUsage()
    lastCheck = now
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
