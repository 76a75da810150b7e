/** An event in words, above the type that programs and filters use. */
import { Small } from '../../kit/Layout.tsx'
import { eventText } from './event-words.ts'

export const EventName = ({ type }: { type: string }) => (
  <>
    <div>{eventText(type)}</div>
    <Small>
      <code>{type}</code>
    </Small>
  </>
)
