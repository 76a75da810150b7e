/**
 * Costs of a client's packets. A client that causes more work than its rate is read more slowly:
 * its own socket then fills up and makes it wait. Nothing is lost, and a device that sends the
 * messages that it gathered while it was offline isn't disconnected for that.
 */
import { TokenBucket } from './token-bucket.ts'
import { PACKET } from './codec/packet-types.ts'

/** How many seconds' worth of messages may come at once. */
const BURST_SECONDS = 10

/** Low, since a reader acknowledges each message; above 0, since false ones cause work, too. */
const ACKNOWLEDGEMENT = 1 / 20

export class Pace {
  #bucket: TokenBucket | undefined
  /** The weight of all packets since tokens were last taken from the bucket. */
  #weight = 0
  /** How many PUBRELs cost nothing, since their PUBLISH was counted. */
  #expected = 0

  /** Counts a packet; `parts` are the filters that it names. @returns its weight */
  note(type: number, qos = 0, parts = 1): number {
    const weight = this.#weigh(type, qos, parts)
    this.#weight += weight
    return weight
  }

  #weigh(type: number, qos: number, parts: number): number {
    switch (type) {
      case PACKET.publish:
        if (qos === 2) this.#expected += 1
        return 1
      case PACKET.pubrel:
        if (this.#expected === 0) return 1
        this.#expected -= 1
        return 0
      case PACKET.puback:
      case PACKET.pubrec:
      case PACKET.pubcomp:
        return ACKNOWLEDGEMENT
      default:
        return parts
    }
  }

  /** How many milliseconds the client has to wait for what it sent. */
  debtMs(perSecond: number): number {
    if (this.#weight === 0) return 0
    this.#bucket ??= new TokenBucket(perSecond, perSecond * BURST_SECONDS)
    const debt = this.#bucket.borrow(this.#weight)
    this.#weight = 0
    return debt
  }
}
