/**
 * CONNECTs that brokers elsewhere ask about. Their sessions are not seen here: what is known of one
 * is that it was let in, which is enough to mark a first connection and to keep the log.
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
import { newUuid, parseId } from '../../../platform/lib/ids.ts'
import type { ConnectionAttempts } from '../connection-log/attempts.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { readIdentity } from '../credentials/identity.ts'
import type { LateAdmissions } from './late-admissions.ts'
import type { Presence } from './presence.ts'
import type { PrincipalContacts } from './principal-contacts.ts'

export interface RemoteAdmissionServices {
  authority: CredentialAuthority
  presence: Presence
  contacts: PrincipalContacts
  attempts: ConnectionAttempts
  clock: Clock
  late: Pick<LateAdmissions, 'add'>
  /** Told of each CONNECT that is refused. */
  refused: BrokerAuthority['refused']
}

/** RabbitMQ 3.10 asks twice about one CONNECT: for the client, and for its own connection. */
const SAME_CONNECT_MS = 2_000
/** Characters of names, all together: a client id is as long as its client likes. */
const NAMES_TOGETHER = 4_194_304

interface Known {
  /** The broker that a principal was let in at last. */
  lastAt: LRUCache<string, string>
  justLogged: LRUCache<string, true>
}

const newlyKnown = (): Known => ({
  lastAt: new LRUCache({ max: 100_000 }),
  justLogged: new LRUCache({
    max: 10_000,
    ttl: SAME_CONNECT_MS,
    maxSize: NAMES_TOGETHER,
    sizeCalculation: (_, name) => name.length,
  }),
})

export class RemoteAdmissions implements RemoteAuthority {
  readonly #services: RemoteAdmissionServices
  readonly refused: BrokerAuthority['refused']
  /** Made for the first of them, since it takes its memory at once. */
  #known: Known | undefined

  constructor(services: RemoteAdmissionServices) {
    this.#services = services
    this.refused = services.refused
  }

  connect: RemoteAuthority['connect'] = (request) => this.#services.authority.connect(request)

  authorize: RemoteAuthority['authorize'] = (username, clientId) =>
    this.#services.authority.authorize(username, clientId)

  stillGives: RemoteAuthority['stillGives'] = (grant) => this.#services.authority.stillGives(grant)

  /** Those of the principals that were let in last at this broker, as far as this process knows. */
  lastAt(broker: string, names: readonly string[]): ReadonlySet<string> {
    return new Set(names.filter((name) => this.#known?.lastAt.get(name) === broker))
  }

  admitted(request: ConnectRequest, grant: Grant, broker: string): void {
    this.#known ??= newlyKnown()
    const { lastAt, justLogged } = this.#known
    lastAt.set(grant.principalId, broker)
    this.#services.late.add(grant, broker)
    const key = `${grant.principalId} ${request.clientId}`
    const isRepeated = justLogged.has(key)
    if (!isRepeated) justLogged.set(key, true)
    if (isRepeated && !grant.isFirst) return
    const identity = readIdentity(grant.principalId)
    const workspaceId = parseId('ws', grant.workspaceId)
    if (identity === undefined || workspaceId === undefined) return
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
    if (!isRepeated) attempts.opened(session, identity)
    if (identity.kind === 'principal') {
      contacts.opened(session, { workspaceId, principalId: identity.id })
    } else if (identity.kind === 'device' && grant.isFirst) {
      presence.activated({ workspaceId, deviceId: identity.id })
    }
    authority.noteOpened(grant)
  }
}
