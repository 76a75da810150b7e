/** The same program in several languages, one of which is shown. */
import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import { Row, Small, Stack } from './Layout.tsx'
import { Code } from './Text.tsx'
import { rich, t } from '../i18n/frame.ts'

export interface Sample {
  name: string
  /** The prerequisite: a command that installs it, or its name. */
  needs: string
  text: string
}

const INSTALLS = /^(?:apt|npm|pip) install /

function Needs({ what }: { what: string }) {
  if (!INSTALLS.test(what)) return <>{t('Needs {what}.', { what })}</>
  return rich('Install first: {command}', { command: <code>{what}</code> })
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
        <Needs what={chosen?.needs ?? ''} /> {children}
      </Small>
      <Code label={t('Code for {name}', { name: chosen?.name ?? '' })}>{chosen?.text ?? ''}</Code>
    </Stack>
  )
}
