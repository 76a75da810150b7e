/** The format of generated device keys, with three that it makes. */
import { useState } from 'react'
import { serialExamples } from '../../api/serial-format.ts'
import { TextField } from '../../kit/Field.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { rich, t } from './words.ts'

interface SerialFieldProps {
  value: string
  onValue: (value: string) => void
}

export function SerialField({ value, onValue }: SerialFieldProps) {
  const { slug } = useWorkspace()
  const [now] = useState(() => new Date())
  const examples = serialExamples(value, slug, now)
  return (
    <TextField
      label={t('Serial format')}
      hint={
        <>
          <span>{t('%Y %M %D %H time, %ws slug, %#f sequence, %4r %6r random')}</span>
          <br />
          {rich('Makes {keys}', { keys: <code>{examples.join(', ')}</code> })}
        </>
      }
      pointer="/serial_format"
      mono
      value={value}
      onValue={onValue}
    />
  )
}
