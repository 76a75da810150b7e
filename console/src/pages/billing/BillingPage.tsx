/** The plan, the invoices, and the money of a workspace. */
import type { ComponentType } from 'react'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Tabs } from '../../kit/Table.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Balance } from './Balance.tsx'
import { Invoices } from './Invoices.tsx'
import { PaymentReceipt } from './PaymentReceipt.tsx'
import { Payments } from './Payments.tsx'
import { PlanSection } from './PlanSection.tsx'
import { t } from './translations.ts'

const sections: Readonly<Record<string, readonly [label: string, ComponentType]>> = {
  plan: [t('Plan'), PlanSection],
  invoices: [t('Invoices'), Invoices],
  balance: [t('Balance'), Balance],
  payments: [t('Payments'), Payments],
}

export default function BillingPage() {
  const { slug } = useWorkspace()
  const [{ tab = 'plan' }] = useSearchState<{ tab: string }>()
  const blocked = useBlocked('getSubscription')
  if (blocked !== undefined) return <ForbiddenPage title={t('Billing')} why={blocked} />
  const [, Section] = sections[tab] ?? [t('Plan'), PlanSection]
  return (
    <Page title={t('Billing')}>
      <Tabs
        label={t('Parts of billing')}
        tabs={Object.entries(sections).map(([name, [label]]) => ({
          label,
          isOpen: name === tab,
          link: {
            to: below(slug, 'billing'),
            search: (name === 'plan' ? {} : { tab: name }) as never,
          },
        }))}
      />
      <PaymentReceipt />
      <Section />
    </Page>
  )
}
