/** The cost of months on a plan, or why it would not have been enough. */
import type { Plan, UsagePeriod } from '../../../../sdk/schema.ts'
import { moneyText, monthlyPrice } from '../../api/money.ts'
import { presentTime } from '../../kit/clock.ts'
import { Small } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { meters } from '../usage/meter-labels.ts'
import { t } from './translations.ts'

/** The limits of a plan that a month has passed. */
export const passedBy = (plan: Plan, used: UsagePeriod) =>
  meters.filter(({ meter, limit }) => used[meter] > (plan.limits[limit] ?? Infinity))

interface MonthProps {
  plan: Plan
  used: UsagePeriod
}

/**
 * The price of a month for what was used, with the whole base price; or why the plan is too small.
 */
function MonthPrice({ plan, used }: MonthProps) {
  const isThisMonth = Date.parse(used.ends_at) > presentTime()
  const passed = passedBy(plan, used)
  if (passed.length > 0) {
    return (
      <Note
        tone="warn"
        title={isThisMonth ? t('Not enough for this month') : t('Not enough for last month')}
      >
        {passed.map(({ meter, limit, label, text }) => (
          <div key={meter}>
            {t('{meter}: {used}, limit {limit}', {
              meter: label,
              used: text(used[meter]),
              limit: text(plan.limits[limit] ?? 0),
            })}
          </div>
        ))}
      </Note>
    )
  }
  return (
    <div>
      <b>{moneyText(monthlyPrice(plan, used), plan.currency)}</b>{' '}
      <Small>
        {isThisMonth
          ? t('for a whole month, with the usage so far')
          : t('a month, with the usage of last month')}
      </Small>
    </div>
  )
}

interface PreviewProps {
  plan: Plan
  /** The usage of this month so far, and of the last one. */
  months: readonly UsagePeriod[]
}

export const Preview = ({ plan, months }: PreviewProps) =>
  months.map((used) => <MonthPrice key={used.starts_at} plan={plan} used={used} />)
