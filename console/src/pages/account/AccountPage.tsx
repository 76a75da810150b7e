/** What the pages of one's account have in common. */
import type { ReactNode } from 'react'
import { Stack } from '../../kit/Layout.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Tabs } from '../../kit/Table.tsx'

const tabs = [
  { label: 'Profile', link: { to: '/account' } },
  { label: 'Security', link: { to: '/account/security' } },
  { label: 'Sessions', link: { to: '/account/sessions' } },
]

interface AccountPageProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

export const AccountPage = ({ title, actions, children }: AccountPageProps) => (
  <Page
    title={title}
    {...(title !== 'Account' && { trail: [{ label: 'Account', to: '/account' }] })}
    {...(actions !== undefined && { actions })}
  >
    <Tabs label="Account" tabs={tabs} />
    <Stack>{children}</Stack>
  </Page>
)
