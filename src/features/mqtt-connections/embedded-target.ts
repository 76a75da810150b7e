/** This process's embedded broker, as a revoke sees it. */
import type { Broker, RevokeTarget } from '../../broker/port.ts'
import { parseId } from '../../lib/ids.ts'
import type { DeviceAuthority } from '../mqtt-credentials/authority.ts'
import { stillAdmitted } from '../mqtt-credentials/credential.ts'

/** The change feed is read several times a second, and each change acts at once. */
const BOUND_SECONDS = 1

export function createEmbeddedTarget(parts: {
  nodeId: string
  broker: Pick<Broker, 'connections' | 'disconnect'>
  authority: Pick<DeviceAuthority, 'forget' | 'decisive'>
}): RevokeTarget {
  const { nodeId, broker, authority } = parts
  return {
    name: `embedded/${nodeId}`,
    boundSeconds: BOUND_SECONDS,
    async purge(principalId) {
      const deviceId = parseId('dev', principalId)
      if (deviceId !== undefined) authority.forget(deviceId)
    },
    cut: (principalId, reason) => broker.disconnect(principalId, reason),
    async verify(principalId) {
      const deviceId = parseId('dev', principalId)
      const credential = deviceId === undefined ? undefined : await authority.decisive(deviceId)
      // A session that is live now counts as seen only if the same CONNECT would be let in again.
      return broker
        .connections(principalId)
        .every((session) => credential !== undefined && stillAdmitted(credential, session))
    },
  }
}
