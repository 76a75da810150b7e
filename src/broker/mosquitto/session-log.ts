/**
 * Who is connected, as the broker's log tells: Mosquitto 2.0 has no list of its sessions, but it
 * writes to a topic when one begins and ends. What began before the service listened is not known.
 */
import type { BrokerConnection } from '../external-port.ts'

/** `1795194498: New client connected from 127.0.0.1:58472 as dev_x (p2, c1, k60, u'dev_x').` */
const BEGIN = /^(\d+): New client connected from (.+):\d+ as (\S+) \(p(\d+), .*u'([^']*)'\)\.$/
/** `1795194499: Client dev_x disconnected.`, and many another way to say it. */
const END = /^\d+: Client (\S+) (.*)$/
/**
 * Said of somebody who came with the client id of a session, and of a session that goes on. Whoever
 * is not let in chooses the id freely, so it may look like the begin of another sentence.
 */
const NO_END = /(?:disconnected, not authorised\.$|^already connected)/

/** Mosquitto counts in its own way: 2 is MQTT 3.1.1. */
const VERSIONS: Readonly<Record<string, number>> = { '1': 3, '2': 4, '5': 5 }

export class SessionLog {
  /** By client id, of which a broker has each one once. */
  readonly #sessions = new Map<string, BrokerConnection>()

  /** Reads one line of the log; any other line than the two above says nothing. */
  read(line: string): void {
    const begin = BEGIN.exec(line)
    if (begin !== null) {
      const [, seconds, address = '', clientId = '', version = '', principalId = ''] = begin
      this.#sessions.set(clientId, {
        principalId,
        clientId,
        address,
        protocolVersion: VERSIONS[version],
        connectedAt: Number(seconds) * 1_000,
      })
      return
    }
    const end = END.exec(line)
    if (end !== null && !NO_END.test(end[2] ?? '')) this.#sessions.delete(end[1] ?? '')
  }

  /** Forgets all, as nothing is known of the time without a connection to the broker. */
  clear(): void {
    this.#sessions.clear()
  }

  of(principalId?: string): BrokerConnection[] {
    const all = [...this.#sessions.values()]
    return principalId === undefined ? all : all.filter((one) => one.principalId === principalId)
  }
}
