/** The authority behind a broker under test: principals that can be suspended, and asked about. */
import type { ConnectDecision, ConnectRequest } from '../../../../src/adapters/broker/port.ts'
import { TestAuthority } from '../test-authority.ts'

/** The device key of every principal here: workspaces may have equal ones. */
const DEVICE_KEY = 'sn1'

export class Fleet extends TestAuthority {
  readonly suspended = new Set<string>()

  override async connect(request: ConnectRequest): Promise<ConnectDecision> {
    const { username = '', clientId } = request
    const credential = this.credentials.get(username)
    const decision = await super.connect(
      clientId === DEVICE_KEY && credential !== undefined
        ? { ...request, clientId: credential.clientId }
        : request,
    )
    return this.suspended.has(username) ? { accepted: false, reason: 'banned' } : decision
  }

  /** The present rights of a principal, without its secret. */
  authorize(username: string, _clientId: string): Promise<ConnectDecision> {
    const credential = this.credentials.get(username)
    if (credential === undefined) {
      return Promise.resolve({ accepted: false, reason: 'bad_credentials' })
    }
    if (this.suspended.has(username)) return Promise.resolve({ accepted: false, reason: 'banned' })
    return Promise.resolve({ accepted: true, grant: credential.grant })
  }

  /** Ends what was admitted with the secret before. */
  renew(username: string): string {
    const credential = this.credentials.get(username)
    if (credential === undefined) throw new Error('There is no such principal.')
    credential.password = `${credential.password}, renewed`
    return credential.password
  }
}
