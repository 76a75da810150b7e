/** Inviting somebody: the address, the role in words, and how long the link works. */
import { useState } from 'react'
import type { CreateInvitation } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, RadioCards, Select, TextField } from '../../kit/Field.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { roleOptions } from './role-words.ts'

const DAY_S = 86_400
const lives = [
  { value: String(DAY_S), label: 'a day' },
  { value: String(7 * DAY_S), label: 'a week' },
  { value: String(30 * DAY_S), label: '30 days' },
]

export function Invite({ onClose }: { onClose: () => void }) {
  const { id, role: own } = useWorkspace()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<CreateInvitation['role']>('member')
  const [life, setLife] = useState(String(7 * DAY_S))
  const invite = useChange('createInvitation', ['listInvitations'])
  const body: CreateInvitation = { email: email.trim(), role, expires_in_s: Number(life) }
  const input = { params: { id }, body }
  useNextCall('createInvitation', input)
  const submit = (): void =>
    invite.mutate(input, {
      onSuccess: (made) => {
        say('Invited', made.email)
        onClose()
      },
    })
  return (
    <Dialog title="Invite somebody" open onClose={onClose}>
      <Form onSubmit={submit} problem={invite.error}>
        <TextField
          label="E-mail"
          hint="Only this address can accept."
          pointer="/email"
          type="email"
          autoComplete="off"
          value={email}
          onValue={setEmail}
        />
        <RadioCards label="Role" value={role} options={roleOptions(own)} onValue={setRole} />
        <Select label="The link works for" value={life} options={lives} onValue={setLife} />
        <FormActions>
          <Button type="submit" kind="primary" busy={invite.isPending}>
            Invite
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </Form>
    </Dialog>
  )
}
