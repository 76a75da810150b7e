/** Disconnects clients that do not read their response, to free what it holds. */
import type { FastifyInstance } from 'fastify'

const STALL_MS = 60_000

/**
 * A plugin for `createServer`. Streams have a limit of their own.
 * @param stallMs how long a client may read nothing
 */
export const destroyStalled =
  (stallMs = STALL_MS) =>
  (app: FastifyInstance): void => {
    app.addHook('onSend', (_request, { raw }, payload, done) => {
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
      // Small ones too: the buffers of the system may be full of earlier responses.
      if (isWhole) raw.setTimeout(stallMs, () => raw.destroy())
      done(null, payload)
    })
  }
