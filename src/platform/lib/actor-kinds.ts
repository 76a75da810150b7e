/** The kinds of actors. A row names the kind of its actor besides the id. */

export const actorKinds = [
  'user',
  'platform-key',
  'provision-key',
  'device',
  'moid',
  'mqtt-principal',
  'mqtt-login',
  'anonymous',
  'service',
] as const
export type ActorKind = (typeof actorKinds)[number]
