/** The change of the plan: its price, and the limits that become lower. */
import type { Plan, UsagePeriod } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { HOUR_MS, moneyText, restOfMonth } from '../../api/money.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { presentTime } from '../../kit/clock.ts'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { locale } from '../../i18n/language.ts'
import { type MeterLabels, meters } from '../usage/meter-labels.ts'
import { passedBy, Preview } from './MonthPrices.tsx'
import { t } from './translations.ts'

export const REFRESHES = ['getSubscription', 'getBalance', 'listInvoices'] as const

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })

interface PlansProps {
  plan: Plan
  /** The one of the workspace; null if it has none. */
  present: Plan | null
}

const lowered = ({ plan, present }: PlansProps): readonly MeterLabels[] =>
  meters.filter(
    ({ limit }) => (plan.limits[limit] ?? Infinity) < (present?.limits[limit] ?? Infinity),
  )

/** When its prices begin: usage of a priced plan in this hour is charged to that plan. */
function startOf(plans: PlansProps): number {
  const hour = Math.floor(presentTime() / HOUR_MS) * HOUR_MS
  const isLater = (plans.present?.kind ?? 'free') !== 'free' && lowered(plans).length > 0
  return isLater ? hour + HOUR_MS : hour
}

const publishing = t(
  'Above the limit of messages or bytes, all that devices and programs publish is refused until the month ends; of clients with MQTT 3.1.1 it is dropped.',
)

/** The behaviour of the service above a limit. */
const effects: Readonly<Record<MeterLabels['limit'], string>> = {
  connected_devices: t(
    'Above the limit of devices, further ones are not let in until another one disconnects.',
  ),
  messages_per_month: publishing,
  bytes_per_month: publishing,
  api_calls_per_month: t(
    'Above the limit of API requests, they are refused until the month ends; what ends, revokes or rotates something is not.',
  ),
}

function Changes({ plan, present }: PlansProps) {
  const limits = lowered({ plan, present }).map((each) => {
    const [before, after] = [present?.limits[each.limit], plan.limits[each.limit]]
    const value = t('{before} → {after}', {
      before: before === undefined ? t('no limit') : each.text(before),
      after: after === undefined ? t('no limit') : each.text(after),
    })
    const name = t('Limit: {meter}', { meter: each.inSentence })
    return [name, each.isPeak ? value : t('{value} a month', { value })] as const
  })
  const said = new Set(lowered({ plan, present }).map(({ limit }) => effects[limit]))
  const price = moneyText(plan.base_amount, plan.currency)
  return (
    <>
      <Facts
        facts={[
          [
            t('Monthly price'),
            present === null
              ? price
              : t('{before} → {after}', {
                  before: moneyText(present.base_amount, present.currency),
                  after: price,
                }),
          ],
          ...limits,
        ]}
      />
      {[...said].map((each) => (
        <p key={each}>{each}</p>
      ))}
    </>
  )
}

/** Its cost in this month, which is charged and has its included quantities by the hour. */
function Rest(plans: PlansProps) {
  const { plan } = plans
  const { hours, all } = restOfMonth(startOf(plans))
  return (
    <Facts
      facts={[
        [
          t('Monthly price until the end of the month'),
          t('{amount} for {hours} of {all} hours', {
            amount: moneyText(Math.round((plan.base_amount * hours) / all), plan.currency),
            hours: numberText(hours),
            all: numberText(all),
          }),
        ],
        [
          t('Included'),
          plan.prices.length === 0
            ? undefined
            : t(
                '{share} of the messages, bytes and requests of a month; what is used beyond them is added',
                {
                  share: share.format(hours / all),
                },
              ),
        ],
      ]}
    />
  )
}

function When(plans: PlansProps) {
  const { plan, present } = plans
  const time = clock.format(startOf(plans))
  const isPaid = present !== null && present.kind !== 'free'
  return (
    <p>
      {t('Its limits apply at once.')}{' '}
      {plan.kind !== 'free' && t('Its prices are charged by the hour, from {time} on.', { time })}
      {plan.kind === 'free' &&
        isPaid &&
        t('The prices of {plan} are charged until {time}.', { plan: present.name, time })}{' '}
      {t('You can change the plan once an hour.')}
    </p>
  )
}

function textsOf({ plan, present }: PlansProps): { title: string; act: string } {
  if (present === null) {
    return { title: t('Choose {plan}?', { plan: plan.name }), act: t('Choose this plan') }
  }
  return present.id === plan.id
    ? { title: t('Accept the new terms of {plan}?', { plan: plan.name }), act: t('Accept') }
    : {
        title: t('Change from {present} to {plan}?', { present: present.name, plan: plan.name }),
        act: t('Change to {plan}', { plan: plan.name }),
      }
}

interface ChooseProps extends PlansProps {
  /** The usage of this month so far, and of the last one. */
  months: readonly UsagePeriod[]
  etag: string | undefined
  onClose: () => void
}

export function ChoosePlan({ plan, present, months, etag, onClose }: ChooseProps) {
  const { id } = useWorkspace()
  const choose = useChange('putSubscription', REFRESHES)
  const input = { params: { id }, body: { plan_id: plan.id } }
  useNextCall('putSubscription', input)
  const isTooSmall = months.some((used) => passedBy(plan, used).length > 0)
  const done = (): void => {
    say(t('The plan is {plan}', { plan: plan.name }))
    onClose()
  }
  return (
    <ConfirmDialog
      {...textsOf({ plan, present })}
      kind={isTooSmall ? 'danger' : 'primary'}
      busy={choose.isPending}
      problem={choose.error}
      onConfirm={() => choose.mutate({ ...input, etag }, { onSuccess: done })}
      onClose={onClose}
    >
      <Stack>
        <Preview plan={plan} months={months} />
        <Changes plan={plan} present={present} />
        <When plan={plan} present={present} />
        {plan.kind !== 'free' && <Rest plan={plan} present={present} />}
      </Stack>
    </ConfirmDialog>
  )
}
