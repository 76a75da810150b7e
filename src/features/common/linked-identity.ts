/** An identity of a provider that signs in to an account, as its person and operators see it. */
import Type, { type Static } from 'typebox'
import { Id, NamedObject, Text, Timestamp } from './shapes.ts'

export const LinkedIdentity = NamedObject('LinkedIdentity', {
  id: Id('idn'),
  provider: Type.String(),
  email: Text('The address at the provider when it was linked.'),
  created_at: Timestamp,
  last_used_at: Timestamp,
})
export type LinkedIdentity = Static<typeof LinkedIdentity>
