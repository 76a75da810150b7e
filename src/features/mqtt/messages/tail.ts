/** Streams of the messages of one workspace: allowed topics, renewal, and audit log entries. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isTopicFilter } from '../../../adapters/broker/topics.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import type { LiveMessage, LiveStream } from '../../../platform/http/live-form.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { record } from '../../../platform/record/record.ts'
import { slugOf } from './store.ts'
import type { NewTail, TailHub } from './tail-hub.ts'
import type { MessageTail, TailBatch, TailMessages } from './schema.ts'
import * as store from './tail-store.ts'

export interface TailServices {
  messageTails: TailHub
}

type TailContext = Context & TailServices

/** How often messages are sent. */
const GATHER_MS = 250
/** How often the row of a stream is renewed, and how often a silent stream gets a heartbeat. */
const RENEW_MS = 1_000
const BEAT_MS = 15_000

/** @throws Failure invalid_request */
async function readTail(
  { db, workspaceId }: Pick<TailContext, 'db' | 'workspaceId'>,
  { topic, config = false }: TailMessages,
): Promise<Omit<NewTail, 'id'>> {
  const slug = found(await slugOf(db, workspaceId), 'workspace_not_found')
  const filter = topic ?? `${slug}/#`
  if (!isTopicFilter(filter)) throw invalid('/query/topic', 'is no well-formed topic filter')
  if (!filter.startsWith(`${slug}/`)) {
    throw invalid('/query/topic', 'must begin with the slug of the workspace and a slash')
  }
  return { workspaceId, slug, filter, hasConfig: config }
}

const viewOf = ({ filter, hasConfig }: Omit<NewTail, 'id'>): MessageTail => ({
  topic: filter,
  config: hasConfig,
})

/** A description of the messages that a stream with this query would show. */
export const describeTail = async (
  context: TailContext,
  query: TailMessages,
): Promise<MessageTail> => viewOf(await readTail(context, query))

/** Writes the start or the end of a stream, announces it to all processes, and records it. */
function change(
  context: TailContext,
  tail: NewTail,
  action: 'mqtt_messages.observed' | 'mqtt_messages.observation_ended',
  write: (trx: Db) => Promise<void>,
  seen?: object,
): Promise<void> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    await write(trx)
    await feed.announce(trx, 'mqtt-tail', tail.id)
    const data = { ...viewOf(tail), ...seen }
    await record(trx, originOf(context), { workspaceId, action, data })
  })
}

const messagesOf = ({ messages, skipped }: TailBatch): LiveMessage[] => [
  ...messages.map((data): LiveMessage => ({ event: 'message', data })),
  ...(skipped > 0 ? [{ event: 'skipped', data: { count: skipped } }] : []),
]

export async function* tailMessages(
  context: TailContext,
  query: TailMessages,
  { signal }: LiveStream,
): AsyncGenerator<LiveMessage[]> {
  const { db, clock, workspaceId, messageTails } = context
  const tail = { ...(await readTail(context, query)), id: newUuid() }
  const from = clock.now()
  let [sent, skipped] = [0, 0]
  let [beatAt, renewAt] = [from + BEAT_MS, from + RENEW_MS]
  // The buffer opens before the row exists, so that no message of this process is missed.
  const { buffer, close } = messageTails.open(tail)
  try {
    await change(context, tail, 'mqtt_messages.observed', (trx) =>
      store.insertTail.run(trx, { ...tail, nodeId: context.nodeId }),
    )
    yield [{ event: 'ready', data: viewOf(tail) }]
    for (;;) {
      await sleep(GATHER_MS, undefined, { signal }).catch(() => {})
      const now = clock.now()
      // With another slug these topics may belong to somebody else.
      const isOver =
        now >= renewAt && !(await store.renewTail.any(db, { workspaceId, id: tail.id }))
      if (signal.aborted || isOver) return
      if (now >= renewAt) renewAt = now + RENEW_MS
      const others = await store.takeBatches.rows(db, { workspaceId, tailId: tail.id })
      for (const { batch } of others) buffer.addBatch(batch, now)
      const batch = buffer.take()
      sent += batch.messages.length
      skipped += batch.skipped
      const messages = messagesOf(batch)
      if (messages.length > 0) yield messages
      else if (now >= beatAt) yield [{}]
      if (messages.length > 0 || now >= beatAt) beatAt = now + BEAT_MS
    }
  } finally {
    await close()
    const seconds = Math.round((clock.now() - from) / 1_000)
    const seen = { messages: sent, skipped, seconds }
    const remove = (trx: Db): Promise<void> => store.removeTail.run(trx, tail)
    await change(context, tail, 'mqtt_messages.observation_ended', remove, seen)
  }
}
