/** The actions on a login; an action that takes rights away ends in a receipt. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { useChange, useRevocation } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Acts } from '../../kit/Acts.tsx'
import { RulesCounted, SessionsCounted } from '../../kit/Counts.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ReceiptDialog } from '../endpoints/Receipt.tsx'
import { LoginSecrets } from './LoginSecrets.tsx'
import { ofLogin } from './login-labels.tsx'
import { t } from './translations.ts'

const REFRESHES = ['getMqttPrincipal', 'listMqttPrincipals'] as const

const acts = {
  suspend: {
    id: 'suspendMqttPrincipal',
    label: t('Suspend'),
    question: (name: string) => t('Suspend {name}?', { name }),
    effect: t('Its sessions end now, and it is refused until it is resumed.'),
    done: t('Suspended'),
  },
  resume: {
    id: 'resumeMqttPrincipal',
    label: t('Resume'),
    question: (name: string) => t('Resume {name}?', { name }),
    effect: t('It may connect again.'),
    done: t('Resumed'),
  },
  disconnect: {
    id: 'disconnectMqttPrincipal',
    label: t('Disconnect'),
    question: (name: string) => t('Disconnect {name}?', { name }),
    effect: t('Its sessions end now. It may connect again at once.'),
    done: t('Disconnected'),
  },
  delete: {
    id: 'deleteMqttPrincipal',
    label: t('Delete'),
    question: (name: string) => t('Delete {name}?', { name }),
    effect: t('Its sessions end now, and it is deleted permanently, with its rules.'),
    done: t('Deleted'),
  },
} as const

type ActName = keyof typeof acts

/** The scope of an action. */
const Reached = ({ login, rules }: { login: MqttPrincipal; rules: boolean }) => (
  <Facts
    facts={[
      [t('Live sessions'), <SessionsCounted key="sessions" of={login.id} />],
      [t('Its rules'), rules ? <RulesCounted key="rules" of={login.id} /> : undefined],
    ]}
  />
)

interface ActProps {
  login: MqttPrincipal
  onClose: () => void
}

interface ConfirmProps extends ActProps {
  name: ActName
  /** @param receipt its id, if there is one */
  onDone: (receipt: string | undefined) => void
}

function ConfirmAct({ login, name, onClose, onDone }: ConfirmProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const act = acts[name]
  const change = useRevocation(act.id, REFRESHES)
  const blocked = useBlocked(act.id)
  const params = ofLogin(login)
  useNextCall(act.id, { params })
  const confirm = async (): Promise<void> => {
    const receipt = await change.mutateAsync({ params })
    say(`${act.done}: ${login.name}`)
    // The page of a deleted login is gone: the list shows its receipt.
    if (name === 'delete') void navigate({ to: below(slug, 'logins'), search: { receipt } })
    else onDone(receipt)
  }
  return (
    <ConfirmDialog
      title={act.question(login.name)}
      act={act.label}
      kind={name === 'resume' || name === 'disconnect' ? 'primary' : 'danger'}
      blocked={blocked}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => void confirm().catch(() => null)}
      onClose={onClose}
      {...(name === 'delete' && { typed: login.name })}
    >
      <Stack>
        <p>{act.effect}</p>
        {name !== 'resume' && <Reached login={login} rules={name === 'delete'} />}
      </Stack>
    </ConfirmDialog>
  )
}

const passwords = {
  rotate: {
    id: 'rotateMqttPrincipalCredentials',
    label: t('Rotate password'),
    question: (name: string) => t('Rotate password of {name}?', { name }),
    effect: t(
      'It gets a second password. The current one works until the new one is used for the first time, so nothing is interrupted. The new one is shown once, in the next step.',
    ),
    note: t('The old password works until this one is used for the first time.'),
  },
  reset: {
    id: 'resetMqttPrincipalCredentials',
    label: t('Reset password'),
    question: (name: string) => t('Reset password of {name}?', { name }),
    effect: t(
      'All its current passwords stop now, and its sessions end. A new one is shown once, in the next step.',
    ),
    note: t('All older passwords have stopped.'),
  },
} as const

function NewPassword({ login, kind, onClose }: ActProps & { kind: keyof typeof passwords }) {
  const { id, label, question, effect, note } = passwords[kind]
  const change = useChange(id, REFRESHES)
  const blocked = useBlocked(id)
  const params = ofLogin(login)
  useNextCall(id, { params })
  if (change.data !== undefined) {
    const secret = change.data.mqtt_credentials
    return <LoginSecrets name={login.name} secret={secret} note={note} onClose={onClose} />
  }
  return (
    <ConfirmDialog
      title={question(login.name)}
      act={label}
      kind={kind === 'reset' ? 'danger' : 'primary'}
      blocked={blocked}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => change.mutate({ params })}
      onClose={onClose}
    >
      <Stack>
        <p>{effect}</p>
        {kind === 'reset' && <Reached login={login} rules={false} />}
      </Stack>
    </ConfirmDialog>
  )
}

type Open = ActName | keyof typeof passwords

const isPassword = (open: Open): open is keyof typeof passwords => open in passwords

export function LoginActions({ login }: { login: MqttPrincipal }) {
  const [open, setOpen] = useState<Open | null>(null)
  // In the address, so that it can be opened again.
  const [{ receipt }, change] = useSearchState<{ receipt: string }>()
  const secure = useBlocked('suspendMqttPrincipal')
  const write = useBlocked('rotateMqttPrincipalCredentials')
  const close = (): void => setOpen(null)
  const main: ActName = login.status === 'suspended' ? 'resume' : 'suspend'
  return (
    <>
      <Acts
        acts={[
          {
            label: t('Rotate password…'),
            button: 'always',
            blocked: write,
            onSelect: () => setOpen('rotate'),
          },
          {
            label: `${acts[main].label}…`,
            ...(main === 'suspend'
              ? ({ button: 'wide', danger: true } as const)
              : ({ button: 'always', isMain: true } as const)),
            blocked: secure,
            onSelect: () => setOpen(main),
          },
          { label: `${t('Disconnect')}…`, blocked: secure, onSelect: () => setOpen('disconnect') },
          { label: t('Reset password…'), blocked: write, onSelect: () => setOpen('reset') },
          { label: t('Delete…'), danger: true, blocked: write, onSelect: () => setOpen('delete') },
        ]}
      />
      {open !== null &&
        (isPassword(open) ? (
          <NewPassword login={login} kind={open} onClose={close} />
        ) : (
          <ConfirmAct
            login={login}
            name={open}
            onClose={close}
            onDone={(id) => {
              close()
              change({ receipt: id })
            }}
          />
        ))}
      {receipt !== undefined && (
        <ReceiptDialog receiptId={receipt} onClose={() => change({ receipt: undefined })} />
      )}
    </>
  )
}
