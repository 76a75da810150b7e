/** Whether a session is open, as a part of statements about attempts. */
import { isAlive } from '../../../platform/database/node-life.ts'

/**
 * Whether the session of an attempt lasts. A killed process writes no end, but its heartbeat stops.
 * @param c the alias of the table of attempts
 */
export const sessionOf = (c: string): string =>
  `CASE WHEN ${c}.refusal IS NOT NULL THEN NULL
        WHEN ${c}.ended_at IS NOT NULL THEN 'ended'
        WHEN ${c}.node_id IS NULL THEN 'unknown'
        WHEN EXISTS (SELECT FROM nodes n WHERE n.id = ${c}.node_id AND ${isAlive('n')}) THEN 'open'
        ELSE 'ended' END`
