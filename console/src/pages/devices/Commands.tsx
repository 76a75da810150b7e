/** The commands of a device, and a form made from what its template says that it can do. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CapabilityDefinition, Command } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { jsonFaultOf, jsonObjectOf } from '../../api/json-object.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, TextArea, TextField } from '../../kit/Field.tsx'
import { Columns, Panel, Row, Small } from '../../kit/Layout.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { JsonLine, Name, Time, Token } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { commandLabels, DEFAULT_TIMEOUT_S } from './command-labels.ts'
import { ofDevice, type SectionProps, useTemplateOf } from './of-device.ts'
import { rich, t } from './translations.ts'

function Status({ status }: Pick<Command, 'status'>) {
  const [word, tone] = commandLabels[status]
  return <Badge tone={tone}>{word}</Badge>
}

function Cancel({ command }: { command: Command }) {
  const client = useQueryClient()
  const cancel = useChange('cancelCommand', ['listCommands'])
  const blocked = useBlocked('cancelCommand')
  const { workspace_id: id, device_id, id: command_id } = command
  const input = { params: { id, device_id, command_id } }
  const preview = useButtonCall('cancelCommand', input)
  // It may be refused because the command is no longer what the list says.
  const onError = (): void => void client.invalidateQueries({ queryKey: ['listCommands'] })
  if (command.status !== 'pending') return null
  return (
    <>
      <Button
        kind="quiet"
        blocked={blocked}
        busy={cancel.isPending}
        onClick={() => cancel.mutate(input, { onError })}
        {...preview}
      >
        {t('Cancel')}
      </Button>
      {cancel.error !== null && <ProblemNote problem={cancel.error} />}
    </>
  )
}

/** Arguments or a response, if there are any. */
const Members = ({ value }: { value: unknown }) =>
  value === null || Object.keys(Object(value)).length === 0 ? null : (
    <Small>
      <JsonLine value={value} />
    </Small>
  )

interface WhyProps {
  reason: NonNullable<Command['cancel_reason']>
  by: Command['cancelled_by']
}

function WhyCancelled({ reason, by }: WhyProps) {
  const who = <Who id={by} />
  return (
    <div>
      <Small>
        {reason === 'request'
          ? rich('Cancelled by {who}', { who })
          : rich('It ended with a reset of the credentials, by {who}', { who })}
      </Small>
    </div>
  )
}

const columns: readonly Column<Command>[] = [
  { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: t('Command'),
    heads: true,
    wraps: true,
    cell: Name,
  },
  {
    name: t('Arguments'),
    breaks: true,
    cell: ({ payload }) => <Members value={payload} />,
  },
  {
    name: t('Status'),
    breaks: true,
    cell: ({ status, cancelled_by, cancel_reason }) => (
      <>
        <Status status={status} />
        {cancel_reason !== null && <WhyCancelled reason={cancel_reason} by={cancelled_by} />}
      </>
    ),
  },
  {
    name: t('Response'),
    nameIn: ({ error }) => (error === null ? t('Response') : t('Error')),
    breaks: true,
    cell: ({ error, result }) => error ?? <Members value={result} />,
  },
  {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (command) => <Cancel command={command} />,
  },
]

/** The settings of the device that a person may change, as the template describes them. */
const isSettable = ({ mode }: CapabilityDefinition): boolean =>
  mode === 'write' || mode === 'read_write'

const exampleOf = ({ name, type, min, enum: values, default: fallback }: CapabilityDefinition) => ({
  [name]:
    fallback ??
    values?.[0] ??
    { string: '', number: min ?? 0, integer: min ?? 0, boolean: true, object: {} }[type],
})

function SendCommand({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const [name, setName] = useState('')
  const [payload, setPayload] = useState('{}')
  const [timeout, setTimeoutText] = useState(DEFAULT_TIMEOUT_S)
  const { data: template } = useTemplateOf(device)
  const send = useChange('createCommand', ['listCommands'])
  const blocked = useBlocked('createCommand')
  const value = jsonObjectOf(payload)
  const body = { name, payload: value ?? {}, timeout_s: Number(timeout) }
  const params = ofDevice(device)
  const topic = `${slug}/${device.device_key}/cmd`
  useNextCall('createCommand', { params, body })
  const choose = (each: CapabilityDefinition): void => {
    setName(`set_${each.name}`)
    setPayload(JSON.stringify(exampleOf(each), null, 2))
  }
  const submit = (): void => {
    if (value !== undefined) send.mutate({ params, body })
  }
  const settable = template?.capability_definitions.filter(isSettable) ?? []
  return (
    <Panel title={t('Send a command')}>
      <Form onSubmit={submit} problem={send.error}>
        {settable.length > 0 && (
          <Row>
            {settable.map((each) => (
              <Button key={each.name} onClick={() => choose(each)}>
                {t('Set {name}', { name: each.name })}
              </Button>
            ))}
          </Row>
        )}
        <TextField
          label={t('Command')}
          hint={rich('Sent to {topic} and {own}', {
            topic: <Token>{topic}</Token>,
            own: <Token>{`${topic}/${name || '…'}`}</Token>,
          })}
          pointer="/name"
          value={name}
          onValue={setName}
          mono
        />
        <TextArea
          label={t('Arguments (JSON)')}
          pointer="/payload"
          mono
          value={payload}
          onValue={setPayload}
          error={jsonFaultOf(payload)}
        />
        <TextField
          label={t('Seconds to wait for its response')}
          hint={rich('It answers with the id of the command on {topic}: {form}', {
            topic: <Token>{`${slug}/${device.device_key}/ack`}</Token>,
            form: <Token>{'{"id": "cmd_…", "ok": true}'}</Token>,
          })}
          pointer="/timeout_s"
          inputMode="numeric"
          value={timeout}
          onValue={setTimeoutText}
        />
        <FormActions>
          <Button type="submit" kind="primary" busy={send.isPending} blocked={blocked}>
            {t('Send')}
          </Button>
          {!device.connected && Number(timeout) > 0 && (
            <Small>
              {t('It is offline. The command waits up to {n} s for it.', { n: Number(timeout) })}
            </Small>
          )}
        </FormActions>
      </Form>
    </Panel>
  )
}

export function Commands({ device }: SectionProps) {
  const list = useList('listCommands', { params: ofDevice(device) }, { isLive: true })
  return (
    <Columns wideFirst>
      <Panel title={t('Commands')} flush>
        <Table
          label={t('Commands')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t('No command yet')}>
              {t(
                'A command reaches the device once, at once or when it connects, and waits for its response.',
              )}
            </Empty>
          }
        />
      </Panel>
      <SendCommand device={device} />
    </Columns>
  )
}
