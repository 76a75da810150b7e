/** An event in words, above the type that programs and filters use. */
import { OnWide, Small } from '../../kit/Layout.tsx'
import { eventText } from './event-labels.ts'

interface EventNameProps {
  type: string
  /** With the type on a phone, too. */
  isWhole?: boolean
}

export function EventName({ type, isWhole = false }: EventNameProps) {
  const code = (
    <Small>
      <code>{type}</code>
    </Small>
  )
  return (
    <>
      {eventText(type)} {isWhole ? code : <OnWide>{code}</OnWide>}
    </>
  )
}
