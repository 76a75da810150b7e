/** The messages that were seen, and one of them as a whole. */
import { Eye } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../kit/Badge.tsx'
import { IconButton } from '../../kit/Button.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog } from '../../kit/Overlay.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Code, exactTime, Token } from '../../kit/Text.tsx'
import { timeOfDay } from '../../kit/times.ts'
import type { TailMessage } from '../../live/tail.ts'
import { Who } from '../../session/Who.tsx'
import { counted, t } from './translations.ts'

const SHOWN_CHARACTERS = 120

/** On an external broker nobody says who has published it. */
function From({ client, broker }: TailMessage) {
  if (client === 'service') return <>{t('the service')}</>
  return client === null ? <>{broker}</> : <Who id={client} />
}

const oneLine = ({ payload, encoding, bytes }: TailMessage): string =>
  encoding === 'base64'
    ? t('{n} bytes, no text', { n: numberText(bytes) })
    : payload.slice(0, SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ')

/** JSON with a line for each member; any other text as it is. */
function prettyOf(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Payload({ message }: { message: TailMessage }) {
  const { payload, encoding, bytes } = message
  if (bytes === 0) return <Note>{t('The message is empty.')}</Note>
  if (encoding === 'base64') {
    return (
      <>
        <Note>{t('It is no UTF-8 text. This is base64.')}</Note>
        <Code label={t('Payload')}>{payload}</Code>
      </>
    )
  }
  return <Code label={t('Payload')}>{prettyOf(payload)}</Code>
}

/** A character has at least one byte in UTF-8. */
const isTruncated = ({ payload, encoding, bytes }: TailMessage): boolean =>
  bytes >
  (encoding === 'text' ? new TextEncoder().encode(payload).length : (payload.length * 3) / 4)

const Whole = ({ message, onClose }: { message: TailMessage; onClose: () => void }) => (
  <Dialog title={t('Message')} open wide onClose={onClose}>
    <Stack tight>
      <Facts
        facts={[
          [t('Topic'), <code key="topic">{message.topic}</code>],
          [t('From'), <From key="from" {...message} />],
          [t('When'), exactTime(message.at)],
          [t('QoS'), message.retain ? t('{qos}, retained', message) : message.qos],
          [t('Size'), counted(message.bytes, '{n} byte', '{n} bytes')],
        ]}
      />
      {isTruncated(message) && (
        <Note tone="warn">{t('Only its first 4,096 bytes are shown.')}</Note>
      )}
      <Payload message={message} />
    </Stack>
  </Dialog>
)

const columnsOf = (show: (message: TailMessage) => void): readonly Column<TailMessage>[] => [
  { name: t('At'), cell: ({ at }) => <code>{timeOfDay(Date.parse(at))}</code> },
  { name: t('Topic'), wraps: true, heads: true, cell: ({ topic }) => <Token>{topic}</Token> },
  { name: t('Message'), wraps: true, cell: (message) => <code>{oneLine(message)}</code> },
  { name: t('From'), wraps: true, cell: (message) => <From {...message} /> },
  {
    name: t('Kept'),
    hidesName: true,
    cell: ({ retain }) => retain && <Badge plain>{t('retained')}</Badge>,
  },
  {
    name: t('Whole'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (message) => (
      <IconButton
        label={t('Show message {number}', message)}
        icon={<Eye size={15} />}
        onClick={() => show(message)}
      />
    ),
  },
]

interface MessageTableProps {
  messages: readonly TailMessage[]
  empty: ReactNode
}

export function MessageTable({ messages, empty }: MessageTableProps) {
  const [whole, setWhole] = useState<TailMessage | null>(null)
  const [columns] = useState(() => columnsOf(setWhole))
  return (
    <>
      <Table
        label={t('Messages')}
        columns={columns}
        list={listOf({ data: { items: messages }, error: null, refetch: () => undefined })}
        keyOf={({ number }) => String(number)}
        empty={empty}
      />
      {whole !== null && <Whole message={whole} onClose={() => setWhole(null)} />}
    </>
  )
}
