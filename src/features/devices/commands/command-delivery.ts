/**
 * Delivers commands to devices that are subscribed on this process's broker. One statement takes a
 * command, so exactly one process publishes it; a taken command that then finds no subscriber is
 * returned.
 */
import type { Message, Session } from '../../../adapters/broker/port.ts'
import { compiledOnce, intersects, mayReceive } from '../../../adapters/broker/topics.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import type { DevicePublisher } from '../../mqtt/sessions/session-events.ts'
import type { DeviceSession } from '../../mqtt/sessions/session-registry.ts'
import { CommandResponses } from './command-responses.ts'
import { messageOf } from './command-view.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'
import { columnsOf } from '../../../platform/database/sql.ts'

export interface DeliveryServices extends Pick<Services, 'db' | 'feed'> {
  publisher: DevicePublisher
  log: (message: string, error: unknown) => void
}

/** Devices examined together, and commands taken at once. */
const DEVICE_BATCH = 200
const COMMAND_BATCH = 200

interface Listening {
  device: DeviceSession
  /** Sessions subscribed to commands, by id. */
  sessions: Map<string, Session>
}

/** Whether a filter matches commands on either topic. */
const hearsCommands = (filter: string, prefix: string): boolean =>
  intersects(filter, `${prefix}/cmd`) || intersects(filter, `${prefix}/cmd/+`)

/** Whether the session's current rules let it receive commands. */
function mayHear({ grant }: Session, prefix: string): boolean {
  const rules = compiledOnce(grant.rules)
  if (mayReceive(rules, `${prefix}/cmd`)) return true
  return grant.rules.some(
    ({ topic, action, permission }) =>
      permission === 'allow' && action !== 'publish' && intersects(topic, `${prefix}/cmd/+`),
  )
}

async function send(
  broker: DevicePublisher,
  prefix: string,
  command: store.DueCommand,
  onLost: (error: unknown) => void,
): Promise<void> {
  const payload = Buffer.from(JSON.stringify(messageOf(command)))
  // Newer firmware subscribes to the first, older firmware to the second.
  for (const topic of [`${prefix}/cmd`, `${prefix}/cmd/${command.name}`]) {
    await broker.publish({ topic, payload, qos: 1, retain: false }, onLost)
  }
}

export class CommandDelivery {
  readonly #services: DeliveryServices
  readonly #responses: CommandResponses
  readonly #worker: SerialWorker
  /** By device UUID. */
  readonly #listening = new Map<string, Listening>()
  /** Devices that may have pending commands. */
  readonly #due = new Set<string>()

  constructor(services: DeliveryServices) {
    this.#services = services
    const { feed, log } = services
    this.#worker = new SerialWorker(
      () => this.#deliver(),
      (error) => log('commands could not be sent', error),
    )
    this.#responses = new CommandResponses(services, (error) =>
      log('results of commands could not be written', error),
    )
    feed.on('command', (deviceId) => this.#check(deviceId))
    feed.onGap(() => {
      for (const deviceId of this.#listening.keys()) this.#check(deviceId)
    })
  }

  /** Stops sending. */
  stop(): void {
    this.#worker.stop()
  }

  /** Writes the responses that have come so far. */
  store(): Promise<void> {
    return this.#responses.writes.store()
  }

  /** Writes pending responses at shutdown. */
  flushResponses(): Promise<void> {
    return this.#responses.writes.flush()
  }

  subscribed(session: Session, device: DeviceSession, filters: readonly string[]): void {
    if (!filters.some((filter) => hearsCommands(filter, device.topicPrefix))) return
    const { deviceId } = device
    const sessions = this.#listening.get(deviceId)?.sessions ?? new Map<string, Session>()
    this.#listening.set(deviceId, { device, sessions: sessions.set(session.sessionId, session) })
    this.#check(deviceId)
  }

  unsubscribed({ sessionId }: Session, { deviceId }: DeviceSession): void {
    const listening = this.#listening.get(deviceId)
    listening?.sessions.delete(sessionId)
    if (listening?.sessions.size === 0) this.#listening.delete(deviceId)
  }

  /** A device's rules changed: commands may have been waiting for that. */
  regranted(deviceId: string): void {
    this.#check(deviceId)
  }

  /** Responses for which there was no room, since the start of the process. */
  get dropped(): number {
    return this.#responses.dropped
  }

  hasRoom(device: DeviceSession, { topic }: Message): boolean {
    return topic !== `${device.topicPrefix}/ack` || this.#responses.hasRoom(device)
  }

  published(device: DeviceSession, { topic, payload }: Message): void {
    if (topic === `${device.topicPrefix}/ack`) this.#responses.add(device, payload)
  }

  #check(deviceId: string): void {
    if (!this.#listening.has(deviceId)) return
    this.#due.add(deviceId)
    this.#worker.wake()
  }

  /** The device, if one of its sessions is subscribed and allowed to receive commands. */
  #addressee(deviceId: string): DeviceSession | undefined {
    const listening = this.#listening.get(deviceId)
    if (listening === undefined) return undefined
    const { device, sessions } = listening
    const hears = [...sessions.values()].some((session) => mayHear(session, device.topicPrefix))
    return hears ? device : undefined
  }

  /** @returns whether there is more to do */
  async #deliver(): Promise<boolean> {
    const deviceIds = [...this.#due].slice(0, DEVICE_BATCH)
    for (const deviceId of deviceIds) this.#due.delete(deviceId)
    const devices = deviceIds.flatMap((id) => this.#addressee(id) ?? [])
    if (devices.length === 0) return this.#due.size > 0
    try {
      const commands = await store.takePending(this.#services.db, devices, COMMAND_BATCH)
      const unsent = await this.#publish(commands)
      if (unsent.length > 0) await this.#giveBack(unsent)
      if (commands.length === COMMAND_BATCH) for (const id of deviceIds) this.#due.add(id)
    } catch (error) {
      for (const deviceId of deviceIds) this.#due.add(deviceId)
      throw error
    }
    return this.#due.size > 0
  }

  readonly #unheard = (error: unknown): void =>
    this.#services.log('a command could not be published', error)

  /** @returns commands without a subscriber */
  async #publish(commands: readonly store.DueCommand[]): Promise<store.DueCommand[]> {
    const unsent: store.DueCommand[] = []
    for (const command of commands) {
      const prefix = this.#addressee(command.device_id)?.topicPrefix
      if (prefix === undefined) {
        unsent.push(command)
        continue
      }
      // A command that fails here may have been received: it is not sent again, and times out.
      await send(this.#services.publisher, prefix, command, this.#unheard).catch(this.#unheard)
    }
    return unsent
  }

  #giveBack(commands: readonly store.DueCommand[]): Promise<void> {
    const { db, feed } = this.#services
    const deviceIds = [...new Set(commands.map(({ device_id }) => device_id))]
    return db.transaction(async (trx) => {
      await store.returnUnsent.run(trx, columnsOf(commands))
      await feed.announceAll(trx, 'command', deviceIds)
    })
  }
}
