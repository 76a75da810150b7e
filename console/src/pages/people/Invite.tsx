/** Inviting people: their addresses, one role for all in words, and how long the links work. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreateInvitation } from '../../../../sdk/schema.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards, Select, TextArea } from '../../kit/Field.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { Announced, Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Progress } from '../../kit/Progress.tsx'
import { useConfig } from '../../session/config.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { type Address, readAddresses } from './addresses.ts'
import { InviteReceipt } from './InviteReceipt.tsx'
import { inviteAll, type Outcome } from './invite-all.ts'
import { roleOptions } from './role-labels.ts'
import { t } from './translations.ts'

const DAY_S = 86_400
const lives = [
  { value: String(DAY_S), label: t('a day') },
  { value: String(7 * DAY_S), label: t('a week') },
  { value: String(30 * DAY_S), label: t('30 days') },
]

interface Draft {
  text: string
  role: CreateInvitation['role']
  life: string
}

const bodiesOf = ({ role, life }: Draft, addresses: readonly Address[]): CreateInvitation[] =>
  addresses.map(({ text }) => ({ email: text, role, expires_in_s: Number(life) }))

const Marks = ({ addresses }: { addresses: readonly Address[] }) => (
  <Row>
    {addresses.map(({ text, isValid }) => (
      <Badge key={text} tone={isValid ? 'ok' : 'bad'}>
        {isValid ? text : t('{text}: no address', { text })}
      </Badge>
    ))}
  </Row>
)

/** How the links get to the people: that is known before they are invited. */
function Sent() {
  const { data: config } = useConfig()
  if (config === undefined) return null
  return (
    <Note>
      {config.mail
        ? t('Each person gets a mail with a link.')
        : t('No mail is sent. You get a link for each person, to hand over.')}
    </Note>
  )
}

interface InviteFormProps {
  draft: Draft
  onDraft: (draft: Draft) => void
  onSend: (bodies: readonly CreateInvitation[]) => void
  onClose: () => void
}

/** Why nothing is sent yet. */
function faultOf(addresses: readonly Address[]): string | undefined {
  if (addresses.length === 0) return t('Enter at least one address')
  const invalid = addresses.filter(({ isValid }) => !isValid)
  if (invalid.length === 0) return undefined
  return t('Not an e-mail address: {addresses}', {
    addresses: invalid.map(({ text }) => text).join(', '),
  })
}

function InviteForm({ draft, onDraft, onSend, onClose }: InviteFormProps) {
  const { id, role: own } = useWorkspace()
  const [isTried, setTried] = useState(false)
  const addresses = readAddresses(draft.text)
  const bodies = bodiesOf(draft, addresses)
  const fault = faultOf(addresses)
  const count = addresses.filter(({ isValid }) => isValid).length
  useNextCall('createInvitation', { params: { id }, body: bodies[0] })
  const submit = (): void => {
    setTried(true)
    if (fault === undefined) onSend(bodies)
  }
  return (
    <Form onSubmit={submit} problem={null}>
      <Sent />
      <TextArea
        label={t('E-mail addresses')}
        hint={t('Separated by commas, spaces or lines.')}
        error={isTried ? fault : undefined}
        autoComplete="off"
        rows={3}
        value={draft.text}
        onValue={(text) => onDraft({ ...draft, text })}
      />
      {addresses.length > 1 && <Marks addresses={addresses} />}
      <RadioCards
        label={t('Role')}
        value={draft.role}
        options={roleOptions(own)}
        onValue={(role) => onDraft({ ...draft, role })}
      />
      <Select
        label={t('The links work for')}
        value={draft.life}
        options={lives}
        onValue={(life) => onDraft({ ...draft, life })}
      />
      <SubmitActions
        act={
          fault === undefined && count > 1
            ? t('Invite {n} people', { n: numberText(count) })
            : t('Invite')
        }
        onCancel={onClose}
      />
    </Form>
  )
}

const Sending = ({ total, outcomes }: { total: number; outcomes: readonly Outcome[] }) => {
  const bad = outcomes.filter(({ problem }) => problem !== null).length
  return (
    <Stack>
      <Announced>
        {total === 1
          ? t('{done} of 1 person', { done: outcomes.length })
          : t('{done} of {n} people', {
              done: numberText(outcomes.length),
              n: numberText(total),
            })}
      </Announced>
      <Progress
        label={t('Invitations')}
        total={total}
        parts={[
          { tone: 'ok', count: outcomes.length - bad },
          { tone: 'bad', count: bad },
        ]}
      />
    </Stack>
  )
}

export function Invite({ onClose }: { onClose: () => void }) {
  const { id } = useWorkspace()
  const client = useQueryClient()
  const hasMail = useConfig().data?.mail !== false
  const [draft, setDraft] = useState<Draft>({ text: '', role: 'member', life: String(7 * DAY_S) })
  /** 0: nothing is being sent. */
  const [total, setTotal] = useState(0)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const send = async (bodies: readonly CreateInvitation[]): Promise<void> => {
    setOutcomes([])
    setTotal(bodies.length)
    await inviteAll({ id, bodies, hasMail, onOutcomes: setOutcomes })
    await client.invalidateQueries({ queryKey: ['listInvitations'] })
  }
  const correct = (emails: readonly string[]): void => {
    setDraft({ ...draft, text: emails.join('\n') })
    setTotal(0)
  }
  const isOver = total > 0 && outcomes.length === total
  return (
    <Dialog title={t('Invite people')} open stays={total > 0} onClose={onClose}>
      {total === 0 && (
        <InviteForm
          draft={draft}
          onDraft={setDraft}
          onSend={(bodies) => void send(bodies)}
          onClose={onClose}
        />
      )}
      {total > 0 && !isOver && <Sending total={total} outcomes={outcomes} />}
      {isOver && (
        <InviteReceipt
          outcomes={outcomes}
          hasMail={hasMail}
          onCorrect={correct}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
