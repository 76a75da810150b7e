/**
 * Records the use of secrets. The first use of a pending secret confirms it, invalidates older ones
 * and ends the sessions that began with them: on embedded brokers through the change feed, on
 * external brokers through a receipt. A device's secret is marked as used before the CONNACK is
 * sent, so that no later response repeats it.
 */
import type { ConnectRequest } from '../../../adapters/broker/port.ts'
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { MicroBatcher } from '../../../platform/lib/micro-batcher.ts'
import {
  confirmDeviceSecret,
  markSecretsUsed,
  type SecretName,
} from '../device-secrets/device-secret.ts'
import { confirmPrincipalSecret } from '../principals/principal-secret.ts'
import { endOlderSessions } from '../revocation/receipt-issue.ts'
import type { Credential, Match, Secret } from './credential.ts'

export interface SecretUseServices extends Pick<Services, 'db' | 'feed'> {
  /** Names of the external brokers on which sessions can be ended. */
  externalBrokers: () => readonly string[]
}

/** A new fleet that connects for the first time is marked in batches. */
const LIMITS = { batchSize: 128, inFlight: 2, timeoutMs: 50 }

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
  { external }: ConnectRequest,
): Promise<void> {
  const { db } = services
  const brokers = services.externalBrokers()
  if (brokers.length === 0) {
    await confirm(services, db, credential, secret)
    return
  }
  await db.transaction(async (trx) => {
    if (!(await confirm(services, trx, credential, secret))) return
    const { workspaceId, name: subject } = credential
    await endOlderSessions(trx, { workspaceId, subject, brokers, presentedAt: external })
  })
}

export class SecretUses {
  readonly #services: SecretUseServices
  readonly #marks: MicroBatcher<SecretName, void>

  constructor(services: SecretUseServices) {
    this.#services = services
    this.#marks = new MicroBatcher<SecretName, void>(async (secrets) => {
      await markSecretsUsed(services.db, secrets)
      return []
    }, LIMITS)
  }

  /** Whether the use must be written before the CONNACK is sent. */
  static isNew({ secret }: Match): boolean {
    return secret.expiresAt !== null || !secret.isUsed
  }

  /** @param isAccepted a refused CONNECT confirms nothing, but its secret did arrive */
  async record(match: Match, request: ConnectRequest, isAccepted: boolean): Promise<void> {
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
