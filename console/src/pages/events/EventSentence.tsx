/** What has happened, as a sentence with its parts; the same on every page. */
import type { ReactNode } from 'react'
import { numberText } from '../../kit/numbers.ts'
import { inWords } from '../../kit/times.ts'
import { Who } from '../../session/Who.tsx'
import { eventText } from './event-words.ts'
import { rich } from './words.ts'

type Data = Readonly<Record<string, unknown>>

type Sentence = (data: Data) => ReactNode

const device = ({ device_id }: Data): ReactNode => <Who id={String(device_id)} />

/** Phones have no names: the end of its id tells one from another. */
function phone({ moid_id }: Data): ReactNode {
  const id = String(moid_id)
  return <code title={id}>…{id.slice(-6)}</code>
}

const topic = (data: Data): ReactNode => <code>{String(data.topic)}</code>

/** By the type of the event or the action of the audit entry. */
const sentences: Readonly<Record<string, Sentence>> = {
  'device.claimed': (data) =>
    rich('Phone {phone} claimed {device}', { phone: phone(data), device: device(data) }),
  'device.released': (data) =>
    rich('Claim of {device} by phone {phone} released', {
      phone: phone(data),
      device: device(data),
    }),
  'mqtt_messages.observed': (data) =>
    rich('MQTT messages of {topic} watched', { topic: topic(data) }),
  'mqtt_messages.observation_ended': (data) => {
    const { messages, seconds } = data as { messages: number; seconds: number }
    const time = inWords(seconds * 1000)
    const parts = { topic: topic(data), n: numberText(messages), time }
    return rich('Watching of {topic} ended: {n} messages in {time}', parts)
  },
}

interface EventSentenceProps {
  type: string
  data: unknown
}

export function EventSentence({ type, data }: EventSentenceProps) {
  return <>{sentences[type]?.(data as Data) ?? eventText(type)}</>
}
