/** This process's embedded broker, as the target of a revocation. */
import type { RevokeTarget } from '../../../adapters/broker/external-port.ts'
import type { Broker } from '../../../adapters/broker/port.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { hasRulesOf } from '../credentials/credential.ts'
import { readIdentity } from '../credentials/identity.ts'

/** The change feed is read several times a second, and each change acts at once. */
const BOUND_SECONDS = 1

export function createEmbeddedTarget(parts: {
  nodeId: string
  broker: Pick<Broker, 'connections' | 'disconnect'>
  authority: Pick<CredentialAuthority, 'evict' | 'load' | 'refusalOf'>
}): RevokeTarget {
  const { nodeId, broker, authority } = parts
  return {
    name: `embedded/${nodeId}`,
    boundSeconds: BOUND_SECONDS,
    async purge(principalId) {
      const identity = readIdentity(principalId)
      if (identity !== undefined) authority.evict(identity)
    },
    disconnect: (principalId, reason) => broker.disconnect(principalId, reason),
    async verify(principalId) {
      const identity = readIdentity(principalId)
      const credential = identity && (await authority.load(identity))
      const live = broker.connections(principalId)
      if (credential === undefined) return live.length === 0
      // A session that is live now counts as seen only if the same CONNECT would be let in again.
      for (const session of live) {
        if ((await authority.refusalOf(session, credential)) !== undefined) return false
        if (!hasRulesOf(credential, session)) return false
      }
      return true
    },
  }
}
