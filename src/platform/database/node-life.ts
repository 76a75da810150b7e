/** When a process of the service counts as gone, as a part of statements. */

/**
 * Whether a process has written its heartbeat in the last 15 seconds.
 * @param n the alias of the table `nodes`
 */
export const isAlive = (n: string): string => `${n}.beat_at > now() - interval '15 seconds'`
