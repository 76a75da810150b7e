/** The same program in several languages, one of which is shown. */
import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import { Row, Small, Stack } from './Layout.tsx'
import { Code } from './Text.tsx'
import { t } from '../words/frame.ts'

export interface Sample {
  name: string
  /** What has to be installed first. */
  needs: string
  text: string
}

export function Samples({
  samples,
  children,
}: {
  samples: readonly Sample[]
  children?: ReactNode
}) {
  const [at, setAt] = useState(0)
  const chosen = samples[at] ?? samples[0]
  return (
    <Stack tight>
      <Row>
        {samples.map(({ name }, index) => (
          <Button key={name} aria-pressed={index === at} onClick={() => setAt(index)}>
            {name}
          </Button>
        ))}
      </Row>
      <Small>
        {t('Needs {what}.', { what: chosen?.needs ?? '' })} {children}
      </Small>
      <Code label={t('Code for {name}', { name: chosen?.name ?? '' })}>{chosen?.text ?? ''}</Code>
    </Stack>
  )
}
