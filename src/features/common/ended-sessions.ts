/** Shapes of operations that change a password or a factor, and so may end sessions. */
import Type from 'typebox'
import { Flag, Integer, NamedObject } from './shapes.ts'

export const EndOtherSessions = Type.Optional(
  Flag('Whether the other sessions of the account end; true by default.'),
)

export const EndedSessions = NamedObject('EndedSessions', {
  sessions_ended: Integer('The number of other sessions that ended.'),
})
