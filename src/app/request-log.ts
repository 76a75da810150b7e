/** The request log: a line for each response of the API, if the configuration asks for it. */
import type { Config } from '../platform/config/config.ts'
import type { ServedRequest } from '../platform/http/server.ts'
import { createLog } from '../platform/log.ts'

/** Paths hold no secret; queries may, so they are left out. */
export function requestLogOf(
  config: Config,
): { onServed: (request: ServedRequest) => void } | undefined {
  if (config.requestLog === 'off') return undefined
  const log = createLog('info', config.logPriority)
  const from = config.requestLog === 'failed' ? 400 : 0
  return {
    onServed: ({ seconds, ...fields }) => {
      if (fields.status < from) return
      log('info', 'request', { ...fields, duration_ms: Math.round(seconds * 1_000) })
    },
  }
}
