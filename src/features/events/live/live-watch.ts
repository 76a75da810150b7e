/** The stream of one caller: the resources that it watches and may read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { callerHolds } from '../../../platform/access/holding.ts'
import type { PlatformKeyCaller, UserCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import type { LiveMessage, LiveStream } from '../../../platform/http/live-form.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { HintBuffer } from './hint-buffer.ts'
import { type Hint, type Scope, scopes } from './hints.ts'
import type { LiveServices } from './live-hub.ts'
import type { LiveTopics, WatchLive } from './schema.ts'
import { kinds, type Watched, type WatchedKind, watchedKinds } from './watched-resources.ts'

type LiveContext = Context<UserCaller | PlatformKeyCaller> & LiveServices

const MAX_TOPICS = 20

interface Topics {
  names: string[]
  resources: Watched[]
}

/** @throws Failure invalid_request */
function readTopic(name: string): Scope | { kind: WatchedKind; id: string } {
  const scope = scopes.find((each) => each === name)
  if (scope !== undefined) return scope
  const [kindName, text = ''] = name.split(':')
  const kind = watchedKinds.find((each) => each === kindName)
  const id = kind && parseId(kinds[kind].prefix, text)
  if (kind !== undefined && id !== undefined) return { kind, id }
  throw invalid('/query/watch', `names nothing that can be watched: ${name.slice(0, 64)}`)
}

/** The resources that the caller asked for and may receive hints of. */
function topicsOf({ caller, workspaceId }: LiveContext, { watch = 'fleet' }: WatchLive): Topics {
  const asked = [...new Set(watch.split(','))]
  if (asked.length > MAX_TOPICS) {
    throw invalid('/query/watch', `names ${asked.length} things; ${MAX_TOPICS} is the most`)
  }
  const topics: Topics = { names: [], resources: [] }
  const add = (kind: WatchedKind, id: string | null): void => {
    topics.resources.push({ kind, workspaceId, id })
  }
  for (const name of asked) {
    const topic = readTopic(name)
    if (typeof topic === 'string') {
      topics.names.push(name)
      for (const kind of watchedKinds) {
        const { scope, permission } = kinds[kind]
        if (scope === topic && callerHolds(caller, workspaceId, permission)) add(kind, null)
      }
    } else if (callerHolds(caller, workspaceId, kinds[topic.kind].permission)) {
      topics.names.push(name)
      add(topic.kind, topic.id)
    }
  }
  return topics
}

/** The resources that a stream with this `watch` would report to the caller. */
export const listTopics = (context: LiveContext, query: WatchLive): LiveTopics => ({
  watching: topicsOf(context, query).names,
})

/** Whether a hint is for those who watch these topics. */
export function isWatched(topics: ReadonlySet<string>, hint: Hint): boolean {
  const { kind, id, scope, deviceId } = hint
  if (scope !== undefined && topics.has(scope)) return true
  return topics.has(`${kind}:${id}`) || (deviceId !== undefined && topics.has(`device:${deviceId}`))
}

export async function* watchWorkspace(
  context: LiveContext,
  query: WatchLive,
  { signal }: LiveStream,
): AsyncGenerator<LiveMessage[]> {
  const { caller, workspaceId, liveHub } = context
  const { names, resources } = topicsOf(context, query)
  const topics = new Set(names)
  const buffer = new HintBuffer(
    (hint) => isWatched(topics, hint) && callerHolds(caller, workspaceId, hint.permission),
  )
  const leave = await liveHub.join(workspaceId, buffer, resources)
  try {
    yield [{ event: 'ready', data: { watching: names } }]
    while (!signal.aborted) {
      const isFilled = await buffer.filled(liveHub.beatMs, signal)
      if (signal.aborted) return
      yield isFilled ? buffer.take() : [{}]
      await sleep(liveHub.gatherMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    leave()
  }
}
