/** The outbox: what is mailed to whom, whether it was sent, and sending again what was not. */
import { Send } from 'lucide-react'
import type { InstallationMail } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Select } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'

type Status = InstallationMail['status']

const REFRESH_MS = 10_000

const tones: Readonly<Record<Status, BadgeTone>> = {
  queued: 'info',
  sent: 'ok',
  kept: 'warn',
  failed: 'bad',
}

const options: readonly { value: Status | ''; label: string }[] = [
  { value: '', label: 'All' },
  { value: 'queued', label: 'Waiting' },
  { value: 'failed', label: 'Given up' },
  { value: 'kept', label: 'Kept: there was no mail server' },
  { value: 'sent', label: 'Sent' },
]

function Retry({ mail: { id, to, status } }: { mail: InstallationMail }) {
  const retry = useChange('retryInstallationMail', ['listInstallationMails'])
  if (status !== 'failed' && status !== 'kept') return null
  return (
    <>
      <Button
        kind="quiet"
        icon={<Send size={15} />}
        busy={retry.isPending}
        title={`Send again to ${to}`}
        onClick={() =>
          retry.mutate(
            { params: { mail_id: id } },
            { onSuccess: () => say('It is being sent', `to ${to}`) },
          )
        }
      >
        Send again
      </Button>
      {retry.error !== null && <ProblemNote problem={retry.error} />}
    </>
  )
}

const columns: readonly Column<InstallationMail>[] = [
  { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'To', breaks: true, cell: ({ to }) => to },
  { name: 'About', wraps: true, cell: ({ subject }) => subject },
  { name: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { name: 'Tries', number: true, cell: ({ tries }) => tries },
  { name: 'Last error', breaks: true, cell: ({ last_error }) => last_error ?? '–' },
  { name: 'Acts', hidesName: true, stays: true, cell: (mail) => <Retry mail={mail} /> },
]

export default function MailList() {
  const [{ status = '' }, change] = useSearchState<{ status: Status }>()
  const query = { limit: 100, ...(status !== '' && { status }) }
  const { data: config } = useRead('getConsoleConfig')
  return (
    <ListPage
      title="Mail"
      columns={columns}
      list={useList('listInstallationMails', { query }, { refetchInterval: REFRESH_MS })}
      keyOf={({ id }) => id}
      head={
        <Stack tight>
          {config?.mail === false && (
            <Note tone="warn" title="No mail server is configured">
              Mails are kept for 30 days: set MOORING_SMTP_URL, and send them again.
            </Note>
          )}
          <Select
            label="Status"
            options={options}
            value={status}
            onValue={(next) => change({ status: next === '' ? undefined : next })}
          />
        </Stack>
      }
      empty={{
        title: 'No mail',
        text: 'Invitations, links for lost passwords and security notices are listed here, without their texts.',
      }}
    />
  )
}
