/** Shapes of operations that change a password or a factor, and so may end sessions. */
import Type from 'typebox'
import { NamedObject } from './shapes.ts'

export const EndOtherSessions = Type.Optional(
  Type.Boolean({ description: 'Whether the other sessions of the account end; true by default.' }),
)

export const EndedSessions = NamedObject('EndedSessions', {
  sessions_ended: Type.Integer({ description: 'The number of other sessions that ended.' }),
})
