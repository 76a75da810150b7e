/** One API key: its kind, its limits, and its end. */
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApiKey } from '../../../../sdk/schema.ts'
import { useList, useResource } from '../../api/hooks.ts'
import { LoneDanger } from '../../kit/Acts.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage, PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { FactoryCall } from './FactoryCall.tsx'
import { LimitFields } from './LimitFields.tsx'
import { RevokeKey } from './RevokeKey.tsx'
import { changedLimits, limitsOf } from './key-limits.ts'
import { KeyStatus, keyName, kindNames } from './key-labels.tsx'
import { t } from './translations.ts'

const LIVE_MS = 15_000

interface KeyProps {
  apiKey: ApiKey
  etag: string | undefined
}

/** Path parameters of calls about a key. */
const ofKey = ({ workspace_id: id, id: key_id }: ApiKey) => ({ id, key_id })

function ChangeKey({ apiKey, etag }: KeyProps) {
  const isLimited = apiKey.key_kind === 'provision'
  return (
    <ChangeForm
      title={isLimited ? t('Name and limits') : t('Name')}
      operation="updateApiKey"
      params={ofKey(apiKey)}
      etag={etag}
      present={{ name: apiKey.name, ...limitsOf(apiKey) }}
      bodyOf={(value, base) => ({
        ...(value.name !== base.name && { name: value.name }),
        ...(isLimited && changedLimits(base, value)),
      })}
      refreshes={['getApiKey', 'listApiKeys']}
      saved={t('It applies from the next call.')}
    >
      {(value, change) => (
        <>
          <TextField
            label={t('Name')}
            pointer="/name"
            value={value.name}
            onValue={(name) => change({ name })}
          />
          {isLimited && <LimitFields value={value} onValue={change} />}
        </>
      )}
    </ChangeForm>
  )
}

function About({ apiKey }: Pick<KeyProps, 'apiKey'>) {
  const isHidden = useBlocked('listAuditLog') !== undefined
  const isListed = apiKey.key_kind === 'provision' && !isHidden
  return (
    <Panel title={t('Details')}>
      <Stack>
        <Facts
          facts={[
            [t('Key'), <code key="hint">{apiKey.key_hint}</code>],
            [t('Id'), <Id key="id">{apiKey.id}</Id>],
            [t('Created'), <Time key="at" at={apiKey.created_at} />],
            [t('Created by'), <Who key="by" id={apiKey.created_by} />],
            [t('Last use'), <Time key="used" at={apiKey.last_used_at} />],
            [t('Last address'), apiKey.last_used_ip ?? undefined],
            [t('Device limit'), apiKey.key_kind === 'provision' ? limitInWords(apiKey) : undefined],
            [
              t('Devices registered'),
              apiKey.device_quota === null ? undefined : numberText(apiKey.devices_registered ?? 0),
            ],
            [
              t('Expires'),
              apiKey.expires_at === null ? undefined : <Time at={apiKey.expires_at} />,
            ],
            [
              t('Revoked'),
              apiKey.revoked_at === null ? undefined : <Time at={apiKey.revoked_at} />,
            ],
          ]}
        />
        {isListed && <Registered apiKey={apiKey} />}
      </Stack>
    </Panel>
  )
}

const limitInWords = ({ device_quota: quota }: ApiKey): string =>
  quota === null ? t('no limit') : numberText(quota)

/** Each registration has an entry in the audit log, with the key that made it. */
function Registered({ apiKey }: Pick<KeyProps, 'apiKey'>) {
  const { slug } = useWorkspace()
  const filter = `actor = "${apiKey.id}" AND action = "device.registered"`
  return (
    <p>
      <Link to={below(slug, 'audit')} search={{ filter }}>
        {t('What it has registered, in the audit log')}
      </Link>
    </p>
  )
}

/** Keys that were created with this one: they stay when it is revoked. */
function CreatedWithIt({ apiKey }: Pick<KeyProps, 'apiKey'>) {
  const { slug } = useWorkspace()
  const list = useList('listApiKeys', {
    params: { id: apiKey.workspace_id },
    query: { filter: `created_by = ${apiKey.id}` },
  })
  if (list.items === undefined || list.items.length === 0) return null
  return (
    <Panel title={t('Keys created with it')}>
      <Facts
        facts={list.items.map((each) => [
          keyName(each),
          <Row key={each.id}>
            <Link to={below(slug, `keys/${each.id}`)}>{each.key_hint}</Link>
            <KeyStatus status={each.status} />
          </Row>,
        ])}
      />
    </Panel>
  )
}

export default function KeyPage() {
  const { id, slug } = useWorkspace()
  const { keyId = '' } = useParams({ strict: false }) as { keyId?: string }
  const params = { id, key_id: keyId }
  const hidden = useBlocked('getApiKey')
  const query = useResource(
    'getApiKey',
    { params },
    { enabled: hidden === undefined, refetchInterval: LIVE_MS },
  )
  const [isRevoking, setRevoking] = useState(false)
  const blocked = useBlocked('revokeApiKey')
  const trail = [{ label: t('API keys'), to: below(slug, 'keys') }]
  if (hidden !== undefined) {
    return <ForbiddenPage title={t('API key')} trail={trail} why={hidden} />
  }
  if (query.data === undefined)
    return <PendingPage title={t('API key')} of={t('The API key')} trail={trail} query={query} />
  const { body: apiKey, etag } = query.data
  const isLive = apiKey.status === 'active'
  return (
    <Page
      title={keyName(apiKey)}
      trail={trail}
      note={
        <Row>
          <KeyStatus status={apiKey.status} />
          <Badge plain>{kindNames[apiKey.key_kind]}</Badge>
        </Row>
      }
      actions={
        isLive && (
          <LoneDanger label={t('Revoke…')} blocked={blocked} onSelect={() => setRevoking(true)} />
        )
      }
    >
      <Columns wideFirst lastAbove>
        {apiKey.status === 'revoked' ? (
          <About apiKey={apiKey} />
        ) : (
          <ChangeKey key={apiKey.id} apiKey={apiKey} etag={etag} />
        )}
        <Stack>
          {apiKey.status !== 'revoked' && <About apiKey={apiKey} />}
          {isLive && apiKey.key_kind === 'provision' && (
            <Panel title={t('The call of the factory')}>
              <FactoryCall apiKey={apiKey} />
            </Panel>
          )}
          {apiKey.key_kind === 'platform' && <CreatedWithIt apiKey={apiKey} />}
        </Stack>
      </Columns>
      {isRevoking && <RevokeKey apiKey={apiKey} onClose={() => setRevoking(false)} />}
    </Page>
  )
}
