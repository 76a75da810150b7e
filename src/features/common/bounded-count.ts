/** Counts that stop, so that they cost the same in a workspace of any size. */
import Type, { type Static } from 'typebox'
import { Flag } from './shapes.ts'

/** The highest count of one kind. Counting one more shows whether there are more. */
export const MAX_COUNT = 10_000

export const BoundedCount = Type.Object({
  value: Type.Integer(),
  is_lower_bound: Flag('Whether there may be more: counting stops at 10,000.'),
})
export type BoundedCount = Static<typeof BoundedCount>

/** @param count of at most `MAX_COUNT + 1` */
export const boundedCount = (count: number): BoundedCount => ({
  value: Math.min(count, MAX_COUNT),
  is_lower_bound: count > MAX_COUNT,
})
