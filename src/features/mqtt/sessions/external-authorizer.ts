/**
 * Decides the CONNECTs of external brokers. Their sessions are not reported: an accepted CONNECT
 * counts as one, which is enough to activate devices and to keep the connection log.
 */
import { LRUCache } from 'lru-cache'
import type { RemoteAuthority } from '../../../adapters/broker/external-port.ts'
import type {
  BrokerAuthority,
  ConnectRequest,
  Grant,
  Session,
} from '../../../adapters/broker/port.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import type { ConnectionAttempts } from '../connection-log/attempts.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { basisOf } from '../credentials/credential.ts'
import type { DelayedRecheck } from './delayed-recheck.ts'
import type { Presence } from './presence.ts'
import type { PrincipalContacts } from './principal-contacts.ts'

export interface ExternalAuthorizerServices {
  authority: CredentialAuthority
  presence: Presence
  contacts: PrincipalContacts
  attempts: ConnectionAttempts
  clock: Clock
  recheck: Pick<DelayedRecheck, 'add'>
  /** Called for each refused CONNECT. */
  refused: BrokerAuthority['refused']
  /** Called for each accepted CONNECT, as often as its broker asks. */
  onAdmitted?: (broker: string) => void
}

/** RabbitMQ 3.10 asks twice for one CONNECT: for the client and for its own connection. */
const SAME_CONNECT_MS = 2_000
/** Total characters of cached names: client ids may be long. */
const MAX_CHARACTERS = 4_194_304

interface Admitted {
  /** The broker that last accepted a principal. */
  lastAt: LRUCache<string, string>
  justLogged: LRUCache<string, true>
}

const emptyCaches = (): Admitted => ({
  lastAt: new LRUCache({ max: 100_000 }),
  justLogged: new LRUCache({
    max: 10_000,
    ttl: SAME_CONNECT_MS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, name) => name.length,
  }),
})

export class ExternalAuthorizer implements RemoteAuthority {
  readonly #services: ExternalAuthorizerServices
  readonly refused: BrokerAuthority['refused']
  /** Allocated at the first use. */
  #admitted: Admitted | undefined

  constructor(services: ExternalAuthorizerServices) {
    this.#services = services
    this.refused = services.refused
  }

  connect: RemoteAuthority['connect'] = (request) => this.#services.authority.connect(request)

  authorize: RemoteAuthority['authorize'] = (username, clientId) =>
    this.#services.authority.authorize(username, clientId)

  stillGives: RemoteAuthority['stillGives'] = (grant) => this.#services.authority.stillGives(grant)

  /** Which of the principals were last accepted by this broker, as far as this process knows. */
  lastAt(broker: string, names: readonly string[]): ReadonlySet<string> {
    return new Set(names.filter((name) => this.#admitted?.lastAt.get(name) === broker))
  }

  admitted(request: ConnectRequest, grant: Grant, broker: string): void {
    this.#admitted ??= emptyCaches()
    const { lastAt, justLogged } = this.#admitted
    lastAt.set(grant.principalId, broker)
    this.#services.recheck.add(grant, broker)
    this.#services.onAdmitted?.(broker)
    const key = `${grant.principalId} ${request.clientId}`
    const isRepeated = justLogged.has(key)
    if (!isRepeated) justLogged.set(key, true)
    if (isRepeated && !grant.isFirst) return
    const identity = basisOf(grant)?.credential
    if (identity === undefined) return
    const { workspaceId } = identity
    const { authority, presence, contacts, attempts, clock } = this.#services
    const { clientId, address, protocolVersion } = request
    const connectedAt = clock.now()
    const session: Session = {
      sessionId: newUuid(),
      incarnation: connectedAt * 1_000,
      grant,
      clientId,
      address,
      protocolVersion,
      connectedAt,
    }
    const live = { session, identity, workspaceId, device: undefined }
    if (!isRepeated) attempts.admitted(live)
    contacts.opened(live)
    if (identity.kind === 'device' && grant.isFirst) {
      presence.activated({ workspaceId, deviceId: identity.id })
    }
    authority.noteOpened(grant)
  }
}
