/**
 * The changes noted for one batch. Of changes that undo each other none is left: a message that is
 * acknowledged before its batch begins is never written.
 */
import { hash } from 'node:crypto'
import type {
  KeptDelivery,
  KeptRetained,
  KeptSession,
  SessionKey,
  StoreNotes,
} from '../../../adapters/broker/store-port.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import type { BatchParams } from './store.ts'

/** The changes noted of one session. */
interface Notes {
  workspaceId: string
  id: number
  saved: KeptSession | undefined
  isGone: boolean
  queued: Map<number, KeptDelivery>
  released: Set<number>
  taken: Set<number>
  /** Packet identifiers, and whether they wait for PUBREL. */
  receipts: Map<number, boolean>
}

interface Retained {
  workspaceId: string
  topic: string
  message: KeptRetained | undefined
}

/** About how many bytes a row takes up in addition to its texts and bytes. */
const ROW_BYTES = 200
const NOTHING = Buffer.alloc(0)

const timeOf = (milliseconds: number): string | null =>
  milliseconds === 0 ? null : new Date(milliseconds).toISOString()

/** @param id `ws_…`, of a grant */
export function workspaceUuid(id: string): string {
  const uuid = parseId('ws', id)
  if (uuid === undefined) throw new Error('The id of a workspace is malformed.')
  return uuid
}

const willText = ({ will }: KeptSession): string | null =>
  will === undefined
    ? null
    : JSON.stringify({
        ...will,
        payload: will.payload.toString('base64'),
        properties: will.properties.toString('base64'),
      })

/** Several lists of the same length: the columns of rows. */
function columns<Item, Columns extends Record<string, (item: Item) => unknown>>(
  items: readonly Item[],
  of: Columns,
): { [Name in keyof Columns]: ReturnType<Columns[Name]>[] } {
  const lists: Record<string, unknown[]> = {}
  for (const [name, value] of Object.entries(of)) lists[name] = items.map(value)
  return lists as { [Name in keyof Columns]: ReturnType<Columns[Name]>[] }
}

export class Batch implements StoreNotes {
  #sessions = new Map<number, Notes>()
  #retained = new Map<string, Retained>()
  /** Functions that are called in this order once the batch is committed. */
  readonly callbacks: (() => void)[] = []
  rows = 0
  bytes = 0

  get isEmpty(): boolean {
    return this.#sessions.size === 0 && this.#retained.size === 0
  }

  /** Whether the changes cancel each other, as of a message that was queued and then delivered. */
  get changesNothing(): boolean {
    if (this.#retained.size > 0) return false
    return [...this.#sessions.values()].every(
      ({ saved, isGone, queued, released, taken, receipts }) =>
        saved === undefined &&
        !isGone &&
        queued.size + released.size + taken.size + receipts.size === 0,
    )
  }

  #note({ workspaceId, id }: SessionKey, bytes = 0): Notes {
    this.rows += 1
    this.bytes += bytes + ROW_BYTES
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const notes: Notes = {
      workspaceId: workspaceUuid(workspaceId),
      id,
      saved: undefined,
      isGone: false,
      queued: new Map(),
      released: new Set(),
      taken: new Set(),
      receipts: new Map(),
    }
    this.#sessions.set(id, notes)
    return notes
  }

  save(session: KeptSession): void {
    this.#note(session).saved = session
  }

  drop(session: SessionKey): void {
    this.#sessions.delete(session.id)
    this.#note(session).isGone = true
  }

  queue(session: SessionKey, delivery: KeptDelivery): void {
    const { payload, properties, topic } = delivery
    const bytes = payload.length + properties.length + topic.length
    this.#note(session, bytes).queued.set(delivery.seq, delivery)
  }

  release(session: SessionKey, seq: number): void {
    const { queued, released } = this.#note(session)
    const waiting = queued.get(seq)
    if (waiting === undefined) released.add(seq)
    else {
      const empty = { payload: NOTHING, properties: NOTHING }
      queued.set(seq, { ...waiting, ...empty, isReleased: true })
    }
  }

  unqueue(session: SessionKey, seq: number): void {
    const { queued, released, taken } = this.#note(session)
    released.delete(seq)
    if (!queued.delete(seq)) taken.add(seq)
  }

  receive(session: SessionKey, packetId: number): void {
    this.#note(session).receipts.set(packetId, true)
  }

  unreceive(session: SessionKey, packetId: number): void {
    this.#note(session).receipts.set(packetId, false)
  }

  retain(message: KeptRetained): void {
    this.#retain(message.workspaceId, message.topic, message)
  }

  unretain(workspaceId: string, topic: string): void {
    this.#retain(workspaceId, topic, undefined)
  }

  #retain(workspaceId: string, topic: string, message: KeptRetained | undefined): void {
    this.rows += 1
    this.bytes += topic.length + (message?.payload.length ?? 0) + ROW_BYTES
    const retained = { workspaceId: workspaceUuid(workspaceId), topic, message }
    this.#retained.set(`${workspaceId}/${topic}`, retained)
  }

  params(epoch: number): BatchParams {
    const sessions = [...this.#sessions.values()]
    const noted = { ...savedOf(sessions), ...messagesOf(sessions), ...receiptsOf(sessions) }
    return { epoch, ...noted, ...this.#retainedParams() }
  }

  #retainedParams() {
    const all = [...this.#retained.values()]
    const kept = all.flatMap(({ message, ...rest }) =>
      message === undefined ? [] : [{ ...rest, message }],
    )
    const gone = all.filter(({ message }) => message === undefined)
    return {
      ...columns(kept, {
        retainedIn: ({ workspaceId }) => workspaceId,
        retainedHashes: ({ topic }) => hash('sha256', topic, 'buffer'),
        retainedTopics: ({ topic }) => topic,
        retainedPayloads: ({ message }) => message.payload,
        retainedQos: ({ message }) => message.qos,
        retainedProperties: ({ message }) => message.properties,
        retainedUntil: ({ message }) => timeOf(message.expiresAt),
        owners: ({ message }) => message.principalId ?? null,
      }),
      ...columns(gone, {
        unretainedIn: ({ workspaceId }) => workspaceId,
        unretained: ({ topic }) => hash('sha256', topic, 'buffer'),
      }),
    }
  }
}

function savedOf(sessions: readonly Notes[]) {
  const saved = sessions.flatMap(({ workspaceId, saved: session }) =>
    session === undefined ? [] : [{ workspaceId, session }],
  )
  return {
    ...columns(
      sessions.filter(({ isGone }) => isGone),
      { goneIn: ({ workspaceId }) => workspaceId, gone: ({ id }) => id },
    ),
    ...columns(saved, {
      savedIn: ({ workspaceId }) => workspaceId,
      saved: ({ session }) => session.id,
      principals: ({ session }) => session.principalId,
      clientIds: ({ session }) => session.clientId,
      credentialVersions: ({ session }) => session.credentialVersion,
      protocolVersions: ({ session }) => session.protocolVersion,
      incarnations: ({ session }) => session.incarnation,
      expiries: ({ session }) => session.expirySeconds,
      subscriptions: ({ session }) => JSON.stringify(session.subscriptions),
      wills: ({ session }) => willText(session),
      awayAts: ({ session }) => timeOf(session.awayAt),
      unsentFroms: ({ session }) => session.unsentFrom,
    }),
  }
}

type Item<Value> = readonly [notes: Notes, value: Value]

const each = <Value>(
  sessions: readonly Notes[],
  of: (notes: Notes) => Iterable<Value>,
): Item<Value>[] =>
  sessions.flatMap((notes) => [...of(notes)].map((value) => [notes, value] as const))

function messagesOf(sessions: readonly Notes[]) {
  return {
    ...columns(
      each(sessions, ({ queued }) => queued.values()),
      {
        queuedIn: ([{ workspaceId }]) => workspaceId,
        queuedFor: ([{ id }]) => id,
        seqs: ([, { seq }]) => seq,
        packetIds: ([, { packetId }]) => packetId,
        qos: ([, { qos }]) => qos,
        retains: ([, { retain }]) => retain,
        areReleased: ([, { isReleased }]) => isReleased,
        topics: ([, { topic }]) => topic,
        payloads: ([, { payload }]) => payload,
        properties: ([, { properties }]) => properties,
        expiresAts: ([, { expiresAt }]) => timeOf(expiresAt),
        identifiers: ([, { identifiers }]) =>
          identifiers === undefined ? null : JSON.stringify(identifiers),
        shares: ([, { share }]) => share ?? null,
      },
    ),
    ...columns(
      each(sessions, ({ released }) => released),
      {
        releasedIn: ([{ workspaceId }]) => workspaceId,
        releasedFor: ([{ id }]) => id,
        released: ([, seq]) => seq,
      },
    ),
    ...columns(
      each(sessions, ({ taken }) => taken),
      {
        takenIn: ([{ workspaceId }]) => workspaceId,
        takenFrom: ([{ id }]) => id,
        taken: ([, seq]) => seq,
      },
    ),
  }
}

function receiptsOf(sessions: readonly Notes[]) {
  const receipts = each(sessions, (notes) => notes.receipts)
  return {
    ...columns(
      receipts.filter(([, [, waits]]) => waits),
      {
        receivedIn: ([{ workspaceId }]) => workspaceId,
        receivedBy: ([{ id }]) => id,
        received: ([, [packetId]]) => packetId,
      },
    ),
    ...columns(
      receipts.filter(([, [, waits]]) => !waits),
      {
        unreceivedIn: ([{ workspaceId }]) => workspaceId,
        unreceivedBy: ([{ id }]) => id,
        unreceived: ([, [packetId]]) => packetId,
      },
    ),
  }
}
