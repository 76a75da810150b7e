/** Domains and their certificate orders in words. */
import type { AcmeOrder, Domain } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'

/** Path parameters of calls about a domain. */
export const ofDomain = ({ workspace_id: id, id: domain_id }: Domain) => ({ id, domain_id })

const tones = { pending: 'warn', verified: 'ok', lapsed: 'bad' } as const

export const DomainStatus = ({ status }: Pick<Domain, 'status'>) => (
  <Badge tone={tones[status]}>{status === 'pending' ? 'not verified' : status}</Badge>
)

export const purposes = { mqtt: 'MQTT', api: 'API' } as const

const orderTones: Readonly<Record<AcmeOrder['status'], BadgeTone>> = {
  ordering: 'info',
  waiting: 'warn',
  validating: 'info',
  finalizing: 'info',
  issued: 'ok',
  failed: 'bad',
  cancelled: 'off',
}

const orderWords: Readonly<Record<AcmeOrder['status'], string>> = {
  ordering: 'ordering',
  waiting: 'waits for your record',
  validating: 'the authority checks',
  finalizing: 'being issued',
  issued: 'issued',
  failed: 'failed',
  cancelled: 'cancelled',
}

export const OrderStatus = ({ status }: Pick<AcmeOrder, 'status'>) => (
  <Badge tone={orderTones[status]}>{orderWords[status]}</Badge>
)

/** Steps of an order, for people; what has happened before is done. */
export const orderSteps = ['Ordered', 'Proof', 'Checked', 'Issued'] as const

const places: Readonly<Record<AcmeOrder['status'], number>> = {
  ordering: 0,
  waiting: 1,
  validating: 2,
  finalizing: 3,
  issued: 4,
  failed: 2,
  cancelled: 2,
}

export const stepOf = ({ status }: Pick<AcmeOrder, 'status'>): number => places[status]

export const isOpen = ({ status }: Pick<AcmeOrder, 'status'>): boolean =>
  status !== 'issued' && status !== 'failed' && status !== 'cancelled'
