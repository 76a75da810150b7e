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
import { Code, exactTime } from '../../kit/Text.tsx'
import type { TailMessage } from '../../live/tail.ts'
import { Who } from '../../session/Who.tsx'

const SHOWN_CHARACTERS = 120

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** On an external broker nobody says who has published it. */
function From({ client, broker }: TailMessage) {
  if (client === 'service') return <>the service</>
  return client === null ? <>{broker}</> : <Who id={client} />
}

const oneLine = ({ payload, encoding, bytes }: TailMessage): string =>
  encoding === 'base64'
    ? `${numberText(bytes)} bytes, no text`
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
  if (bytes === 0) return <Note>The message is empty.</Note>
  if (encoding === 'base64') {
    return (
      <>
        <Note>It is no UTF-8 text. This is base64.</Note>
        <Code label="Payload">{payload}</Code>
      </>
    )
  }
  return <Code label="Payload">{prettyOf(payload)}</Code>
}

/** Of UTF-8 a character has at least one byte. */
const isCut = ({ payload, encoding, bytes }: TailMessage): boolean =>
  bytes >
  (encoding === 'text' ? new TextEncoder().encode(payload).length : (payload.length * 3) / 4)

const Whole = ({ message, onClose }: { message: TailMessage; onClose: () => void }) => (
  <Dialog title="Message" open wide onClose={onClose}>
    <Stack tight>
      <Facts
        facts={[
          ['Topic', <code key="topic">{message.topic}</code>],
          ['From', <From key="from" {...message} />],
          ['When', exactTime(message.at)],
          ['QoS', message.retain ? `${message.qos}, retained` : message.qos],
          ['Size', `${numberText(message.bytes)} bytes`],
        ]}
      />
      {isCut(message) && <Note tone="warn">Only its first 4,096 bytes are shown.</Note>}
      <Payload message={message} />
    </Stack>
  </Dialog>
)

const columnsOf = (show: (message: TailMessage) => void): readonly Column<TailMessage>[] => [
  { name: 'At', cell: ({ at }) => <code>{clock.format(Date.parse(at))}</code> },
  { name: 'Topic', wraps: true, cell: ({ topic }) => <code>{topic}</code> },
  { name: 'Message', wraps: true, cell: (message) => <code>{oneLine(message)}</code> },
  { name: 'From', wraps: true, cell: (message) => <From {...message} /> },
  {
    name: 'Kept',
    hidesName: true,
    cell: ({ retain }) => retain && <Badge plain>retained</Badge>,
  },
  {
    name: 'Whole',
    hidesName: true,
    number: true,
    cell: (message) => (
      <IconButton
        label={`Show message ${message.number}`}
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
        label="Messages"
        columns={columns}
        list={listOf({ data: { items: messages }, error: null, refetch: () => undefined })}
        keyOf={({ number }) => String(number)}
        empty={empty}
      />
      {whole !== null && <Whole message={whole} onClose={() => setWhole(null)} />}
    </>
  )
}
