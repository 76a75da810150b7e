/** What a device may publish and receive: its own rules, and the one that decides about a topic. */
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type {
  CreateDeviceAcl,
  ExplainMqtt,
  MqttAcl,
  MqttExplanation,
} from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Form, FormActions, Select, TextField } from '../../kit/Field.tsx'
import { Columns, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ofDevice, type SectionProps } from './DevicePage.tsx'

const actions: readonly { value: CreateDeviceAcl['action']; label: string }[] = [
  { value: 'publish', label: 'publish' },
  { value: 'subscribe', label: 'subscribe' },
  { value: 'pubsub', label: 'publish and subscribe' },
]

const permissions = [
  { value: 'allow', label: 'allow' },
  { value: 'deny', label: 'deny' },
] as const

function AddRule({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const [body, setBody] = useState<CreateDeviceAcl>({
    action: 'publish',
    topic: `${slug}/${device.device_key}/`,
    permission: 'allow',
  })
  const add = useChange('createDeviceAcl', ['listDeviceAcls', 'explainMqtt'])
  const blocked = useBlocked('createDeviceAcl')
  const params = ofDevice(device)
  useNextCall('createDeviceAcl', { params, body })
  return (
    <Panel title="Add a rule">
      <Form onSubmit={() => add.mutate({ params, body })} problem={add.error}>
        <Select
          label="Action"
          value={body.action}
          options={actions}
          onValue={(action) => setBody({ ...body, action })}
        />
        <TextField
          label="Topic"
          mono
          pointer="/topic"
          value={body.topic}
          onValue={(topic) => setBody({ ...body, topic })}
        />
        <Select
          label="Permission"
          value={body.permission}
          options={permissions}
          onValue={(permission) => setBody({ ...body, permission })}
        />
        <FormActions>
          <Button type="submit" kind="primary" busy={add.isPending} blocked={blocked}>
            Add
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}

const asked: readonly { value: ExplainMqtt['action']; label: string }[] = [
  { value: 'publish', label: 'publish to' },
  { value: 'subscribe', label: 'subscribe to' },
  { value: 'receive', label: 'receive from' },
]

function reasonOf({ reason, rule, would_connect }: MqttExplanation): string {
  if (rule !== null) {
    return `Rule ${rule.position} of the ${rule.source} decides: ${rule.permission} ${rule.action} ${rule.resolved_topic}.`
  }
  const reasons = {
    rule: '',
    no_rule: 'No rule matches, and what no rule allows is denied.',
    client_refused: `It could not connect: ${would_connect.reason ?? 'refused'}.`,
    malformed_topic: 'This is no well-formed topic.',
    reserved_topic: 'Topics that begin with $ belong to the broker.',
  }
  return reasons[reason]
}

/** “May it?”, with the rule that decides. */
function Explain({ device }: Pick<SectionProps, 'device'>) {
  const { id, slug } = useWorkspace()
  const [action, setAction] = useState<ExplainMqtt['action']>('publish')
  const [topic, setTopic] = useState(`${slug}/${device.device_key}/state`)
  const explain = useChange('explainMqtt')
  const body = { client: device.id, action, topic }
  return (
    <Panel title="May it …?">
      <Form onSubmit={() => explain.mutate({ params: { id }, body })} problem={explain.error}>
        <Select label="Action" value={action} options={asked} onValue={setAction} />
        <TextField label="Topic" mono pointer="/topic" value={topic} onValue={setTopic} />
        <FormActions>
          <Button type="submit" busy={explain.isPending}>
            Ask
          </Button>
        </FormActions>
        {explain.data && (
          <Note
            tone={explain.data.allowed ? 'ok' : 'warn'}
            title={explain.data.allowed ? 'Yes, it may.' : 'No, it may not.'}
          >
            {reasonOf(explain.data)}
          </Note>
        )}
      </Form>
    </Panel>
  )
}

function Remove({ device, rule }: Pick<SectionProps, 'device'> & { rule: MqttAcl }) {
  const remove = useChange('deleteDeviceAcl', ['listDeviceAcls'])
  const blocked = useBlocked('deleteDeviceAcl')
  const params = { ...ofDevice(device), acl_id: rule.id }
  return (
    <IconButton
      label={`Remove rule ${rule.position}`}
      icon={<Trash2 size={15} />}
      blocked={blocked}
      onClick={() => remove.mutate({ params })}
    />
  )
}

export function Rules({ device }: SectionProps) {
  const query = useRead('listDeviceAcls', { params: ofDevice(device) })
  const findings = query.data?.findings ?? []
  const columns: readonly Column<MqttAcl>[] = [
    { name: '#', cell: ({ position }) => position },
    { name: 'Action', cell: ({ action }) => action },
    { name: 'Topic', cell: ({ topic }) => <code>{topic}</code> },
    {
      name: 'Permission',
      cell: ({ permission }) => (
        <Badge tone={permission === 'allow' ? 'ok' : 'bad'}>{permission}</Badge>
      ),
    },
    {
      name: 'Acts',
      hidesName: true,
      stays: true,
      cell: (rule) => <Remove device={device} rule={rule} />,
    },
  ]
  return (
    <Columns wideFirst>
      <Stack>
        {findings.map(({ kind, rule }) => (
          <Note
            key={`${kind} ${rule.position}`}
            tone="warn"
            title={`Rule ${rule.position}: ${kind}`}
          >
            It probably does not have the intended effect.
          </Note>
        ))}
        <Panel title="Own rules, the first that matches decides" flush>
          <Table
            label="Own rules"
            columns={columns}
            list={listOf(query)}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No rules of its own">
                The rules of its template apply, or the default ones: its own topics only.
              </Empty>
            }
          />
        </Panel>
      </Stack>
      <Stack>
        <Explain device={device} />
        <AddRule device={device} />
      </Stack>
    </Columns>
  )
}
