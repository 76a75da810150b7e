/** The format of generated device keys, with three of its form. */
import { useState } from 'react'
import { serialExamples } from '../../api/serial-format.ts'
import { TextField } from '../../kit/Field.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { rich, t } from './translations.ts'

/** The parts that a format may have. */
const tokens = [
  ['%Y', t('year')],
  ['%M', t('month')],
  ['%D', t('day')],
  ['%H', t('hour')],
  ['%ws', t('workspace')],
  ['%#f', t('running number')],
  ['%4r', t('4 random characters')],
  ['%6r', t('6 random characters')],
] as const

interface SerialFieldProps {
  value: string
  onValue: (value: string) => void
}

export function SerialField({ value, onValue }: SerialFieldProps) {
  const { slug } = useWorkspace()
  const [now] = useState(() => new Date())
  const examples = serialExamples(value, slug, now)
  // Sequences of a time are seen in the keys below.
  const exampleOf = (token: string): string =>
    /^%[YMDH]$/.test(token) ? '' : ` (${serialExamples(token, slug, now)[0] ?? ''})`
  return (
    <TextField
      label={t('Format of device keys')}
      hint={
        <>
          {t('For devices that are registered without a key.')}
          <br />
          <span>
            {tokens.map(([token, word]) => `${token} ${word}${exampleOf(token)}`).join(', ')}
          </span>
          <br />
          {rich('They look like {keys}', { keys: <code>{examples.join(', ')}</code> })}
        </>
      }
      pointer="/serial_format"
      mono
      value={value}
      onValue={onValue}
    />
  )
}
