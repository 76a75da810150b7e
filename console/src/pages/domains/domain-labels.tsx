/** Domains and their certificate orders in words. */
import type { AcmeOrder, Domain } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Muted } from '../../kit/Layout.tsx'
import { Time } from '../../kit/Text.tsx'
import { t } from './translations.ts'

/** Path parameters of calls about a domain. */
export const ofDomain = ({ workspace_id: id, id: domain_id }: Domain) => ({ id, domain_id })

const tones = { pending: 'warn', verified: 'ok', lapsed: 'bad' } as const

const statuses: Readonly<Record<Domain['status'], string>> = {
  pending: t('not verified'),
  verified: t('verified'),
  lapsed: t('lapsed'),
}

export const DomainStatus = ({ status }: Pick<Domain, 'status'>) => (
  <Badge tone={tones[status]}>{statuses[status]}</Badge>
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

const orderLabels: Readonly<Record<AcmeOrder['status'], string>> = {
  ordering: t('being requested'),
  waiting: t('waits for your record'),
  validating: t('the authority checks'),
  finalizing: t('being issued'),
  issued: t('issued'),
  failed: t('failed'),
  cancelled: t('cancelled'),
}

export const OrderStatus = ({ status }: Pick<AcmeOrder, 'status'>) => (
  <Badge tone={orderTones[status]}>{orderLabels[status]}</Badge>
)

/** Steps of an order, for people; earlier steps are done. */
export const orderSteps = [t('Requested'), t('Proof'), t('Checked'), t('Issued')]

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

/** The time of an event that may still be to come. */
export const TimeSoFar = ({ at }: { at: string | null }) =>
  at === null ? <Muted>{t('not yet')}</Muted> : <Time at={at} />
