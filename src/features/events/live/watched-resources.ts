/**
 * Reads the resources that streams watch, a few times a second: one statement for each kind serves
 * all streams of a process, and none runs while nobody watches. Each difference from the last
 * reading is a hint. So it does not matter which process has changed the resource.
 */
import type { Permission } from '../../../platform/access/permissions.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Debounced } from '../../../platform/lib/debounced.ts'
import { formatId, type IdPrefix } from '../../../platform/lib/ids.ts'
import { Semaphore } from '../../../platform/lib/semaphore.ts'
import { timestampOrNull } from '../../common/shapes.ts'
import type { Hint, Scope } from './hints.ts'
import type { WatchedCommands } from './schema.ts'
import * as store from './store.ts'

export const watchedKinds = ['device', 'job', 'rotation_campaign', 'webhook'] as const
export type WatchedKind = (typeof watchedKinds)[number]

/** One resource, or what is open of a kind in a workspace. */
export interface Watched {
  kind: WatchedKind
  workspaceId: string
  /** UUID; null for all that is open. */
  id: string | null
}

type Row = { workspace_id: string; id: string; commands?: WatchedCommands | null } & Record<
  string,
  unknown
>

interface Reading {
  workspaceIds: string[]
  ids: string[]
  fleets: string[]
}

interface Kind {
  prefix: IdPrefix
  permission: Permission
  /** Streams that watch it receive the hint, in addition to those that watch the resource. */
  scope: Scope | undefined
  read: (db: Db, reading: Reading) => Promise<Row[]>
}

export const kinds: Readonly<Record<WatchedKind, Kind>> = {
  device: {
    prefix: 'dev',
    permission: 'devices.read',
    scope: undefined,
    read: async (db, { workspaceIds, ids }) =>
      (await store.readDevices.rows(db, { workspaceIds, ids })).map((row) => ({
        ...row,
        config_reported_at: timestampOrNull(row.config_reported_at),
        last_seen_at: timestampOrNull(row.last_seen_at),
        connection_logged_at: timestampOrNull(row.connection_logged_at),
      })),
  },
  job: {
    prefix: 'job',
    permission: 'devices.read',
    scope: 'fleet',
    read: (db, reading) => store.readJobs.rows(db, { ...reading }),
  },
  rotation_campaign: {
    prefix: 'cmp',
    permission: 'devices.read',
    scope: 'fleet',
    read: (db, reading) => store.readCampaigns.rows(db, { ...reading }),
  },
  webhook: {
    prefix: 'whk',
    permission: 'events.read',
    scope: undefined,
    read: async (db, { workspaceIds, ids }) =>
      (await store.readWebhooks.rows(db, { workspaceIds, ids })).map(({ newest, ...row }) => ({
        ...row,
        delivery_id: newest && formatId('dlv', newest.id),
        tries: newest?.tries ?? 0,
      })),
  },
}

const keyOf = ({ kind, workspaceId, id }: Watched): string => `${kind} ${workspaceId} ${id}`

function readingOf(watched: readonly Watched[]): Reading {
  const single = watched.filter(({ id }) => id !== null)
  return {
    workspaceIds: single.map(({ workspaceId }) => workspaceId),
    ids: single.map(({ id }) => id as string),
    fleets: watched.filter(({ id }) => id === null).map(({ workspaceId }) => workspaceId),
  }
}

/** The commands of a device that are new or have another status. */
function commandHints(row: Row, last: Row): Hint[] {
  const before = last.commands ?? {}
  const changed = Object.entries(row.commands ?? {}).filter(([id, status]) => before[id] !== status)
  return changed.map(([id, status]) => ({
    kind: 'command',
    id: formatId('cmd', id),
    scope: undefined,
    permission: 'devices.read',
    deviceId: formatId('dev', row.id),
    events: [],
    data: { status },
  }))
}

function hintsOf(kind: WatchedKind, row: Row, last: Row): Hint[] {
  const { workspace_id: _workspaceId, id, commands: _commands, ...data } = row
  const { prefix, scope, permission } = kinds[kind]
  const isSame = Object.keys(data).every(
    (name) => JSON.stringify(data[name]) === JSON.stringify(last[name]),
  )
  const own: Hint = {
    kind,
    id: formatId(prefix, id),
    scope,
    permission,
    deviceId: kind === 'device' ? formatId('dev', id) : undefined,
    events: [],
    data,
  }
  return [...(isSame ? [] : [own]), ...commandHints(row, last)]
}

interface Options {
  db: Db
  everyMs: number
  onHint: (workspaceId: string, hint: Hint) => void
}

export class WatchedResources {
  readonly #options: Options
  /** How many streams watch each. */
  readonly #watched = new Map<string, { watched: Watched; streams: number }>()
  readonly #last = new Map<WatchedKind, Map<string, Row>>()
  readonly #polls: Debounced
  /** Readings are one after another, so that none is compared with a later one. */
  readonly #readings = new Semaphore({ concurrency: 1 })

  constructor(options: Options) {
    this.#options = options
    const { everyMs } = options
    this.#polls = new Debounced(() => this.#poll(), { pauseMs: everyMs, againMs: everyMs })
  }

  /**
   * Watches resources. Resolves when they have been read, so that no later change goes unnoticed.
   * @returns ends it
   */
  async add(resources: readonly Watched[]): Promise<() => void> {
    for (const watched of resources) {
      const key = keyOf(watched)
      const streams = (this.#watched.get(key)?.streams ?? 0) + 1
      this.#watched.set(key, { watched, streams })
    }
    try {
      await this.#readings.run(() => this.#readAll(resources))
    } catch (error) {
      this.#remove(resources)
      throw error
    }
    this.#polls.wake()
    return () => this.#remove(resources)
  }

  #remove(resources: readonly Watched[]): void {
    for (const watched of resources) {
      const key = keyOf(watched)
      const entry = this.#watched.get(key)
      if (entry === undefined) continue
      entry.streams -= 1
      if (entry.streams === 0) this.#watched.delete(key)
    }
    if (this.#watched.size === 0) this.#last.clear()
  }

  /** @returns whether nobody watches any more */
  async #poll(): Promise<boolean> {
    const refresh = async (): Promise<void> => {
      const read = await this.#readAll([...this.#watched.values()].map(({ watched }) => watched))
      // A resource that nobody watches any more, or that is no longer open, is removed.
      for (const [kind, rows] of read) this.#last.set(kind, rows)
    }
    // Without a database there are no hints; the next reading is compared with the last one.
    await this.#readings.run(refresh).catch(() => {})
    return this.#watched.size === 0
  }

  async #readAll(resources: readonly Watched[]): Promise<Map<WatchedKind, Map<string, Row>>> {
    const read = new Map<WatchedKind, Map<string, Row>>()
    for (const kind of watchedKinds) {
      const ofKind = resources.filter((each) => each.kind === kind)
      read.set(kind, await this.#read(kind, ofKind))
    }
    return read
  }

  /** Reads, and reports differences; a value that is read for the first time is only stored. */
  async #read(kind: WatchedKind, resources: readonly Watched[]): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>()
    if (resources.length === 0) return rows
    const known = this.#last.get(kind) ?? new Map<string, Row>()
    this.#last.set(kind, known)
    for (const row of await kinds[kind].read(this.#options.db, readingOf(resources))) {
      const last = known.get(row.id)
      rows.set(row.id, row)
      known.set(row.id, row)
      if (last === undefined) continue
      for (const hint of hintsOf(kind, row, last)) this.#options.onHint(row.workspace_id, hint)
    }
    return rows
  }
}
