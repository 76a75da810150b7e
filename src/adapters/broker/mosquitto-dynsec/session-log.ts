/**
 * Tracks live sessions through the broker's log: Mosquitto 2.0 cannot list sessions, but publishes
 * a log line when one starts or ends. Earlier sessions are unknown.
 */
import type { BrokerConnection } from '../external-port.ts'

/** `1795194498: New client connected from 127.0.0.1:58472 as dev_x (p2, c1, k60, u'dev_x').` */
const BEGIN = /^(\d+): New client connected from (.+):\d+ as (\S+) \(p(\d+), .*u'([^']*)'\)\.$/
/** `1795194499: Client dev_x disconnected.`, in many variations. */
const END = /^\d+: Client (\S+) (.*)$/
/**
 * Lines about rejected clients that used the client id of a live session. Rejected clients choose
 * their id freely, so it may imitate the start of another line.
 */
const NO_END = /(?:disconnected, not authorised\.$|^already connected)/

/** Mosquitto's numbering: 2 is MQTT 3.1.1. */
const VERSIONS: Readonly<Record<string, number>> = { '1': 3, '2': 4, '5': 5 }

export class SessionLog {
  /** By client id, which is unique on a broker. */
  readonly #sessions = new Map<string, BrokerConnection>()

  /** Parses one log line; all other lines are ignored. */
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

  /** Forgets everything, since nothing is known about the time without a connection. */
  clear(): void {
    this.#sessions.clear()
  }

  of(principalId?: string): BrokerConnection[] {
    const all = [...this.#sessions.values()]
    return principalId === undefined ? all : all.filter((one) => one.principalId === principalId)
  }
}
