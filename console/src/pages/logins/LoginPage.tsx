/** One MQTT login: how it connects, what it may do, and its settings. */
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { useResource } from '../../api/hooks.ts'
import { Columns } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { SectionTabs } from '../../kit/SectionTabs.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useExampleKey } from '../rules/example-device.ts'
import { Explain } from '../rules/Explain.tsx'
import { OwnRules } from '../rules/OwnRules.tsx'
import { loginOwner, questionOf } from '../rules/rule-owner.ts'
import { LoginActions } from './LoginActions.tsx'
import { LoginNow } from './LoginNow.tsx'
import { LoginSettings } from './LoginSettings.tsx'
import { LoginStatus } from './login-labels.tsx'
import { t } from './translations.ts'

interface SectionProps {
  login: MqttPrincipal
  etag: string | undefined
}

function Rules({ login }: SectionProps) {
  const { slug } = useWorkspace()
  const owner = loginOwner(login, slug)
  const { operations, params } = owner
  const deviceKey = useExampleKey()
  const [rule] = useResource(operations.list, { params }, { isLive: true }).data?.body.items ?? []
  return (
    <Columns wideFirst>
      <OwnRules owner={owner} />
      <Explain client={login.id} first={questionOf(rule, { slug, loginId: login.id, deviceKey })} />
    </Columns>
  )
}

const sections: Readonly<Record<string, readonly [label: string, ComponentType<SectionProps>]>> = {
  now: [t('Now'), LoginNow],
  rules: [t('Rules'), Rules],
  settings: [t('Settings'), LoginSettings],
}

const LIVE_MS = 15_000

export default function LoginPage() {
  const { id, slug } = useWorkspace()
  const { loginId = '' } = useParams({ strict: false }) as { loginId?: string }
  const [{ tab = 'now' }] = useSearchState<{ tab: string }>()
  const params = { id, principal_id: loginId }
  const query = useResource('getMqttPrincipal', { params }, { refetchInterval: LIVE_MS })
  const trail = [{ label: t('MQTT logins'), to: below(slug, 'logins') }]
  const tabs = (
    <SectionTabs
      label={t('Parts of the login')}
      sections={sections}
      open={tab}
      to={below(slug, `logins/${loginId}`)}
    />
  )
  if (query.data === undefined) {
    return (
      <PendingPage
        title={t('MQTT login')}
        of={t('The MQTT login')}
        trail={trail}
        query={query}
        tabs={tabs}
      />
    )
  }
  const { body: login, etag } = query.data
  const [, Section] = sections[tab] ?? ['', LoginNow]
  return (
    <Page
      title={login.name}
      trail={trail}
      note={<LoginStatus status={login.status} />}
      actions={<LoginActions login={login} />}
    >
      {tabs}
      <Section login={login} etag={etag} />
    </Page>
  )
}
