/** How to pay where the operator takes payments manually. */
import type { ReactNode } from 'react'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Lines } from './billing-words.tsx'
import { t } from './words.ts'

interface HowToPayProps {
  title: string
  /** As the operator has written them. */
  instructions: string
  children?: ReactNode
}

export const HowToPay = ({ title, instructions, children }: HowToPayProps) => (
  <Panel title={title}>
    <Stack tight>
      {/* In a language that only the operator knows. */}
      <div lang="">
        <Lines of={[instructions]} />
      </div>
      {children}
      <Small>{t('What you pay counts as soon as the operator has recorded it.')}</Small>
    </Stack>
  </Panel>
)
