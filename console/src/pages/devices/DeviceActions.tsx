/**
 * The acts on one device. An action that cannot be undone says so, in words, before it happens; one
 * that takes rights away ends in a receipt.
 */
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Device } from '../../../../sdk/schema.ts'
import type { OperationId } from '../../api/client.ts'
import { useRevocation } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { type Act, Acts } from '../../kit/Acts.tsx'
import { CommandsCounted, SessionsCounted } from '../../kit/Counts.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { usePhoneOf } from '../claims/phone-of.ts'
import { ReceiptDialog } from '../endpoints/Receipt.tsx'
import { canRotate, ofDevice, useHasPassword } from './of-device.ts'
import { RotateDialog } from './RotateDevice.tsx'
import { rich, t } from './translations.ts'

type ActId = Extract<
  OperationId,
  | 'suspendDevice'
  | 'resumeDevice'
  | 'approveDevice'
  | 'rejectDevice'
  | 'disconnectDevice'
  | 'decommissionDevice'
  | 'deleteDevice'
>

interface Change {
  id: ActId
  label: string
  question: (key: string) => string
  /** The coming effects. */
  effect: string
  done: string
  /** The sessions that it ends, and their number. */
  ends?: readonly ('sessions' | 'commands')[]
  danger?: true
  /** The device's key has to be typed. */
  isFinal?: true
  /** The action in its place, of a device with which it is still possible. */
  instead?: string
}

const acts = {
  suspend: {
    id: 'suspendDevice',
    label: t('Suspend'),
    question: (key) => t('Suspend {key}?', { key }),
    effect: t(
      'It is disconnected now and refused everywhere until it is resumed. It loses nothing.',
    ),
    done: t('Suspended'),
    ends: ['sessions'],
    danger: true,
  },
  resume: {
    id: 'resumeDevice',
    label: t('Resume'),
    question: (key) => t('Resume {key}?', { key }),
    effect: t('It may connect again, with the credentials that it has.'),
    done: t('Resumed'),
  },
  approve: {
    id: 'approveDevice',
    label: t('Approve'),
    question: (key) => t('Approve {key}?', { key }),
    effect: t('It may connect, and use its topics.'),
    done: t('Approved'),
  },
  reject: {
    id: 'rejectDevice',
    label: t('Reject'),
    question: (key) => t('Reject {key}?', { key }),
    effect: t('It stays refused. It can be approved later.'),
    done: t('Rejected'),
    danger: true,
  },
  disconnect: {
    id: 'disconnectDevice',
    label: t('Disconnect'),
    question: (key) => t('Disconnect {key}?', { key }),
    effect: t('Its sessions end now. It may connect again at once.'),
    done: t('Disconnected'),
    ends: ['sessions'],
  },
  decommission: {
    id: 'decommissionDevice',
    label: t('Decommission'),
    question: (key) => t('Decommission {key}?', { key }),
    effect: t(
      'It is disconnected and never let in again: its credentials end. Its history and its key stay. There is no way back.',
    ),
    done: t('Decommissioned'),
    ends: ['sessions'],
    danger: true,
    isFinal: true,
  },
  remove: {
    id: 'deleteDevice',
    label: t('Delete'),
    question: (key) => t('Delete {key}?', { key }),
    effect: t(
      'It is disconnected and refused. The device, its credentials, state, configuration and commands are deleted permanently. Its key can be used again.',
    ),
    instead: t('To keep its history, decommission it instead.'),
    done: t('Deleted'),
    ends: ['sessions', 'commands'],
    danger: true,
    isFinal: true,
  },
} as const satisfies Record<string, Change>

type ActName = keyof typeof acts

const counts = { sessions: SessionsCounted, commands: CommandsCounted }
const labels = { sessions: t('Live sessions'), commands: t('Open commands') }

/** The sessions that an action ends, in numbers, and the people who lose the device. */
function Ended({ act: { ends = [], isFinal }, device }: { act: Change; device: Device }) {
  const isClaimed = isFinal === true && device.claimed_at !== null
  const phone = usePhoneOf(device.id, isClaimed) ?? undefined
  return (
    <Facts
      facts={[
        ...ends.map((each) => {
          const Counted = counts[each]
          return [labels[each], <Counted key={each} of={device.id} />] as const
        }),
        [
          t('Owner'),
          isClaimed
            ? rich('{phone}, which loses the device', {
                phone: phone === undefined ? t('a phone') : <Who id={phone} />,
              })
            : undefined,
        ],
      ]}
    />
  )
}

interface DialogProps {
  act: Change
  device: Device
  onClose: () => void
  /** @param receipt its id, if there is one */
  onDone: (receipt: string | undefined) => void
}

function ActDialog({ act, device, onClose, onDone }: DialogProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const change = useRevocation(act.id, ['getDevice', 'listDevices', 'getConnectionLog'])
  const blocked = useBlocked(act.id)
  const params = ofDevice(device)
  useNextCall(act.id, { params })
  const confirm = async (): Promise<void> => {
    const receipt = await change.mutateAsync({ params })
    say(`${act.done}: ${device.device_key}`)
    // The page of a deleted device is gone: the list shows its receipt.
    if (act.id === 'deleteDevice')
      void navigate({ to: below(slug, 'devices'), search: { receipt } })
    else onDone(receipt)
  }
  return (
    <ConfirmDialog
      title={act.question(device.device_key)}
      act={act.label}
      kind={act.danger ? 'danger' : 'primary'}
      blocked={blocked}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => void confirm().catch(() => null)}
      onClose={onClose}
      {...(act.isFinal && { typed: device.device_key })}
    >
      <Stack>
        <p>{act.effect}</p>
        {act.ends !== undefined && <Ended act={act} device={device} />}
        {act.id === 'disconnectDevice' && !device.connected && (
          <p>{t('No broker reports it as connected now.')}</p>
        )}
        {act.instead !== undefined && device.status !== 'decommissioned' && <p>{act.instead}</p>}
      </Stack>
    </ConfirmDialog>
  )
}

/** The act that the device's condition calls for. */
function mainActs({ status, approval }: Device): ActName[] {
  if (approval === 'pending') return ['approve', 'reject']
  if (approval === 'rejected') return ['approve']
  if (status === 'suspended') return ['resume']
  return status === 'decommissioned' ? [] : ['suspend']
}

/** It is done by a job, and by the device itself. */
const ROTATE = 'rotate'

/** It shows a secret, so its dialog is another one. */
const RESET = 'reset'

const ResetDialog = lazy(() => import('./ResetDevice.tsx'))

/** The list of claims has the same dialog. */
const RELEASE = 'release'

const ReleaseDialog = lazy(() => import('../claims/Release.tsx'))

/** The other acts, and why some cannot be done now. */
function useRareActs(
  device: Device,
  open: (name: ActName | typeof RESET | typeof RELEASE) => void,
): Act[] {
  const secure = useBlocked('suspendDevice')
  const remove = useBlocked('deleteDevice')
  return [
    {
      label: t('Release from its phone…'),
      blocked: device.claimed_at === null ? t('No phone has claimed it.') : secure,
      onSelect: () => open(RELEASE),
    },
    {
      label: t('Reset credentials…'),
      blocked: device.status === 'decommissioned' ? t('It is decommissioned.') : secure,
      onSelect: () => open(RESET),
    },
    { label: `${t('Disconnect')}…`, blocked: secure, onSelect: () => open('disconnect') },
    {
      label: t('Decommission…'),
      danger: true,
      blocked: remove,
      onSelect: () => open('decommission'),
    },
    { label: t('Delete…'), danger: true, blocked: remove, onSelect: () => open('remove') },
  ]
}

/** The action that renews its credentials without an interruption, or that makes the first ones. */
function useRenewal(device: Device, open: (name: string) => void): Act[] {
  const blocked = useBlocked('suspendDevice')
  const hasPassword = useHasPassword(device)
  if (!canRotate(device)) return []
  return hasPassword === false
    ? [
        {
          label: t('Create credentials…'),
          button: 'always',
          isMain: true,
          blocked,
          onSelect: () => open(RESET),
        },
      ]
    : [{ label: t('Rotate credentials…'), button: 'always', blocked, onSelect: () => open(ROTATE) }]
}

/** In the address of the device's page. */
type Shown = { act: string; receipt: string; rotation: string }

export function DeviceActions({ device }: { device: Device }) {
  // In the address, so that the palette can ask for an act.
  const [{ act: name, receipt }, change] = useSearchState<Shown>()
  const [, act] = Object.entries<Change>(acts).find(([each]) => each === name) ?? []
  const open = (next: string): void => change({ act: next })
  const close = (): void => change({ act: undefined })
  const blocked = useBlocked('suspendDevice')
  const main = mainActs(device).map((each): Act => {
    const { label, danger }: Change = acts[each]
    const appearance = danger
      ? ({ button: 'wide', danger } as const)
      : ({ button: 'always' } as const)
    return {
      label: `${label}…`,
      ...appearance,
      isMain: !danger,
      blocked,
      onSelect: () => open(each),
    }
  })
  const renewal = useRenewal(device, open)
  const rare = useRareActs(device, open)
  return (
    <>
      <Acts acts={[...renewal, ...main, ...rare]} />
      {name === RESET && (
        <Suspense>
          <ResetDialog device={device} onClose={close} />
        </Suspense>
      )}
      {name === RELEASE && (
        <Suspense>
          <ReleaseDialog
            deviceId={device.id}
            onClose={close}
            onDone={(id) => change({ act: undefined, receipt: id })}
          />
        </Suspense>
      )}
      {name === ROTATE && (
        <RotateDialog
          device={device}
          onClose={close}
          onStarted={(rotation) => change({ act: undefined, rotation })}
        />
      )}
      {act !== undefined && (
        <ActDialog
          act={act}
          device={device}
          onClose={close}
          onDone={(id) => change({ act: undefined, receipt: id })}
        />
      )}
      {receipt !== undefined && (
        <ReceiptDialog receiptId={receipt} onClose={() => change({ receipt: undefined })} />
      )}
    </>
  )
}
