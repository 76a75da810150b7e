/** Schemas of domains. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, NamedObject, Nullable, Text, Time, Timestamp } from '../../common/shapes.ts'

const Purpose = Type.Enum(['mqtt', 'api'], {
  description:
    'The purpose of the domain: MQTT (including MQTT over WebSocket) or this API. The host of an `mqtt` domain has at most 127 characters.',
})
const Status = Type.Enum(['pending', 'verified', 'lapsed'])

export const CreateDomain = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'A host name, such as `devices.example.com`. Unicode is converted to A-labels.',
  }),
  purpose: Purpose,
})
export type CreateDomain = Static<typeof CreateDomain>

export const ProofError = Type.Object(
  {
    code: Type.Enum(['record_missing', 'record_differs', 'dns_failure', 'taken']),
    message: Type.String(),
  },
  { description: 'The error of the last DNS check.' },
)
export type ProofError = Static<typeof ProofError>

export const DomainView = NamedObject('Domain', {
  id: Id('dom'),
  workspace_id: Id('ws'),
  name: Text('In A-labels and lower case, without a dot at the end.'),
  purpose: Purpose,
  status: Status,
  verification: Type.Object(
    { record: Type.Literal('TXT'), name: Type.String(), value: Type.String() },
    { description: 'The DNS record to create. It must stay in the DNS.' },
  ),
  verified_at: Nullable(Timestamp),
  checked_at: Nullable(Timestamp),
  failing_since: Nullable(
    Time('The time since which the record of a verified domain has been missing.'),
  ),
  lapses_at: Nullable(Time('The time when the domain lapses if the record stays missing.')),
  last_error: Nullable(ProofError),
  certificate: Nullable(
    Type.Object({
      source: Type.Enum(['upload', 'acme']),
      fingerprint_sha256: Type.String(),
      not_after: Timestamp,
    }),
    'A summary of its certificate. `…/certificate` returns the details.',
  ),
  created_by: Text('Id of the user or key that added the domain.'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type DomainView = Static<typeof DomainView>

/** The certificate of a domain, which statements compose. */
export const CertificateSummary = Type.Object({
  source: Type.Enum(['upload', 'acme']),
  fingerprint: Type.String(),
  /** Milliseconds since the epoch. */
  not_after: Type.Number(),
})

export const domainFields: ListFields = {
  name: { type: 'text' },
  purpose: { type: 'word', words: ['mqtt', 'api'] },
  status: { type: 'word', words: ['pending', 'verified', 'lapsed'] },
  created_at: { type: 'time' },
}

export const ListDomains = Type.Object({
  ...pageQuery,
  filter: FilterText(domainFields),
  purpose: Type.Optional(Purpose),
  status: Type.Optional(Status),
})
export type ListDomains = Static<typeof ListDomains>
