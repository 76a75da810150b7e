/** Schemas of the audit log and its verification. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import {
  Id,
  Integer,
  NamedObject,
  Nullable,
  Text,
  TimeInput,
  Timestamp,
} from '../../common/shapes.ts'
import { pageQuery } from '../../common/paging.ts'

const Moment = (description: string) => Type.Optional(TimeInput(description))

export const auditFields: ListFields = {
  actor: { type: 'text' },
  action: { type: 'text' },
  resource: { type: 'text' },
  request_id: { type: 'text' },
  address: { type: 'text' },
  occurred_at: { type: 'time' },
}

export const AuditLogQuery = Type.Object({
  ...pageQuery,
  filter: FilterText(auditFields),
  actor: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only entries of this actor: the id of a user, key, device or mobile identity.',
    }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only entries with this action, such as `api_key.created`.',
    }),
  ),
  resource: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only entries about the resource with this id.' }),
  ),
  from: Moment('Only entries at or after this time.'),
  to: Moment('Only entries before this time.'),
})
export type AuditLogQuery = Static<typeof AuditLogQuery>

const Seq = Type.Integer({ minimum: 1 })
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, in hex.' })

export const AuditEntryView = NamedObject('AuditEntry', {
  id: Id('aud'),
  occurred_at: Timestamp,
  actor: Type.Object({
    kind: Text(
      'user, platform-key, provision-key, device, moid, service (Mooring itself), or anonymous.',
    ),
    id: Nullable(Type.String()),
  }),
  action: Type.String(),
  resource: Nullable(Type.Object({ kind: Type.String(), id: Type.String() })),
  request_id: Nullable(Type.String(), '`X-Request-Id` of the request that caused the entry.'),
  address: Nullable(Type.String(), 'IP address of the client.'),
  detail: Type.Object({}, { additionalProperties: true }),
  seq: Nullable(
    Type.Integer({ minimum: 1 }),
    'Position in the hash chain. Null until the entry is appended to the chain.',
  ),
  hash: Nullable(Hash),
})
export type AuditEntryView = Static<typeof AuditEntryView>

export const AuditAnchor = NamedObject('AuditAnchor', {
  workspace_id: Id('ws'),
  seq: Seq,
  hash: Hash,
  anchored_at: Timestamp,
  jws: Text(
    'A signature of the other members as a compact JWS (RFC 7515). Verify it with `/.well-known/audit-jwks.json`.',
  ),
})
export type AuditAnchor = Static<typeof AuditAnchor>

export const VerifyQuery = Type.Object({
  from_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The first entry to verify. The hash of the previous entry is trusted.',
    }),
  ),
  anchor_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'With `anchor_hash`: the `seq` of an anchor that you stored, to be checked against the chain.',
    }),
  ),
  anchor_hash: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The `hash` of that anchor.' }),
  ),
})
export type VerifyQuery = Static<typeof VerifyQuery>

/** One line of an export: the hashed form of an entry, and its hash. */
export const ExportedEntry = NamedObject('ExportedAuditEntry', {
  id: Id('aud'),
  workspace_id: Id('ws'),
  seq: Seq,
  occurred_at: Timestamp,
  actor_kind: Type.String(),
  actor_id: Nullable(Type.String()),
  action: Type.String(),
  resource_kind: Nullable(Type.String()),
  resource_id: Nullable(Type.String()),
  request_id: Nullable(Type.String()),
  address: Nullable(Type.String()),
  detail: Type.Object({}, { additionalProperties: true }),
  hash: Hash,
})
export type ExportedEntry = Static<typeof ExportedEntry>

export const ExportQuery = Type.Object({
  from: Moment('The export starts with the first entry at or after this time.'),
  to: Moment('The export ends with the last entry before this time.'),
  from_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The export starts at this position in the chain, to continue an earlier export.',
    }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

export const chainFaults = [
  'entry_altered',
  'entry_missing',
  'entry_beyond_head',
  'entry_unchained',
  'head_missing',
  'head_forged',
  'head_differs',
  'anchor_missing',
] as const

export const Verification = NamedObject('AuditVerification', {
  valid: Type.Boolean(),
  pruned_to_seq: Nullable(
    Type.Integer({ minimum: 1 }),
    'The last entry deleted by retention; the chain continues from its hash. Null if no entry was deleted.',
  ),
  sealed_from_seq: Nullable(Seq),
  sealed_to_seq: Nullable(Type.Integer({ minimum: 1 }), 'The last entry that this call examined.'),
  entries_checked: Type.Integer(),
  head_hash: Nullable(
    Type.String({ pattern: '^[0-9a-f]{64}$' }),
    'Hash of the newest entry of the chain. Store it outside this service to prove the state of the log later.',
  ),
  unsealed: Integer('Recent entries that are not in the chain yet.'),
  first_bad_seq: Nullable(Seq),
  reason: Nullable(
    Type.Enum([...chainFaults]),
    '`entry_unchained`: an entry has no place in the chain, and does not wait for one. `entry_missing` without `first_bad_seq`: an entry was deleted while it waited.',
  ),
  anchor: Nullable(
    Type.Enum(['contained', 'missing', 'pruned']),
    'Whether the chain contains the anchor of the query: unchanged, missing or changed, or unknown because retention deleted the entry.',
  ),
  next_from_seq: Nullable(
    Type.Integer({ minimum: 1 }),
    'The `from_seq` of the next call. Null if no entries remain.',
  ),
})
export type Verification = Static<typeof Verification>
