/** Ends sessions, publishes their wills, and notifies the authority in order. */
import type { BrokerAuthority, ConnectRequest, Session, TopicRule } from '../port.ts'
import { type CompiledRules, compiledOnce } from '../topics.ts'
import { type Client, MqttSession } from './client.ts'
import type { Deliveries } from './delivery.ts'
import type { Durability } from './durability.ts'
import type { BrokerLog } from './log.ts'
import type { Publishing } from './publishing.ts'
import {
  DISCONNECT_CODES,
  DISCONNECT_TEXTS,
  type EndReason,
  type Refused,
  SHUTTING_DOWN,
} from './reason-codes.ts'
import type { Sessions } from './sessions.ts'
import type { Subscribing } from './subscribing.ts'
import type { Wheel } from './wheel.ts'

export interface LifecycleParts {
  authority: BrokerAuthority
  log: BrokerLog
  wheel: Wheel
  sessions: Sessions
  deliveries: Deliveries
  durability: Durability
  publishing: Publishing
  subscribing: Subscribing
}

/** Whether the service itself ends the session: nothing may be delivered any more. */
const isByService = (reason: Client['ending']): boolean =>
  reason === 'administrative' || reason === 'not_authorized'

export class Lifecycle {
  #parts: LifecycleParts
  #departures = 0

  constructor(parts: LifecycleParts) {
    this.#parts = parts
  }

  /** Calls the authority; its errors are logged and do not affect the session. */
  notify(call: (authority: BrokerAuthority) => void): void {
    try {
      call(this.#parts.authority)
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A broker event could not be handled.')
    }
  }

  refused(request: ConnectRequest, refused: Refused): void {
    const reason = refused.reason === 'too_often' ? 'busy' : refused.reason
    this.notify((authority) => authority.refused(request, { ...refused, reason }))
  }

  /** Creates a session that has no client yet. */
  create(name: string, info: Session, rules: CompiledRules): MqttSession {
    const session = new MqttSession(name, info, rules, this.#isDue)
    this.#parts.sessions.add(session)
    return session
  }

  /**
   * Ends a live session; resolves when its socket is closed. Of several calls the first reason
   * counts.
   * @param reasonCode the code that an MQTT 5 client receives; undefined: the code of the reason
   */
  end(client: Client, reason: EndReason | 'stopping', reasonCode?: number): Promise<void> {
    if (client.ending === undefined && !client.isEnding) {
      client.ending = reason
      const code = reason === 'stopping' ? SHUTTING_DOWN : DISCONNECT_CODES[reason]
      client.dismiss(reasonCode ?? code, DISCONNECT_TEXTS[reason])
      this.depart(client)
    }
    return client.whenClosed()
  }

  /** Detaches a leaving client from its session, which is kept or discarded, and notifies of it. */
  depart(client: Client): void {
    const { session } = client
    if (session?.client !== client) return
    const { deliveries, wheel, sessions, durability } = this.#parts
    session.client = undefined
    session.queue?.rewind()
    const isKept = session.expirySeconds > 0 && !isByService(client.ending)
    const isStopping = client.ending === 'stopping'
    // A will that is stored is published by the next process (MQTT 5.0, 3.1.2.5).
    const isDeferred = isStopping && isKept && session.key !== undefined
    if (client.ending === 'not_authorized' || (isStopping && !isDeferred)) session.will = undefined
    const delay = session.will?.delay ?? 0
    if (isDeferred || (isKept && delay > 0)) session.willAt = wheel.now + delay * 1000
    else this.#publishWill(session)
    if (isKept) {
      session.leftAt = Date.now()
      session.endsAt = wheel.now + session.expirySeconds * 1000
      session.awaySince = this.#departures += 1
      wheel.add(session)
      deliveries.handOver(session, false)
      durability.save(session)
    } else this.#discard(session)
    const { info } = session
    this.notify((authority) => authority.sessionClosed(info, client.ending ?? 'client'))
    if (!isKept) return
    for (const other of sessions.wentAway(session)) this.endStored(other, true)
  }

  #publishWill(session: MqttSession): void {
    const { will } = session
    session.will = undefined
    session.willAt = 0
    if (will === undefined) return
    // The expiry of a will begins now, and not with its CONNECT (MQTT 5.0, 3.1.3.2.4).
    if (will.expiry !== undefined) will.message.expireIn(will.expiry)
    this.#parts.publishing.will(session, will.message)
  }

  #discard(session: MqttSession): void {
    if (session.isOver) return
    const { sessions, subscribing, deliveries, wheel, durability } = this.#parts
    session.isOver = true
    session.received = undefined
    subscribing.dropAll(session)
    deliveries.handOver(session, true)
    session.queue?.close()
    durability.drop(session)
    wheel.remove(session)
    sessions.remove(session)
  }

  /** Publishes the will of a session whose client is away, or ends the session, when it is due. */
  #isDue = (session: MqttSession): void => {
    if (session.client !== undefined || session.isOver) return
    const { now } = this.#parts.wheel
    if (session.endsAt <= now) return this.endStored(session, true)
    if (session.willAt !== 0 && session.willAt <= now) {
      this.#publishWill(session)
      this.#parts.durability.save(session)
    }
    this.#parts.wheel.add(session)
  }

  /** Sets the deadlines of a restored session, which count from the time when its client left. */
  restored(session: MqttSession, leftAt: number): void {
    const { wheel, sessions, durability } = this.#parts
    const left = wheel.now - Math.max(0, Date.now() - leftAt)
    const after = (seconds: number): number => Math.max(1, left + seconds * 1000)
    session.leftAt = leftAt
    if (session.will !== undefined) session.willAt = after(session.will.delay)
    session.endsAt = after(session.expirySeconds)
    session.awaySince = this.#departures += 1
    wheel.add(session)
    durability.save(session)
    for (const other of sessions.wentAway(session)) this.endStored(other, true)
  }

  /** Ends a session whose client is away. */
  endStored(session: MqttSession, publishesWill: boolean): void {
    if (!publishesWill) session.will = undefined
    this.#publishWill(session)
    this.#discard(session)
  }

  /** Replaces a principal's rules. @returns the number of live sessions */
  regrant(principalId: string, rules: readonly TopicRule[]): number {
    const compiled = compiledOnce(rules)
    let live = 0
    for (const session of this.#parts.sessions.ofPrincipal(principalId)) {
      session.info.grant = { ...session.info.grant, rules }
      this.narrow(session, compiled)
      if (session.client !== undefined) live += 1
    }
    return live
  }

  /** Replaces the rules of a session, and drops queued messages that they do not allow. */
  narrow(session: MqttSession, rules: CompiledRules): void {
    session.rules = rules
    session.queue?.keep((topic) => session.mayReceive(topic))
  }
}
