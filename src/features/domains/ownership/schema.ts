/** Schemas of domains. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

const Purpose = Type.Enum(['mqtt', 'api'], {
  description:
    'What is reached by it: MQTT, also over WebSocket, or this API. The host of an `mqtt` domain has 127 characters at most.',
})
const Status = Type.Enum(['pending', 'verified', 'lapsed'])

export const CreateDomain = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'The name of one host, as `devices.example.com`; Unicode becomes A-labels.',
  }),
  purpose: Purpose,
})
export type CreateDomain = Static<typeof CreateDomain>

export const DomainView = Type.Object(
  {
    id: Id('dom'),
    workspace_id: Id('ws'),
    name: Type.String({ description: 'In A-labels and lower case, without a dot at the end.' }),
    purpose: Purpose,
    status: Status,
    verification: Type.Object(
      {
        record: Type.Literal('TXT'),
        name: Type.String(),
        value: Type.String(),
      },
      { description: 'What has to stand in the DNS, and to stay there.' },
    ),
    verified_at: Nullable(Timestamp),
    checked_at: Nullable(Timestamp),
    failing_since: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Since when the record of a verified domain has been missing.',
      }),
    ),
    lapses_at: Nullable(
      Type.String({ format: 'date-time', description: 'When it lapses if that goes on.' }),
    ),
    last_error: Nullable(
      Type.Object(
        {
          code: Type.Enum(['record_missing', 'record_differs', 'dns_failure', 'taken']),
          message: Type.String(),
        },
        { description: 'What the last look at the DNS found wrong.' },
      ),
    ),
    certificate: Nullable(
      Type.Object(
        {
          source: Type.Enum(['upload', 'acme']),
          fingerprint_sha256: Type.String(),
          not_after: Timestamp,
        },
        { description: 'What it has; more stands at `…/certificate`.' },
      ),
    ),
    created_by: Type.String({ description: 'Id of the user or key that added it.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Domain' },
)
export type DomainView = Static<typeof DomainView>

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
