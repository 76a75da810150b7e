/** An event, as a sentence with its parts; the same on every page. */
import type { ReactNode } from 'react'
import { Piece } from '../../kit/Text.tsx'
import { inWords } from '../../kit/times.ts'
import { explainRefusal, withinSentence } from '../devices/reasons.ts'
import { eventText } from './event-labels.ts'
import { counted, rich, t } from './translations.ts'

type Data = Readonly<Record<string, unknown>>

type Sentence = (data: Data) => ReactNode

/** Phones have no names: the end of the id distinguishes them. */
function phone({ moid_id }: Data): ReactNode {
  const id = String(moid_id)
  return <Piece title={id}>…{id.slice(-6)}</Piece>
}

const topic = (data: Data): ReactNode => <code>{String(data.topic)}</code>

/** A refused CONNECT by its reason; what else was refused, by its code. */
function refused({ operation_id, code, count }: Data): ReactNode {
  if (typeof code !== 'string') return eventText('access.refused')
  const times = typeof count === 'number' && count > 1 ? ` ×${count}` : ''
  if (operation_id !== 'mqtt.connect') {
    return rich('Access refused: {code}', { code: <code>{`${code}${times}`}</code> })
  }
  const why = withinSentence(explainRefusal(code).what)
  return `${t('Connection refused: {why}', { why })}${times}`
}

/**
 * By the type of the event or the action of the audit entry. Its subject is not in it: that stands
 * next to it, or is the subject of the page.
 */
const sentences: Readonly<Record<string, Sentence>> = {
  'device.claimed': (data) => rich('Device claimed for phone {phone}', { phone: phone(data) }),
  'device.released': (data) => rich('Device released from phone {phone}', { phone: phone(data) }),
  'access.refused': refused,
  'mqtt_messages.observed': (data) => rich('Began to watch {topic}', { topic: topic(data) }),
  'mqtt_messages.observation_ended': (data) => {
    const { messages, seconds } = data as { messages: number; seconds: number }
    const count = counted(messages, '{n} message', '{n} messages')
    return rich('Stopped watching {topic} ({count} in {time})', {
      topic: topic(data),
      count,
      time: inWords(seconds * 1000),
    })
  },
}

interface EventSentenceProps {
  type: string
  data: unknown
}

export function EventSentence({ type, data }: EventSentenceProps) {
  return <>{sentences[type]?.(data as Data) ?? eventText(type)}</>
}
