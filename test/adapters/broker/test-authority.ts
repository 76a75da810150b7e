/**
 * The other side of the broker's port: a small authority with a table of credentials, which also
 * records the reports of the broker.
 */
import type {
  BrokerAuthority,
  ConnectDecision,
  ConnectRefusal,
  ConnectRequest,
  Grant,
  Message,
  Refusal,
  Session,
  SessionEnd,
  TopicRule,
} from '../../../src/adapters/broker/port.ts'
import { eventually } from './eventually.ts'

export interface Credential {
  username: string
  password: string
  /** The client id that goes with it, besides those that begin with it and a colon. */
  clientId: string
  grant: Grant
}

export type BrokerEvent =
  | { kind: 'opened'; session: Session }
  | { kind: 'closed'; session: Session; end: SessionEnd }
  | { kind: 'published'; session: Session; message: Message }
  | { kind: 'denied'; session: Session; action: 'publish' | 'subscribe'; topic: string }

export const allow = (topic: string, action: TopicRule['action'] = 'pubsub'): TopicRule => ({
  action,
  topic,
  permission: 'allow',
})

export class TestAuthority implements BrokerAuthority {
  readonly credentials = new Map<string, Credential>()
  readonly requests: ConnectRequest[] = []
  readonly events: BrokerEvent[] = []
  readonly refusals: { clientId: string; username: string | undefined; reason: Refusal }[] = []
  /** Reported filters, by the id of the session. */
  readonly subscriptions = new Map<string, string[]>()
  /** Stands in for the table, for decisions that no table gives. */
  override: ((request: ConnectRequest) => Promise<ConnectDecision>) | undefined
  #added = 0

  /** Adds a principal of a workspace; by default it may do all under the workspace's name. */
  add(workspaceId: string, rules: TopicRule[] = [allow(`${workspaceId}/#`)]): Credential {
    this.#added += 1
    const username = `dev_${workspaceId}_${this.#added}`
    const credential: Credential = {
      username,
      password: `secret of ${username}`,
      clientId: username,
      grant: {
        principalId: username,
        workspaceId,
        credentialVersion: 1,
        topicPrefix: `${workspaceId}/${username}`,
        isFirst: false,
        expiresAt: null,
        rules,
      },
    }
    this.credentials.set(username, credential)
    return credential
  }

  connect(request: ConnectRequest): ConnectDecision | Promise<ConnectDecision> {
    this.requests.push(request)
    if (this.override !== undefined) return this.override(request)
    const credential = this.credentials.get(request.username ?? '')
    const refuse = (reason: Refusal): ConnectDecision => ({ accepted: false, reason })
    if (credential === undefined) return refuse('bad_credentials')
    if (request.password?.toString() !== credential.password) return refuse('bad_credentials')
    const { clientId, grant } = credential
    const fits = request.clientId === clientId || request.clientId.startsWith(`${clientId}:`)
    return fits ? { accepted: true, grant } : refuse('client_id_invalid')
  }

  sessionOpened(session: Session): void {
    this.events.push({ kind: 'opened', session })
  }

  sessionClosed(session: Session, end: SessionEnd): void {
    this.events.push({ kind: 'closed', session, end })
  }

  refused({ clientId, username }: ConnectRequest, { reason }: ConnectRefusal): void {
    this.refusals.push({ clientId, username, reason })
  }

  subscribed({ sessionId }: Session, filters: readonly string[]): void {
    const received = this.subscriptions.get(sessionId) ?? []
    this.subscriptions.set(sessionId, [...received, ...filters])
  }

  published(session: Session, message: Message): void {
    this.events.push({ kind: 'published', session, message })
  }

  denied(session: Session, action: 'publish' | 'subscribe', topic: string): void {
    this.events.push({ kind: 'denied', session, action, topic })
  }

  /** The reports about one principal, in order. */
  eventsOf({ grant }: Credential): BrokerEvent[] {
    return this.events.filter(({ session }) => session.grant.principalId === grant.principalId)
  }

  /** Waits until this many sessions of a principal are closed. */
  async closed(credential: Credential, count = 1): Promise<void> {
    await eventually(
      () => this.eventsOf(credential).filter(({ kind }) => kind === 'closed').length >= count,
      `${count} closed sessions of ${credential.username}`,
    )
  }
}
