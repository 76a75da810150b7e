/**
 * The first use of a pending secret, whosever it is: it is good from now on, older ones are not.
 */
import type { Services } from '../../context.ts'
import { confirmDeviceSecret } from '../device-secrets/device-secret.ts'
import { confirmPrincipalSecret } from '../mqtt-principals/principal-secret.ts'
import type { Credential, Secret } from './credential.ts'

export async function confirmSecret(
  services: Pick<Services, 'db' | 'feed'>,
  { kind, workspaceId, id }: Credential,
  { generation }: Secret,
): Promise<void> {
  const { db } = services
  if (kind === 'device') {
    await confirmDeviceSecret(services, db, workspaceId, id, 'mqtt', generation)
  } else if (kind === 'principal') {
    await confirmPrincipalSecret(services, db, workspaceId, id, generation)
  }
}
