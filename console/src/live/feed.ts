/** Events as they come, after the newest that there are. */
import { type Event, operations } from '../../../sdk/schema.ts'
import type { Input } from '../api/client.ts'
import { pathOf } from '../api/path.ts'
import { type Followed, type Heard, type Numbered, useFollowed } from './follow.ts'
import type { Message } from './messages.ts'

export type FeedEvent = Numbered<Event>
export type FeedState = Followed<Event>

const read = ({ data }: Message): Heard<Event> => ({ item: data as Event })
const keyOf = ({ id }: Event): string => id

/** @param input null: nothing is followed */
export const useFeed = (input: Omit<Input<'readEvents'>, 'signal'> | null) =>
  useFollowed({
    id: 'readEvents',
    path: input === null ? null : pathOf(operations.readEvents, input),
    read,
    keyOf,
  })
