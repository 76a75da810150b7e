/** Accepting what factories have registered. */
import { useState } from 'react'
import type { ApiKey, CreateJob } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Table } from '../../kit/Table.tsx'
import { useActionBlocks } from '../../session/action-blocks.ts'
import { WITH_NEW } from '../../session/new-dialog.ts'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { useColumns } from '../devices/device-columns.tsx'
import { numberText } from '../../kit/numbers.ts'
import { counted, rich, t } from './translations.ts'

const FILTER = 'approval = pending'
const COLUMNS = ['device_key', 'name', 'template_id', 'hardware_id', 'created_at']

type Decision = Extract<CreateJob['action'], 'approve' | 'reject'>

interface DecideProps {
  decision: Decision
  /** The chosen devices; undefined for all that await approval. */
  chosen: readonly string[] | undefined
  onDone: () => void
  onClose: () => void
}

/** @param count undefined for all */
function questionOf(isApproval: boolean, count: number | undefined): string {
  if (count === undefined) {
    return isApproval
      ? t('Approve all devices that await approval?')
      : t('Reject all devices that await approval?')
  }
  return isApproval
    ? counted(count, 'Approve {n} device?', 'Approve {n} devices?')
    : counted(count, 'Reject {n} device?', 'Reject {n} devices?')
}

function Decide({ decision, chosen, onDone, onClose }: DecideProps) {
  const { id } = useWorkspace()
  const start = useChange('createJob', ['listDevices', 'getOverview', 'listJobs'])
  const isApproval = decision === 'approve'
  const body: CreateJob = {
    action: decision,
    ...(chosen === undefined ? { filter: FILTER } : { device_ids: [...chosen] }),
  }
  useNextCall('createJob', { params: { id }, body })
  const confirm = (): void =>
    start.mutate(
      { params: { id }, body },
      {
        onSuccess: () => {
          say(isApproval ? t('They are being approved') : t('They are being rejected'))
          onDone()
        },
      },
    )
  return (
    <ConfirmDialog
      title={questionOf(isApproval, chosen?.length)}
      act={isApproval ? t('Approve') : t('Reject')}
      kind={isApproval ? 'primary' : 'danger'}
      busy={start.isPending}
      problem={start.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isApproval
        ? t('They may connect, and use their topics.')
        : t('They stay refused. They can be approved later.')}
    </ConfirmDialog>
  )
}

/**
 * Whether a key requires approval, for those who may read keys; undefined while that is unknown.
 */
function useRequiringKeys(): readonly ApiKey[] | undefined {
  const { id } = useWorkspace()
  const isUnknown = useBlocked('listApiKeys') !== undefined
  const query = { filter: 'key_kind = provision AND status = active', limit: 200 }
  const { data } = useRead('listApiKeys', { params: { id }, query }, { enabled: !isUnknown })
  const keys = data?.items.filter(({ approval }) => approval === 'required')
  return keys?.length === 0 && data?.next_cursor !== null ? undefined : keys
}

/** While no key requires approval, nothing can come here. */
function NoneRequired() {
  const { slug } = useWorkspace()
  return (
    <Empty
      title={t('Nothing awaits approval')}
      action={
        <LinkButton kind="primary" to={below(slug, 'keys')} search={WITH_NEW}>
          {t('Create key')}
        </LinkButton>
      }
    >
      {t(
        'A provision key can require approval in its limits: the devices that it registers wait here, and are refused until somebody approves them. No key requires it yet.',
      )}
    </Empty>
  )
}

/** How devices come here, and whether any can at present. */
function NothingWaits() {
  const { slug } = useWorkspace()
  const keys = useRequiringKeys()
  if (keys?.length === 0) return <NoneRequired />
  const [key, ...others] = keys ?? []
  return (
    <Empty
      title={t('Nothing awaits approval')}
      action={<LinkButton to={below(slug, 'keys')}>{t('API keys')}</LinkButton>}
      command="mooring devices list --filter 'approval = pending'"
    >
      {t(
        'Some provision keys register devices that a person has to approve. Until then the device waits here, and MQTT refuses it.',
      )}
      {key !== undefined && (
        <>
          {' '}
          {others.length === 0
            ? rich('A key that asks for approval: {key}.', { key: <Who id={key.id} /> })
            : rich('Keys that ask for approval: {key}, and {n} more.', {
                key: <Who id={key.id} />,
                n: numberText(others.length),
              })}
        </>
      )}
    </Empty>
  )
}

export default function Approvals() {
  const { id } = useWorkspace()
  const list = useList(
    'listDevices',
    { params: { id }, query: { filter: FILTER, limit: 100 } },
    { isLive: true },
  )
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [decision, setDecision] = useState<Decision | null>(null)
  const { approve: blocked } = useActionBlocks()
  const columns = useColumns(COLUMNS)
  const done = (): void => {
    setDecision(null)
    setChosen(new Set())
  }
  const n = numberText(chosen.size)
  const count = list.items?.length ?? 0
  const hasSome = count > 0
  return (
    <Page
      title={t('Approvals')}
      about={hasSome ? t('These devices are refused until somebody approves them.') : undefined}
      note={hasSome ? `${numberText(count)}${list.hasNextPage ? '+' : ''}` : undefined}
      actions={
        list.error === null &&
        list.items !== undefined &&
        list.items.length > 0 && (
          <>
            <Button
              kind={chosen.size > 0 ? 'primary' : 'plain'}
              blocked={blocked}
              onClick={() => setDecision('approve')}
            >
              {chosen.size > 0 ? t('Approve {n} selected…', { n }) : t('Approve all…')}
            </Button>
            <Button kind="danger" blocked={blocked} onClick={() => setDecision('reject')}>
              {chosen.size > 0 ? t('Reject {n} selected…', { n }) : t('Reject all…')}
            </Button>
          </>
        )
      }
    >
      <Panel flush>
        <Table
          label={t('Devices that await approval')}
          columns={columns}
          list={list}
          keyOf={(device) => device.id}
          selection={{ chosen, onChange: setChosen }}
          empty={<NothingWaits />}
        />
      </Panel>
      {decision !== null && (
        <Decide
          decision={decision}
          chosen={chosen.size > 0 ? [...chosen] : undefined}
          onDone={done}
          onClose={() => setDecision(null)}
        />
      )}
    </Page>
  )
}
