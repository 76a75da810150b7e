/** Says whether a client may use a topic and which rule decides, and links to the rules. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ExplainMqtt, TemplateTopicRule } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { escaped } from '../../api/filter.ts'
import { deviceNamed, isDeviceId, SEVERAL } from '../../api/named-devices.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { problemOf, type Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Columns, Facts, Item, Items, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Announced, Empty, Loading, Pending } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Token } from '../../kit/Text.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { Explanation, asked, hintOf } from './Explain.tsx'
import { EXAMPLE_KEY } from './example-device.ts'
import { defaultRules } from './default-rules.ts'
import { actionLabels, shownTopic } from './rule-labels.ts'
import { counted, t } from './translations.ts'

const isId = (text: string): boolean => isDeviceId(text) || /^mqp_[0-7][0-9a-z]{25}$/.test(text)

type Found = { clientId: string } | { why: string }

/** The typed text is an id, the key or the name of a device, or the name of a login. */
async function findClient(workspaceId: string, text: string): Promise<Found> {
  if (isId(text)) return { clientId: text }
  const device = await deviceNamed(workspaceId, text)
  if (device === 'several') return { why: SEVERAL }
  if (device !== undefined) return { clientId: device }
  const logins = await call('listMqttPrincipals', {
    params: { id: workspaceId },
    query: { filter: `name = "${escaped(text)}"`, limit: 1 },
  })
  const [login] = logins.items
  if (login !== undefined) return { clientId: login.id }
  return { why: t('There is no device or login of this name.') }
}

const OFFERED = 20

function useOffered() {
  const { id } = useWorkspace()
  const options = { isLive: true, staleTime: 60_000 }
  const input = { params: { id }, query: { limit: OFFERED } }
  const devices = useRead('listDevices', input, options)
  const logins = useRead('listMqttPrincipals', input, options)
  return {
    logins: (logins.data?.items ?? []).map(({ name }) => name),
    keys: (devices.data?.items ?? []).map(({ device_key }) => device_key),
    areNone: devices.data?.items.length === 0 && logins.data?.items.length === 0,
    isPending: devices.isPending || logins.isPending,
  }
}

function Offered({ id }: { id: string }) {
  const { logins, keys } = useOffered()
  return (
    <datalist id={id}>
      {[...new Set([...logins, ...keys])].map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </datalist>
  )
}

interface Question {
  client: string
  action: string
  topic: string
}

/** The question: before anything is typed, whether the newest device may use its own topic. */
function useQuestion(address: Partial<Question>) {
  const { slug } = useWorkspace()
  const { logins, keys } = useOffered()
  const [newest] = useState(keys[0])
  const [given, setClient] = useState(address.client)
  const [action, setAction] = useState((address.action ?? 'publish') as ExplainMqtt['action'])
  const [about, setTopic] = useState(address.topic)
  const client = given ?? newest ?? ''
  const typed = client.trim()
  const isKey = /^[\w.-]+$/.test(typed) && !isId(typed) && !logins.includes(typed)
  // Until a topic is typed, it is one of the client: devices may not use those of others.
  const topic = about ?? `${slug}/${isKey ? typed : (newest ?? EXAMPLE_KEY)}/state`
  return { client, typed, action, topic, setClient, setAction, setTopic }
}

function Ask() {
  const { id } = useWorkspace()
  const [address, setAddress] = useSearchState<{ client: string; action: string; topic: string }>()
  const { client, typed, action, topic, ...set } = useQuestion(address)
  const [found, setFound] = useState<string | null>(null)
  const [error, setError] = useState<string | undefined>()
  const [problem, setProblem] = useState<Problem | null>(null)
  const explain = useChange('explainMqtt')
  // The id is looked up by the name first.
  const shown = isId(typed) || typed === '' ? typed : t('<id of {name}>', { name: typed })
  useNextCall('explainMqtt', { params: { id }, body: { client: shown, action, topic } })
  const isCurrent = address.client === typed && address.action === action && address.topic === topic
  const ask = async (): Promise<void> => {
    setProblem(null)
    setError(undefined)
    if (typed === '') {
      return setError(t('Enter the key or the name of a device, the name of a login, or an id.'))
    }
    try {
      const named = await findClient(id, typed)
      if ('why' in named) return setError(named.why)
      const { clientId } = named
      await explain.mutateAsync({ params: { id }, body: { client: clientId, action, topic } })
      setFound(clientId)
      setAddress({ client: typed, action, topic })
    } catch (thrown) {
      setProblem(problemOf(thrown))
    }
  }
  return (
    <Panel title={t('Check access')}>
      <Form onSubmit={() => void ask()} problem={problem}>
        <TextField
          label={t('Client')}
          list="clients"
          pointer="/client"
          hint={t('The key or the name of a device, the name of a login, or an id.')}
          error={error}
          value={client}
          onValue={set.setClient}
        />
        <Offered id="clients" />
        <Select
          label={t('Action')}
          value={action}
          options={asked}
          hint={hintOf(action)}
          onValue={set.setAction}
        />
        <TextField label={t('Topic')} mono pointer="/topic" value={topic} onValue={set.setTopic} />
        <FormActions>
          <Button type="submit" kind="primary" busy={explain.isPending}>
            {t('Check')}
          </Button>
        </FormActions>
        <Announced>
          {isCurrent && explain.data && found !== null && (
            <Stack tight>
              <p>
                <Who id={found} />
              </p>
              <Explanation answer={explain.data} />
            </Stack>
          )}
        </Announced>
      </Form>
    </Panel>
  )
}

/** Where rules are: each template, and logins with rules of their own. */
function Places() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 100 } }
  const templates = useRead('listDeviceTemplates', input)
  const logins = useRead('listMqttPrincipals', input)
  const unread = [templates, logins].filter(({ data }) => data === undefined)
  const problem = unread.find(({ error }) => error !== null)?.error ?? null
  const places = [
    ...(templates.data?.items ?? []).map((each) => ({
      key: each.id,
      kind: t('template'),
      name: each.name,
      says:
        each.mqtt_acl.length === 0
          ? t('the default rules')
          : counted(each.mqtt_acl.length, '{n} rule', '{n} rules'),
      to: `templates/${each.id}`,
    })),
    ...(logins.data?.items ?? []).map((each) => ({
      key: each.id,
      kind: t('login'),
      name: each.name,
      says: t('rules of its own'),
      to: `logins/${each.id}`,
    })),
  ]
  return (
    <Panel title={t('Where the rules are')}>
      {unread.length > 0 && (
        <Pending
          query={{ error: problem, refetch: () => unread.map((each) => each.refetch()) }}
          of={t('The rules')}
        />
      )}
      {unread.length === 0 && places.length === 0 && (
        <Empty title={t('Only the default rules apply')}>
          {t('Devices without a template may use their own topics.')}{' '}
          {t('A device can also have rules of its own, on its page.')}
        </Empty>
      )}
      {places.length > 0 && (
        <Items>
          {places.map(({ key, kind, name, says, to }) => (
            <Item
              key={key}
              mark={<Badge plain>{kind}</Badge>}
              title={
                <Link to={below(slug, to)} search={{ tab: 'rules' }}>
                  {name}
                </Link>
              }
            >
              {says}
            </Item>
          ))}
        </Items>
      )}
      {places.length > 0 && (
        <Small>{t('A device can also have rules of its own, on its page.')}</Small>
      )}
    </Panel>
  )
}

function DefaultTopics({ rules }: { rules: readonly TemplateTopicRule[] }) {
  const { slug } = useWorkspace()
  return (
    <>
      {rules.map(({ topic }) => (
        <div key={topic}>
          <Token>{shownTopic(topic, slug)}</Token>
          {topic.endsWith('/') && <Small> {t('(with an empty last level)')}</Small>}
        </div>
      ))}
    </>
  )
}

const DefaultRules = () => (
  <Panel title={t('The default rules allow this')}>
    <Facts
      facts={(['publish', 'subscribe'] as const).map((action) => [
        actionLabels[action],
        <DefaultTopics
          key={action}
          rules={defaultRules.filter((rule) => rule.action === action)}
        />,
      ])}
    />
  </Panel>
)

function NobodyToAsk() {
  const { slug } = useWorkspace()
  return (
    <Panel title={t('Check access')}>
      <Empty
        title={t('Nobody to ask about yet')}
        action={
          <LinkButton kind="primary" to={below(slug, 'devices/new')}>
            {t('Connect a device')}
          </LinkButton>
        }
      >
        {t(
          'A check says whether a device or a login may use a topic, and which rule decides. This workspace has neither yet.',
        )}
      </Empty>
    </Panel>
  )
}

/** The form comes once it is known whether anybody is there, since what is typed must stay. */
function Check() {
  const { areNone, isPending } = useOffered()
  if (isPending) {
    return (
      <Panel title={t('Check access')}>
        <Loading />
      </Panel>
    )
  }
  return areNone ? <NobodyToAsk /> : <Ask />
}

const RulesPage = () => (
  <Page
    title={t('Rules')}
    about={t(
      'A rule lets a client publish or subscribe to topics, or forbids it. The first match decides, no match denies.',
    )}
  >
    <Columns wideFirst>
      <Check />
      <Stack>
        <Places />
        <DefaultRules />
      </Stack>
    </Columns>
  </Page>
)

export default RulesPage
