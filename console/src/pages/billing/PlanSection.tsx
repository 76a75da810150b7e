/** The plan of the workspace, and what others would cost for what it has used. */
import { useState } from 'react'
import type { Plan, Subscription, UsagePeriod } from '../../../../sdk/schema.ts'
import { useRead, useResource } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextArea, TextField } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Empty, Note, Pending } from '../../kit/Note.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { type MeterLabels, meters, priceText } from '../usage/meter-labels.ts'
import { dateText } from './billing-labels.tsx'
import { ChoosePlan, REFRESHES } from './ChoosePlan.tsx'
import { Preview } from './MonthPrices.tsx'
import { t } from './translations.ts'

/** The included quantities, and the price beyond them. */
function termsOf(plan: Plan, meter: MeterLabels): string {
  const price = priceText(plan, meter)
  if (price !== undefined) return price
  const limit = plan.limits[meter.limit]
  if (limit === undefined) return t('included, no limit')
  const value = meter.text(limit)
  return meter.isPeak ? t('up to {value}', { value }) : t('up to {value} a month', { value })
}

const Terms = ({ plan }: { plan: Plan }) => (
  <Facts
    facts={[
      [t('Monthly price'), moneyText(plan.base_amount, plan.currency)],
      ...meters.map((each) => [each.label, termsOf(plan, each)] as const),
      ...meters.map((each) => {
        const limit = plan.limits[each.limit]
        const name = t('Limit: {meter}', { meter: each.inSentence })
        // Without a price, the line of the meter says it.
        const hasPrice = plan.prices.some(({ meter }) => meter === each.meter)
        if (limit === undefined || !hasPrice) return [name, undefined] as const
        const value = each.text(limit)
        return [name, each.isPeak ? value : t('{value} a month', { value })] as const
      }),
    ]}
  />
)

interface OfferProps {
  plan: Plan
  isPresent: boolean
  /** The usage of this month so far, and of the last one. */
  months: readonly UsagePeriod[]
  onChoose: () => void
}

function Offer({ plan, isPresent, months, onChoose }: OfferProps) {
  const blocked = useBlocked('putSubscription')
  return (
    <Panel
      title={
        <Row>
          {plan.name} {isPresent && <Badge tone="ok">{t('current')}</Badge>}
        </Row>
      }
      aside={
        <Button blocked={blocked} onClick={onChoose}>
          {isPresent ? t('Accept the new terms…') : t('Choose…')}
        </Button>
      }
    >
      <Stack tight>
        <Preview plan={plan} months={months} />
        <Terms plan={plan} />
      </Stack>
    </Panel>
  )
}

interface PayerProps {
  subscription: Subscription
  plan: Plan
  etag: string | undefined
}

/** Empty texts are no details. */
const withoutEmpty = (details: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(details).filter(([, text]) => text.trim() !== ''))

function Payer({ subscription, plan, etag }: PayerProps) {
  const { id } = useWorkspace()
  const { name = '', address = '', tax_id = '', email = '' } = subscription.billing_details
  return (
    <ChangeForm
      title={t('Billing details, as printed on invoices')}
      operation="putSubscription"
      params={{ id }}
      etag={etag}
      present={{ name, address, tax_id, email }}
      bodyOf={(value) => ({ plan_id: plan.id, billing_details: withoutEmpty(value) })}
      refreshes={REFRESHES}
    >
      {(value, change) => (
        <>
          <TextField
            label={t('Name')}
            optional
            pointer="/billing_details/name"
            hint={t('If empty, the name of the workspace.')}
            value={value.name}
            onValue={(next) => change({ name: next })}
          />
          <TextArea
            label={t('Address')}
            optional
            rows={3}
            pointer="/billing_details/address"
            value={value.address}
            onValue={(next) => change({ address: next })}
          />
          <TextField
            label={t('VAT id or tax number')}
            optional
            pointer="/billing_details/tax_id"
            value={value.tax_id}
            onValue={(next) => change({ tax_id: next })}
          />
          <TextField
            label={t('E-mail for invoices')}
            optional
            type="email"
            pointer="/billing_details/email"
            value={value.email}
            onValue={(next) => change({ email: next })}
          />
        </>
      )}
    </ChangeForm>
  )
}

function startOfLastMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString()
}

/** This month so far, and the last one; without a month in which nothing was used. */
function useMonths(): readonly UsagePeriod[] {
  const { id } = useWorkspace()
  const [from] = useState(startOfLastMonth)
  const query = { granularity: 'month' as const, from, limit: 2 }
  const { data } = useRead('readUsage', { params: { id }, query })
  return (data?.items ?? []).toSorted((one, other) => (one.starts_at < other.starts_at ? 1 : -1))
}

export function PlanSection() {
  const { id } = useWorkspace()
  const [chosen, setChosen] = useState<Plan | null>(null)
  const subscription = useResource('getSubscription', { params: { id } })
  const plans = useRead('listPlans')
  const months = useMonths()
  if (subscription.data === undefined) return <Pending query={subscription} of={t('The plan')} />
  if (plans.data === undefined) return <Pending query={plans} of={t('Plans')} />
  const { body, etag } = subscription.data
  const { plan, is_current, is_default, starts_at } = body
  // The plan of the workspace is shown by itself, unless it has new terms.
  const offers = plans.data.items.filter(({ id: offered }) => offered !== plan?.id || !is_current)
  if (plan === null && offers.length === 0) {
    return (
      <Panel>
        <Empty title={t('Everything is free here')}>
          {t('The operator of this service offers no plans: there are no limits and no prices.')}
        </Empty>
      </Panel>
    )
  }
  return (
    <Stack>
      {plan !== null && !is_current && (
        <Note title={t('Your plan has new terms')}>
          {t('Your current terms apply until you accept the new ones.')}
        </Note>
      )}
      <Columns>
        {plan !== null && (
          <Panel title={t('Your plan: {plan}', { plan: plan.name })}>
            <Stack tight>
              <Small>
                {is_default ? t('Default plan.') : t('You chose this plan.')}{' '}
                {starts_at !== null &&
                  t('Prices unchanged since {date}.', { date: dateText(starts_at) })}
              </Small>
              <Preview plan={plan} months={months} />
              <Terms plan={plan} />
            </Stack>
          </Panel>
        )}
        {offers.map((each) => (
          <Offer
            key={each.id}
            plan={each}
            isPresent={each.id === plan?.id}
            months={months}
            onChoose={() => setChosen(each)}
          />
        ))}
      </Columns>
      {plan !== null && (
        <Stack narrow>
          <Payer subscription={body} plan={plan} etag={etag} />
        </Stack>
      )}
      {chosen !== null && (
        <ChoosePlan
          plan={chosen}
          present={plan}
          months={months}
          etag={etag}
          onClose={() => setChosen(null)}
        />
      )}
    </Stack>
  )
}
