/**
 * The first use of a pending secret, whosever it is: it is good from now on, older ones are not,
 * and the sessions that began with them end. Those of embedded brokers end when the change feed
 * tells of it, others by a receipt.
 */
import type { ConnectRequest } from '../../broker/port.ts'
import type { Services } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { confirmDeviceSecret } from '../device-secrets/device-secret.ts'
import { confirmPrincipalSecret } from '../mqtt-principals/principal-secret.ts'
import { endOlderSessions } from '../mqtt-receipts/receipt-issue.ts'
import type { Credential, Secret } from './credential.ts'

export interface SecretUseServices extends Pick<Services, 'db' | 'feed'> {
  /** Names of brokers elsewhere on which the older sessions of a principal can be ended. */
  elsewhere: () => readonly string[]
}

async function confirm(
  services: SecretUseServices,
  db: Db,
  { kind, workspaceId, id }: Credential,
  { generation }: Secret,
): Promise<boolean> {
  if (kind === 'device') {
    return confirmDeviceSecret(services, db, workspaceId, id, 'mqtt', generation)
  }
  return kind === 'principal' && confirmPrincipalSecret(services, db, workspaceId, id, generation)
}

export async function confirmSecret(
  services: SecretUseServices,
  credential: Credential,
  secret: Secret,
  { elsewhere: shownAt }: ConnectRequest,
): Promise<void> {
  const { db } = services
  const brokers = services.elsewhere()
  if (brokers.length === 0) {
    await confirm(services, db, credential, secret)
    return
  }
  await db.transaction(async (trx) => {
    if (!(await confirm(services, trx, credential, secret))) return
    const { workspaceId, name: subject } = credential
    await endOlderSessions(trx, { workspaceId, subject, brokers, shownAt })
  })
}
