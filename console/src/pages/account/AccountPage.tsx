/** The common parts of the pages of one's account. */
import type { ReactNode } from 'react'
import { Stack } from '../../kit/Layout.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Tabs } from '../../kit/Table.tsx'
import { t } from './translations.ts'

const tabs = [
  { label: t('Profile'), link: { to: '/account' } },
  { label: t('Security'), link: { to: '/account/security' } },
  { label: t('Sessions'), link: { to: '/account/sessions' } },
]

interface AccountPageProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

export const AccountPage = ({ title, actions, children }: AccountPageProps) => (
  <Page
    title={title}
    {...(title !== t('Account') && { trail: [{ label: t('Account'), to: '/account' }] })}
    {...(actions !== undefined && { actions })}
  >
    <Tabs label={t('Account')} tabs={tabs} />
    <Stack>{children}</Stack>
  </Page>
)
