/**
 * The caller of a request: one union, constructed by the gate and narrowed by each operation's
 * `access`. Ids are plain UUIDs here; they get their prefixes only at the API boundary.
 */
import type { Role } from './permissions.ts'

export interface UserCaller {
  kind: 'user'
  userId: string
  sessionId: string
  /** UUID of the workspace through whose domain the session was opened; null: good for all. */
  limitedTo: string | null
  /** Whether the credential is only accepted by operations that pay. */
  onlyPays: boolean
  /** Whether the account has a password that the service made, which is to be changed first. */
  mustChangePassword: boolean
  /**
   * When the person last proved the password or a second factor before this token was issued, in
   * milliseconds since the epoch; 0 if the token does not say.
   */
  authenticatedAt: number
  /** Where a second factor is required, which has not been proved in this session. */
  secondFactorMissing: { everywhere: boolean; workspaces: ReadonlySet<string> }
  /** Whether a second factor has been proved in this session. */
  mfa: boolean
  /** Whether the account is marked as an operator of the installation. */
  isOperator: boolean
  /** Workspace UUID → the lesser of the token's role and that of the current membership. */
  roles: ReadonlyMap<string, Role>
}

export interface PlatformKeyCaller {
  kind: 'platform-key'
  workspaceId: string
  keyId: string
}

export interface ProvisionKeyCaller {
  kind: 'provision-key'
  workspaceId: string
  workspaceSlug: string
  keyId: string
  /** Null: all templates of the workspace. */
  templateIds: readonly string[] | null
  actions: readonly ('register' | 'rotate')[]
  allowedCidrs: readonly string[] | null
  ratePerMin: number | null
  hasQuota: boolean
  /** The response to a hardware id that is registered again. */
  onKnownDevice: 'rotate' | 'rotate_unclaimed' | 'replay_only' | 'refuse'
  /** Whether devices that it registers wait for approval. */
  approval: 'none' | 'required'
}

export interface DeviceCaller {
  kind: 'device'
  workspaceId: string
  deviceId: string
  /** May lag up to a second behind an approval, but is never true too early. */
  isApproved: boolean
}

export interface MoidCaller {
  kind: 'moid'
  moidId: string
  sessionId: string
  /** Null: a global session. */
  workspaceId: string | null
  /**
   * Whether it holds a device: of its workspace, or of any in a global session. Anyone can create
   * an identity, but only a device's owner can bind one.
   */
  holdsDevice: boolean
}

export type KnownCaller =
  | UserCaller
  | PlatformKeyCaller
  | ProvisionKeyCaller
  | DeviceCaller
  | MoidCaller
export interface AnonymousCaller {
  kind: 'anonymous'
}
export type Caller = KnownCaller | AnonymousCaller
/** Callers whose rights in a workspace are permissions: people and backends. */
export type StaffCaller = UserCaller | PlatformKeyCaller
export type CallerKind = KnownCaller['kind']

/** An operation takes any caller of a kind, or only those users who are operators. */
export type AccessKind = CallerKind | 'operator'

/** The kind of the credential that is sent. */
export const callerKindOf = (kind: AccessKind): CallerKind => (kind === 'operator' ? 'user' : kind)

/** How a credential can be sent. Each kind has its own places. */
export type Carrier = 'bearer' | 'x-api-key' | 'service-auth-code'

export const carriersOf: Record<CallerKind, readonly Carrier[]> = {
  user: ['bearer'],
  'platform-key': ['x-api-key', 'bearer'],
  'provision-key': ['service-auth-code'],
  device: ['bearer'],
  moid: ['bearer'],
}

/** The name of each kind in responses and the API reference. */
export const kindNames: Record<AccessKind, string> = {
  user: 'user JWT',
  'platform-key': 'platform API key',
  'provision-key': 'provision API key',
  device: 'device HTTP token',
  moid: 'moid JWT',
  operator: 'user JWT of an operator',
}

/** The stable key of a caller for rate limits and stored responses. */
export function callerKey(caller: KnownCaller): string {
  switch (caller.kind) {
    case 'user':
      return `user:${caller.userId}`
    case 'device':
      return `device:${caller.deviceId}`
    case 'moid':
      return `moid:${caller.moidId}`
    default:
      return `key:${caller.keyId}`
  }
}
