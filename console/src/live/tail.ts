/** Messages as they are published. */
import { operations } from '../../../sdk/schema.ts'
import { pathOf } from '../api/path.ts'
import { type Followed, type Heard, type Numbered, useFollowed } from './follow.ts'
import type { Message } from './messages.ts'

interface TailedMessage {
  at: string
  topic: string
  broker: string
  client: string | null
  qos: number
  retain: boolean
  bytes: number
  encoding: 'text' | 'base64'
  payload: string
}

export type TailMessage = Numbered<TailedMessage>
export type TailState = Followed<TailedMessage>

export interface TailInput {
  workspaceId: string
  topic: string
  config: boolean
}

function read({ event, data }: Message): Heard<TailedMessage> {
  if (event === 'ready') return { isReady: true }
  if (event === 'message') return { item: data as TailedMessage }
  return event === 'skipped' ? { skipped: (data as { count: number }).count } : {}
}

function pathOfTail({ workspaceId, topic, config }: TailInput): string {
  const query = { topic, ...(config && { config }) }
  return pathOf(operations.tailMessages, { params: { id: workspaceId }, query })
}

/** @param input null: nothing is watched */
export const useTail = (input: TailInput | null) =>
  useFollowed({
    id: 'tailMessages',
    path: input === null ? null : pathOfTail(input),
    read,
    saysReady: true,
  })
