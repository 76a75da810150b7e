/** Ends whatever session a broker holds under a client id, by taking it over for a moment. */
import { connect, type IClientOptions } from 'mqtt'

/**
 * Resolves when the session is taken over, and clean; it is over as soon as we are gone.
 * Throws when the broker did not let us in, whatever it did instead: a promise that never ends
 * would hold up all that is to be done about the principal.
 */
export async function endSession(url: string, options: IClientOptions): Promise<void> {
  const client = connect(url, { ...options, clean: true, reconnectPeriod: 0 })
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      // For as long as the client lives: an error that nobody listens for would end the process.
      client.on('error', reject)
      client.on('close', () => reject(new Error('the connection was closed')))
    })
  } finally {
    await client.endAsync(true)
  }
}
