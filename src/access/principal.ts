/**
 * Who calls: one union, made by the gate and narrowed by each operation's `access`. Ids are plain
 * UUIDs here; they get their prefixes only where they leave the service.
 */
import type { Role } from './permissions.ts'

export interface UserCaller {
  kind: 'user'
  userId: string
  sessionId: string
  /** Workspace UUID → the narrower of the token's role and the present membership's. */
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
  /** Null: every template of the workspace. */
  templateIds: readonly string[] | null
  actions: readonly ('register' | 'rotate')[]
  allowedCidrs: readonly string[] | null
  ratePerMin: number | null
  hasQuota: boolean
  /** What a registration with the hardware id of a device may get. */
  onKnownDevice: 'rotate' | 'replay_only' | 'refuse'
  /** Whether what it registers waits for approval. */
  approval: 'none' | 'required'
}

export interface DeviceCaller {
  kind: 'device'
  workspaceId: string
  deviceId: string
  /** It may be false for up to a second longer than it is, never true before it is. */
  isApproved: boolean
}

export interface MoidCaller {
  kind: 'moid'
  moidId: string
  sessionId: string
  /** Null: a global session. */
  workspaceId: string | null
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
/** Who works in a workspace by its permissions: people, and backends. */
export type StaffCaller = UserCaller | PlatformKeyCaller
export type CallerKind = KnownCaller['kind']

/** Where a credential can travel. Each kind has its own places. */
export type Carrier = 'bearer' | 'x-api-key' | 'service-auth-code'

export const carriersOf: Record<CallerKind, readonly Carrier[]> = {
  user: ['bearer'],
  'platform-key': ['x-api-key', 'bearer'],
  'provision-key': ['service-auth-code'],
  device: ['bearer'],
  moid: ['bearer'],
}

/** How each kind is called in answers and in the reference. */
export const kindNames: Record<CallerKind, string> = {
  user: 'user JWT',
  'platform-key': 'platform API key',
  'provision-key': 'provision API key',
  device: 'device HTTP token',
  moid: 'moid JWT',
}

/** The caller's stable key for rate limits and stored answers. */
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
