/** The outbox: each mail with its receiver, whether it was sent, and sending it again. */
import { Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { InstallationMail } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useButtonCall } from '../../kit/ApiPane.tsx'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { None, Row, Stack } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { say } from '../../kit/Overlay.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useConfig } from '../../session/config.ts'
import { useSearchState } from '../../session/search-state.ts'
import { StatusSelect } from './StatusSelect.tsx'
import { counted, t } from './translations.ts'

type Status = InstallationMail['status']

const REFRESH_MS = 10_000

const tones: Readonly<Record<Status, BadgeTone>> = {
  queued: 'info',
  sent: 'ok',
  kept: 'warn',
  failed: 'bad',
}

const statusNames: Readonly<Record<Status, string>> = {
  queued: t('waiting'),
  sent: t('sent'),
  kept: t('not sent'),
  failed: t('given up'),
}

const options: readonly { value: Status | ''; label: string }[] = [
  { value: '', label: t('All') },
  { value: 'queued', label: t('Waiting') },
  { value: 'failed', label: t('Given up') },
  { value: 'kept', label: t('Not sent: no mail server') },
  { value: 'sent', label: t('Sent') },
]

function useRetry() {
  const retry = useChange('retryInstallationMail', ['listInstallationMails'])
  const { data: config } = useConfig()
  const blocked = config?.mail === false ? t('No mail server is configured') : undefined
  return { retry, blocked }
}

function Retry({ mail: { id, to, status } }: { mail: InstallationMail }) {
  const { retry, blocked } = useRetry()
  const input = { params: { mail_id: id } }
  const preview = useButtonCall('retryInstallationMail', input, blocked)
  if (status !== 'failed' && status !== 'kept') return null
  return (
    <>
      <Button
        kind="quiet"
        icon={<Send size={15} />}
        busy={retry.isPending}
        blocked={blocked}
        title={status === 'kept' ? t('Send to {to}', { to }) : t('Send again to {to}', { to })}
        onClick={() =>
          retry.mutate(input, {
            onSuccess: () => say(t('It is being sent'), t('to {to}', { to })),
          })
        }
        {...preview}
      >
        {status === 'kept' ? t('Send') : t('Send again')}
      </Button>
      {retry.error !== null && <ProblemNote problem={retry.error} />}
    </>
  )
}

/** Devices of the list, one after the other. */
function SendKept({ mails }: { mails: readonly InstallationMail[] }) {
  const { retry, blocked } = useRetry()
  const [isSending, setSending] = useState(false)
  const send = async (): Promise<void> => {
    setSending(true)
    try {
      for (const { id } of mails) await retry.mutateAsync({ params: { mail_id: id } })
      say(counted(mails.length, '{n} e-mail is being sent', '{n} e-mails are being sent'))
    } catch {
      // The note says what was refused.
    } finally {
      setSending(false)
    }
  }
  return (
    <>
      <Button
        icon={<Send size={15} />}
        busy={isSending}
        blocked={blocked}
        onClick={() => void send()}
      >
        {t('Send all that were not sent')}
      </Button>
      {retry.error !== null && <ProblemNote problem={retry.error} />}
    </>
  )
}

/** A mail for which there was no server was never tried. */
const triesText = ({ status, tries }: InstallationMail): ReactNode =>
  status === 'kept' ? <None /> : numberText(tries)

const columns: readonly Column<InstallationMail>[] = [
  { name: t('When'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('To'), breaks: true, cell: ({ to }) => to },
  { name: t('About'), wraps: true, cell: ({ subject }) => subject },
  {
    name: t('Status'),
    cell: ({ status }) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>,
  },
  { name: t('Tries'), number: true, cell: triesText },
  {
    name: t('Last error'),
    breaks: true,
    cell: ({ last_error }) =>
      last_error === null ? <None /> : <span lang="en">{last_error}</span>,
  },
  { name: t('Acts'), hidesName: true, stays: true, cell: (mail) => <Retry mail={mail} /> },
]

export default function MailList() {
  const [{ status = '' }, change] = useSearchState<{ status: Status }>()
  const query = { limit: 100, ...(status !== '' && { status }) }
  const { data: config } = useConfig()
  const list = useList('listInstallationMails', { query }, { refetchInterval: REFRESH_MS })
  const kept = list.items?.filter((mail) => mail.status === 'kept') ?? []
  return (
    <ListPage
      title={t('Mail')}
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      head={
        <Stack tight>
          {config?.mail === false && (
            <Note tone="warn" title={t('No mail server is configured')}>
              {t(
                'E-mails are kept for 30 days. Set MOORING_SMTP_URL and MOORING_MAIL_FROM, restart the service, then send them.',
              )}
            </Note>
          )}
          <StatusSelect options={options} value={status} onChange={change} />
          {kept.length > 1 && (
            <Row>
              <SendKept mails={kept} />
            </Row>
          )}
        </Stack>
      }
      empty={{
        title: t('No e-mails yet'),
        text: t(
          'Invitations, password links and security notices are listed here, without their content.',
        ),
      }}
    />
  )
}
