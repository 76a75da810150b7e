/**
 * The use of a secret, whosever it is. The first use of a pending one confirms it: it is good from
 * now on, older ones are not, and the sessions that began with them end. Those of embedded brokers
 * end when the change feed tells of it, others by a receipt. Every secret of a device that was
 * presented is marked, before the CONNECT is answered: no response repeats it from then on.
 */
import type { ConnectRequest } from '../../../adapters/broker/port.ts'
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { GatheredWork } from '../../../platform/lib/gathered-work.ts'
import {
  confirmDeviceSecret,
  markSecretsUsed,
  type SecretName,
} from '../device-secrets/device-secret.ts'
import { confirmPrincipalSecret } from '../principals/principal-secret.ts'
import { endOlderSessions } from '../revocation/receipt-issue.ts'
import type { Credential, Match, Secret } from './credential.ts'

export interface SecretUseServices extends Pick<Services, 'db' | 'feed'> {
  /** Names of brokers elsewhere on which the older sessions of a principal can be ended. */
  elsewhere: () => readonly string[]
}

/** Devices that connect for the first time, such as a new fleet, are marked together. */
const LIMITS = { atOnce: 128, underWay: 2, patienceMs: 50 }

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

async function confirmSecret(
  services: SecretUseServices,
  { credential, secret }: Match,
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

export class SecretUses {
  readonly #services: SecretUseServices
  readonly #marks: GatheredWork<SecretName, void>

  constructor(services: SecretUseServices) {
    this.#services = services
    this.#marks = new GatheredWork<SecretName, void>(async (secrets) => {
      await markSecretsUsed(services.db, secrets)
      return []
    }, LIMITS)
  }

  /** Whether a use has to be written before it is answered. */
  static isNew({ secret }: Match): boolean {
    return secret.expiresAt !== null || !secret.isUsed
  }

  /** @param isAccepted a refused CONNECT confirms nothing, yet its secret is not lost */
  async note(match: Match, request: ConnectRequest, isAccepted: boolean): Promise<void> {
    const { credential, secret } = match
    if (isAccepted && secret.expiresAt !== null) {
      await confirmSecret(this.#services, match, request)
    } else if (!secret.isUsed) {
      const { workspaceId, id: deviceId } = credential
      const { generation } = secret
      await this.#marks.run('', { workspaceId, deviceId, kind: 'mqtt', generation })
    }
    secret.isUsed = true
  }
}
