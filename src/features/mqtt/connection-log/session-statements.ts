/** Whether a session is open, as a part of statements about attempts. */

/**
 * Whether the session of an attempt lasts. A killed process writes no end, but its heartbeat stops.
 * @param c the alias of the table of attempts
 */
export const sessionOf = (c: string): string =>
  `CASE WHEN ${c}.refusal IS NOT NULL THEN NULL
        WHEN ${c}.ended_at IS NOT NULL THEN 'ended'
        WHEN ${c}.node_id IS NULL THEN 'unknown'
        WHEN (SELECT n.beat_at FROM nodes n WHERE n.id = ${c}.node_id)
               > now() - interval '15 seconds' THEN 'open'
        ELSE 'ended' END`
