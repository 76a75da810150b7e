/** All components in their states, for those who change them and for the tests of their look. */
import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Bars } from '../../kit/Bars.tsx'
import { Button, type ButtonKind, IconButton, LinkButton } from '../../kit/Button.tsx'
import { Codes } from '../../kit/Codes.tsx'
import { Diff } from '../../kit/Diff.tsx'
import {
  Checkbox,
  CheckGroup,
  Form,
  FormActions,
  PasswordField,
  RadioCards,
  Select,
  TextArea,
  TextField,
} from '../../kit/Field.tsx'
import { FileDrop } from '../../kit/FileDrop.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Cards, Columns, Facts, Panel, Row, Stack, Stat } from '../../kit/Layout.tsx'
import { Empty, Note, ProblemNote, Skeleton, type Tone } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog, Menu, say } from '../../kit/Overlay.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { Samples } from '../../kit/Samples.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Stepper } from '../../kit/Stepper.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Code, Id, Json, Qr, Time } from '../../kit/Text.tsx'
import { t } from './translations.ts'

const kinds: readonly ButtonKind[] = ['plain', 'primary', 'danger', 'quiet', 'text']
const tones: readonly Tone[] = ['info', 'ok', 'warn', 'bad']
const badges: readonly BadgeTone[] = ['ok', 'warn', 'bad', 'info', 'off']
const choices = [
  { value: 'owner', label: 'owner', hint: 'May do everything.' },
  { value: 'viewer', label: 'viewer', hint: 'May read.', blocked: 'The last owner stays.' },
] as const

const refusal = new Problem({
  code: 'invalid_request',
  status: 400,
  title: 'The request is invalid',
  detail: 'One member is wrong.',
  errors: [{ pointer: '/name', message: 'must be a name' }],
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
})

const samples = [
  { name: 'Node', needs: 'nothing else', text: "console.log('on')" },
  { name: 'Python', needs: 'nothing else', text: "print('on')" },
] as const

interface Lamp {
  key: string
  name: string
  count: number
}
const lamps: readonly Lamp[] = [
  { key: 'lamp-1', name: 'Hall, north', count: 12 },
  {
    key: 'lamp-2',
    name: 'A name that is much longer than any column would like it',
    count: 84_213,
  },
]
const columns: readonly Column<Lamp>[] = [
  { name: 'Key', cell: ({ key }) => <Id>{key}</Id> },
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Messages', number: true, cell: ({ count }) => numberText(count) },
]
const table = (items: readonly Lamp[] | undefined, error: Problem | null = null) =>
  listOf({ data: items && { items }, error, refetch: () => undefined })

function Tables() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['lamp-1']))
  const keyOf = ({ key }: Lamp): string => key
  const empty = (
    <Empty title={t('No lamps yet')} command="mooring lamps create">
      {t('A lamp appears here once it is made.')}
    </Empty>
  )
  const common = { columns, keyOf, empty }
  return (
    <>
      <Panel title={t('Rows')} flush>
        <Table
          {...common}
          label="Lamps"
          list={table(lamps)}
          selection={{ chosen, onChange: setChosen }}
        />
      </Panel>
      <Columns>
        <Panel title={t('No rows')} flush>
          <Table {...common} label="No lamps" list={table([])} />
        </Panel>
        <Panel title={t('Refused')} flush>
          <Table {...common} label="Refused lamps" list={table(undefined, refusal)} />
        </Panel>
      </Columns>
    </>
  )
}

function Fields() {
  const [text, setText] = useState('Hall')
  const [role, setRole] = useState<'owner' | 'viewer'>('owner')
  const [isOn, setOn] = useState(true)
  const field = { value: text, onValue: setText }
  return (
    <Columns>
      <Form onSubmit={() => undefined} problem={null}>
        <TextField label="Text" hint={t('What it is for.')} {...field} />
        <TextField label="Wrong" error="must be a name" {...field} />
        <TextField label="Optional" optional mono {...field} />
        <PasswordField label="Password" {...field} />
        <Select label="Choice" value={role} options={choices} onValue={setRole} />
      </Form>
      <Form onSubmit={() => undefined} problem={null}>
        <TextArea label="Lines" mono {...field} />
        <Checkbox label="Checked" hint={t('With a hint.')} checked={isOn} onValue={setOn} />
        <Checkbox label="Disabled" checked={false} disabled onValue={setOn} />
        <RadioCards label="Role" value={role} options={choices} onValue={setRole} />
        <CheckGroup
          label="Several"
          values={[role]}
          options={choices}
          onValues={([first = 'owner']) => setRole(first)}
        />
        <FormActions>
          <Button kind="primary" type="submit">
            {t('Save')}
          </Button>
          <Button>{t('Cancel')}</Button>
        </FormActions>
      </Form>
    </Columns>
  )
}

type Shown = 'confirm' | 'secret' | null

function Overlays() {
  const [shown, setShown] = useState<Shown>(null)
  const close = (): void => setShown(null)
  return (
    <Row>
      <Button onClick={() => setShown('confirm')}>{t('Open a question')}</Button>
      <Button onClick={() => setShown('secret')}>{t('Open a secret')}</Button>
      <Button onClick={() => say('Saved', 'Version 2')}>{t('Say something')}</Button>
      <Menu
        trigger={<Button>{t('Open a menu')}</Button>}
        items={[
          { label: 'Edit', icon: <Pencil size={14} />, onSelect: close },
          { label: 'Not now', blocked: 'Owners only.', onSelect: close },
          { label: 'Delete', danger: true, onSelect: close },
        ]}
      />
      {shown === 'confirm' && (
        <ConfirmDialog
          title="Delete lamp-1?"
          act="Delete"
          typed="lamp-1"
          busy={false}
          problem={refusal}
          onConfirm={close}
          onClose={close}
        >
          {t('1 device is disconnected and refused at once.')}
        </ConfirmDialog>
      )}
      {shown === 'secret' && (
        <SecretDialog
          title="A new key"
          values={{ MOORING_KEY: 'service_pk_example', MOORING_WORKSPACE: 'ws_example' }}
          name="key"
          qr="service_pk_example"
          onClose={close}
        />
      )}
    </Row>
  )
}

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <Panel title={title}>
    <Stack>{children}</Stack>
  </Panel>
)

export default function Kit() {
  return (
    <Page title={t('Components')}>
      <Group title={t('Buttons')}>
        {kinds.map((kind) => (
          <Row key={kind}>
            <Button kind={kind}>{kind}</Button>
            <Button kind={kind} busy>
              {kind}, busy
            </Button>
            <Button kind={kind} blocked="Owners and admins only.">
              {kind}, blocked
            </Button>
          </Row>
        ))}
        <Row>
          <LinkButton to="/kit">A link</LinkButton>
          <IconButton label="Edit" icon={<Pencil size={16} />} />
        </Row>
      </Group>
      <Group title={t('Badges')}>
        <Row>
          {badges.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </Row>
      </Group>
      <Group title={t('Notes')}>
        {tones.map((tone) => (
          <Note key={tone} tone={tone} title={`Of tone ${tone}`} action={<Button>Act</Button>}>
            {t('One sentence says what to do.')}
          </Note>
        ))}
        <ProblemNote problem={refusal} onRetry={() => undefined} />
        <Skeleton />
      </Group>
      <Group title={t('Fields')}>
        <Fields />
        <FilterEditor
          label="Filter"
          placeholder="status = active"
          value="status = active AND tags.floor = “ground”"
          fields={[]}
          problem={null}
          onTyped={() => undefined}
          onSubmit={() => undefined}
        />
      </Group>
      <Tables />
      <Cards>
        <Stat label="Devices" value="84,213" note="312 more today" />
        <Stat label="Connected" value="71,904" link={{ to: '/kit' }} />
      </Cards>
      <Columns>
        <Group title={t('Texts')}>
          <Facts
            facts={[
              ['name', 'Hall, north'],
              ['id', <Id key="id">dev_01m8abcdefghijklmnopqrst88k</Id>],
              ['made', <Time key="made" at="2026-01-01T12:00:00Z" />],
            ]}
          />
          <Code label="Code">npm start</Code>
          <Json label="JSON" value={{ on: true, temperature: 21.5 }} />
          <Diff before={{ interval_s: 60 }} after={{ interval_s: 10, unit: 'K' }} />
        </Group>
        <Group title={t('Progress')}>
          <Stepper steps={['Model', 'Credentials', 'Code', 'Connected']} at={2} />
          <Progress
            label="Devices"
            total={100}
            parts={[
              { tone: 'ok', count: 60 },
              { tone: 'bad', count: 10 },
            ]}
          />
          <Qr label="A code" text="service_pk_example" />
          <Codes codes={['k7qd-9f2m', 'x4ta-1h8w']} name="codes" heading="Recovery codes">
            Keep them.
          </Codes>
        </Group>
      </Columns>
      <Columns>
        <Group title={t('Charts')}>
          <Bars
            label="Messages by the day: in all 90"
            bars={[10, 40, 25, 15].map((value, day) => ({
              key: String(day),
              value,
              title: `Day ${day}: ${value}`,
              isOpen: day === 3,
            }))}
            limit={50}
            first="Monday"
            last="Thursday"
          />
        </Group>
        <Group title={t('Files and programs')}>
          <FileDrop
            label={t('Choose a file, or drop it here')}
            accept=".csv"
            onFile={() => undefined}
          >
            {t('A table.')}
          </FileDrop>
          <Samples samples={samples}>{t('It prints what it receives.')}</Samples>
        </Group>
      </Columns>
      <Overlays />
    </Page>
  )
}
