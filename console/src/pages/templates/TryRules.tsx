/** The rights of a template's devices now, and with rules that are not saved. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  DeviceTemplate,
  ExplainMqtt,
  MqttExplanation,
  TemplateTopicRule,
} from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Announced, Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink, type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Token } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { asked, hintOf, reasonOf } from '../rules/Explain.tsx'
import { t } from './translations.ts'

/** As they are written in a topic, for texts that name them. */
const VARIABLES = { slug: '{slug}', device_key: '{device_key}', device_id: '{device_id}' }

/** Each takes two questions. */
const SAMPLES = 10

interface Tried {
  id: string
  key: string
  topic: string
  present: MqttExplanation
  simulated: MqttExplanation
}

interface Question {
  action: ExplainMqtt['action']
  /** With variables, as in a rule. */
  topic: string
  filter: string
}

async function tryOut(
  template: DeviceTemplate,
  rules: readonly TemplateTopicRule[],
  slug: string,
  { action, topic, filter }: Question,
): Promise<Tried[]> {
  const params = { id: template.workspace_id }
  const ofTemplate = `template_id = ${template.id}`
  const chosen = filter.trim() === '' ? ofTemplate : `${ofTemplate} AND (${filter})`
  const { items } = await call('listDevices', { params, query: { filter: chosen, limit: SAMPLES } })
  return Promise.all(
    items.map(async ({ id, device_key: key }) => {
      const own = topic
        .replaceAll('{slug}', slug)
        .replaceAll('{device_key}', key)
        .replaceAll('{device_id}', id)
      const body = { client: id, action, topic: own }
      const [present, simulated] = await Promise.all([
        call('explainMqtt', { params, body }),
        call('explainMqtt', { params, body: { ...body, template_rules: [...rules] } }),
      ])
      return { id, key, topic: own, present, simulated }
    }),
  )
}

const May = ({ answer }: { answer: MqttExplanation }) => (
  <Badge tone={answer.allowed ? 'ok' : 'off'}>{answer.allowed ? t('yes') : t('no')}</Badge>
)

const columnsOf = (slug: string): readonly Column<Tried>[] => [
  {
    name: t('Device'),
    cell: ({ id, key }) => <CellLink to={below(slug, `devices/${id}`)}>{key}</CellLink>,
  },
  { name: t('Topic'), breaks: true, cell: ({ topic }) => <Token>{topic}</Token> },
  { name: t('Now'), cell: ({ present }) => <May answer={present} /> },
  { name: t('Then'), cell: ({ simulated }) => <May answer={simulated} /> },
  {
    name: t('Change'),
    cell: ({ present, simulated: { allowed } }) => {
      if (present.allowed === allowed) return t('none')
      return <Badge tone={allowed ? 'info' : 'warn'}>{allowed ? t('gains') : t('loses')}</Badge>
    },
  },
  { name: t('Why then'), wraps: true, cell: ({ simulated }) => reasonOf(simulated) },
]

interface TryRulesProps {
  template: DeviceTemplate
  /** As they are typed. */
  rules: readonly TemplateTopicRule[]
}

export function TryRules({ template, rules }: TryRulesProps) {
  const { id, slug } = useWorkspace()
  const [question, setQuestion] = useState<Question>({
    action: 'publish',
    topic: '{slug}/{device_key}/state',
    filter: '',
  })
  const trying = useMutation<Tried[], Problem>({
    mutationFn: () => tryOut(template, rules, slug, question),
  })
  const change = (changes: Partial<Question>): void => setQuestion({ ...question, ...changes })
  const { action, topic, filter } = question
  useNextCall('explainMqtt', {
    params: { id },
    body: { client: 'dev_…', action, topic, template_rules: [...rules] },
  })
  return (
    <Panel title={t('Try these rules on devices, without saving them')}>
      <Stack>
        <Form onSubmit={() => trying.mutate()} problem={trying.error}>
          <Select
            label={t('Action')}
            value={action}
            options={asked}
            hint={hintOf(action)}
            onValue={(next) => change({ action: next })}
          />
          <TextField
            label={t('Topic')}
            mono
            pointer="/topic"
            hint={t('{slug}, {device_key} and {device_id} are those of each device.', VARIABLES)}
            value={topic}
            onValue={(next) => change({ topic: next })}
          />
          <DeviceFilter
            label={t('Which devices')}
            optional
            pointer="/query/filter"
            hint={t(
              'A filter, such as tags.floor = ground. The first {max} that match are checked.',
              {
                max: SAMPLES,
              },
            )}
            value={filter}
            onValue={(next) => change({ filter: next })}
          />
          <FormActions>
            <Button type="submit" busy={trying.isPending}>
              {t('Try')}
            </Button>
          </FormActions>
        </Form>
        <Announced>
          {trying.data !== undefined && (
            <Table
              label={t('What devices may do')}
              columns={columnsOf(slug)}
              list={wholeList(trying.data)}
              keyOf={(tried) => tried.id}
              empty={
                <Empty title={t('No such device')}>
                  {t('No device of this template matches.')}
                </Empty>
              }
            />
          )}
        </Announced>
      </Stack>
    </Panel>
  )
}
