/** Shapes of operations that change a password or a factor, and so may end sessions. */
import Type from 'typebox'

export const EndOtherSessions = Type.Optional(
  Type.Boolean({ description: 'Whether the other sessions of the account end; true by default.' }),
)

export const EndedSessions = Type.Object(
  { sessions_ended: Type.Integer({ description: 'The number of other sessions that ended.' }) },
  { title: 'EndedSessions' },
)
