/** Schemas of the connection log. */
import Type, { type Static } from 'typebox'
import { ConnectionAttempt } from '../../common/connection-attempt.ts'

export const ConnectionLog = Type.Object({ items: Type.Array(ConnectionAttempt) })
export type ConnectionLog = Static<typeof ConnectionLog>
