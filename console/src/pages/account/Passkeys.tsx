/** Passkeys: signing in with a device instead of a password. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { Passkey } from '../../../../sdk/schema.ts'
import type { Result } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, FormActions, TextField } from '../../kit/Field.tsx'
import { Item, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog, say } from '../../kit/Overlay.tsx'
import { Time } from '../../kit/Text.tsx'
import { useConfig } from '../../session/config.ts'
import { addPasskey, usePasskeyBlock } from '../../session/passkeys.ts'
import { deviceOf } from './user-agent.ts'
import { rich, t } from './translations.ts'

function useNewPasskey() {
  const client = useQueryClient()
  return useMutation<Result<'addPasskey'>, Problem, string>({
    mutationFn: addPasskey,
    onSuccess: () =>
      Promise.all(
        ['listPasskeys', 'getMe'].map((id) => client.invalidateQueries({ queryKey: [id] })),
      ),
  })
}

interface NameDialogProps {
  title: string
  text: string
  act: string
  name: string
  onTyped: (name: string) => void
  change: Pick<ReturnType<typeof useNewPasskey>, 'isPending' | 'error'>
  onSubmit: () => void
  onClose: () => void
}

function NameDialog(props: NameDialogProps) {
  const { title, text, act, name, onTyped, change, onSubmit, onClose } = props
  return (
    <Dialog title={title} open onClose={onClose}>
      <p>{text}</p>
      <Form onSubmit={onSubmit} problem={change.error}>
        <TextField
          label={t('Name')}
          hint={t('By which you will know it in this list.')}
          pointer="/name"
          value={name}
          onValue={onTyped}
          required
        />
        <SubmitActions act={act} busy={change.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function Add({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(deviceOf(navigator.userAgent))
  const add = useNewPasskey()
  useNextCall('beginPasskey', {})
  const done = (): void => {
    say(t('The passkey is added'), t('It signs you in from now on, without your password.'))
    onClose()
  }
  return (
    <NameDialog
      title={t('Add a passkey')}
      text={t(
        'Your browser asks where to keep it: on this device, on a phone, in a password manager or on a security key.',
      )}
      act={t('Add')}
      name={name}
      onTyped={setName}
      change={add}
      onSubmit={() => void add.mutateAsync(name.trim()).then(done, () => null)}
      onClose={onClose}
    />
  )
}

interface OneProps {
  passkey: Passkey
  onClose: () => void
}

function Rename({ passkey, onClose }: OneProps) {
  const [name, setName] = useState(passkey.name)
  const rename = useChange('renamePasskey', ['listPasskeys'])
  const params = { passkey_id: passkey.id }
  const input = { params, body: { name: name.trim() } }
  useNextCall('renamePasskey', input)
  return (
    <NameDialog
      title={t('Rename the passkey')}
      text={t('The name on the device stays as it is.')}
      act={t('Rename')}
      name={name}
      onTyped={setName}
      change={rename}
      onSubmit={() => void rename.mutateAsync(input).then(onClose, () => null)}
      onClose={onClose}
    />
  )
}

function Remove({ passkey, onClose }: OneProps) {
  const remove = useChange('removePasskey', ['listPasskeys', 'getMe', 'listSessions'])
  const params = { passkey_id: passkey.id }
  useNextCall('removePasskey', { params })
  const done = (): void => {
    say(t('The passkey is removed'), t('Delete it on the device as well.'))
    onClose()
  }
  return (
    <ConfirmDialog
      title={t('Remove {name}?', { name: passkey.name })}
      act={t('Remove')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => void remove.mutateAsync({ params }).then(done, () => null)}
      onClose={onClose}
    >
      {t(
        'It does not sign in any more, and other sessions in which it was used end now. Workspaces that require a second factor are closed to this session until you prove another one.',
      )}
    </ConfirmDialog>
  )
}

interface EntryProps {
  passkey: Passkey
  onRename: () => void
  onRemove: () => void
}

const Entry = ({ passkey, onRename, onRemove }: EntryProps) => (
  <Item
    mark={<KeyRound size={18} aria-hidden="true" />}
    title={passkey.name}
    action={
      <Row>
        <Button aria-label={t('Rename {name}', passkey)} onClick={onRename}>
          {t('Rename')}
        </Button>
        <Button aria-label={t('Remove {name}', passkey)} onClick={onRemove}>
          {t('Remove…')}
        </Button>
      </Row>
    }
  >
    {passkey.last_used_at === null
      ? rich('Added {time}, never used', { time: <Time at={passkey.created_at} /> })
      : rich('Added {time}, last used {used}', {
          time: <Time at={passkey.created_at} />,
          used: <Time at={passkey.last_used_at} />,
        })}
  </Item>
)

/** Why this page cannot use passkeys; it leads to where it can. */
function Blocked({ why }: { why: string }) {
  const { data: config } = useConfig()
  const origin = config?.passkey_origin ?? window.location.origin
  if (origin === window.location.origin) return <Note>{why}</Note>
  const link = <a href={`${origin}/console/account/security`}>{origin}</a>
  return <Note>{rich('Passkeys work at {origin}. Open the console there.', { origin: link })}</Note>
}

type Open = { act: 'add' } | { act: 'rename' | 'remove'; passkey: Passkey }

export function Passkeys() {
  const list = useRead('listPasskeys')
  const blocked = usePasskeyBlock()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Panel title={t('Passkeys')}>
      <Stack>
        <p>
          {t(
            'A passkey signs you in without your password. Your device asks for your fingerprint, your face or a PIN, so it counts as a second factor too. It works on this site only: a page that imitates this one gets nothing.',
          )}
        </p>
        {list.data === undefined ? (
          <Pending query={list} of={t('Passkeys')} />
        ) : (
          list.data.items.map((passkey) => (
            <Entry
              key={passkey.id}
              passkey={passkey}
              onRename={() => setOpen({ act: 'rename', passkey })}
              onRemove={() => setOpen({ act: 'remove', passkey })}
            />
          ))
        )}
        {blocked !== undefined && <Blocked why={blocked} />}
        <FormActions>
          <Button
            kind="primary"
            icon={<KeyRound size={15} />}
            blocked={blocked}
            onClick={() => setOpen({ act: 'add' })}
          >
            {t('Add a passkey')}
          </Button>
        </FormActions>
      </Stack>
      {open?.act === 'add' && <Add onClose={close} />}
      {open?.act === 'rename' && <Rename passkey={open.passkey} onClose={close} />}
      {open?.act === 'remove' && <Remove passkey={open.passkey} onClose={close} />}
    </Panel>
  )
}
