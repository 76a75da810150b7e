/** Schemas of the audit log and its verification. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { Id, Nullable, TimeInput, Timestamp } from '../../common/shapes.ts'
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
      description: 'Only what this user, key, device or mobile identity did: its id.',
    }),
  ),
  action: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only this action, such as `api_key.created`.' }),
  ),
  resource: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only what was done to this resource: its id.' }),
  ),
  from: Moment('Only what happened at this time or later.'),
  to: Moment('Only what happened before this time.'),
})
export type AuditLogQuery = Static<typeof AuditLogQuery>

const Seq = Type.Integer({ minimum: 1 })
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, in hex.' })

export const AuditEntryView = Type.Object(
  {
    id: Id('aud'),
    occurred_at: Timestamp,
    actor: Type.Object({
      kind: Type.String({
        description:
          'user, platform-key, provision-key, device, moid, service (Mooring itself), or anonymous.',
      }),
      id: Nullable(Type.String()),
    }),
    action: Type.String(),
    resource: Nullable(Type.Object({ kind: Type.String(), id: Type.String() })),
    request_id: Nullable(Type.String({ description: '`X-Request-Id` of the request behind it.' })),
    address: Nullable(Type.String({ description: 'IP address that the request came from.' })),
    detail: Type.Object({}, { additionalProperties: true }),
    seq: Nullable(
      Type.Integer({
        minimum: 1,
        description: 'Place in the hash chain; null for about a second, until it is sealed.',
      }),
    ),
    hash: Nullable(Hash),
  },
  { title: 'AuditEntry' },
)
export type AuditEntryView = Static<typeof AuditEntryView>

export const AuditAnchor = Type.Object(
  {
    workspace_id: Id('ws'),
    seq: Seq,
    hash: Hash,
    anchored_at: Timestamp,
    jws: Type.String({
      description:
        'The four members before it, signed: a compact JWS (RFC 7515), to be checked with `/.well-known/audit-jwks.json`.',
    }),
  },
  { title: 'AuditAnchor' },
)
export type AuditAnchor = Static<typeof AuditAnchor>

export const VerifyQuery = Type.Object({
  from_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Begins here, and takes the hash of the entry before for granted.',
    }),
  ),
  anchor_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'With `anchor_hash`: an anchor that was kept elsewhere, to be found again.',
    }),
  ),
  anchor_hash: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The `hash` of that anchor.' }),
  ),
})
export type VerifyQuery = Static<typeof VerifyQuery>

/** One line of an export: the hashed form of an entry, and its hash. */
export const ExportedEntry = Type.Object(
  {
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
  },
  { title: 'ExportedAuditEntry' },
)
export type ExportedEntry = Static<typeof ExportedEntry>

export const ExportQuery = Type.Object({
  from: Moment('From the first entry of this time or later.'),
  to: Moment('To the last entry before this time.'),
  from_seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'From this place in the chain, to go on with an export.',
    }),
  ),
})
export type ExportQuery = Static<typeof ExportQuery>

export const chainFaults = [
  'entry_altered',
  'entry_missing',
  'entry_beyond_head',
  'head_missing',
  'head_forged',
  'head_differs',
  'anchor_missing',
] as const

export const Verification = Type.Object(
  {
    valid: Type.Boolean(),
    pruned_to_seq: Nullable(
      Type.Integer({
        minimum: 1,
        description:
          'The last entry that retention has deleted; the chain goes on from its hash. Null: none.',
      }),
    ),
    sealed_from_seq: Nullable(Seq),
    sealed_to_seq: Nullable(
      Type.Integer({ minimum: 1, description: 'The last entry that this call had to look at.' }),
    ),
    entries_checked: Type.Integer(),
    head_hash: Nullable(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'Hash of the newest sealed entry. Keep it elsewhere to prove later what was.',
      }),
    ),
    unsealed: Type.Integer({ description: 'Entries of the last moments, not yet in the chain.' }),
    first_bad_seq: Nullable(Seq),
    reason: Nullable(Type.Enum([...chainFaults])),
    anchor: Nullable(
      Type.Enum(['contained', 'missing', 'pruned'], {
        description:
          'Whether the chain has the anchor of the query: as it was, not any more, or deleted by retention, so that nobody can say.',
      }),
    ),
    next_from_seq: Nullable(
      Type.Integer({
        minimum: 1,
        description: 'Where to go on: the `from_seq` of the next call. Null: nothing is left.',
      }),
    ),
  },
  { title: 'AuditVerification' },
)
export type Verification = Static<typeof Verification>
