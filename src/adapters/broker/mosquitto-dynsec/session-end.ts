/** Ends any session with a client id by briefly taking it over. */
import { connect, type IClientOptions } from 'mqtt'

/**
 * Resolves when the session has been taken over; it ends when we disconnect. Throws if the broker
 * refuses us in any way, because a promise that never settles would block all further work on the
 * principal.
 */
export async function endSession(url: string, options: IClientOptions): Promise<void> {
  const client = connect(url, { ...options, clean: true, reconnectPeriod: 0 })
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      // For the client's lifetime: an unhandled error event would end the process.
      client.on('error', reject)
      client.on('close', () => reject(new Error('the connection was closed')))
    })
  } finally {
    await client.endAsync(true)
  }
}
