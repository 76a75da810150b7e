/** How to pay where the operator takes payments manually. */
import type { ReactNode } from 'react'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Lines } from '../../kit/Text.tsx'
import { isByDefault } from './how-to-pay.ts'
import { t } from './translations.ts'

interface HowToPayProps {
  title: string
  /** As the operator has written them, or the default of the service. */
  instructions: string
  /** The person to ask if the operator has written nothing; undefined if unknown. */
  seller?: string | undefined
  children?: ReactNode
}

const askText = (seller: string | undefined): string =>
  seller === undefined
    ? t('No cards are charged here. Ask the operator of this service how to pay.')
    : t('No cards are charged here. Ask {seller} how to pay, and name the reference.', { seller })

export const HowToPay = ({ title, instructions, seller, children }: HowToPayProps) => (
  <Panel title={title}>
    <Stack tight>
      {isByDefault(instructions) ? (
        <div>{askText(seller)}</div>
      ) : (
        // In a language that only the operator knows.
        <div lang="">
          <Lines of={[instructions]} />
        </div>
      )}
      {children}
      <Small>{t('What you pay counts as soon as the operator has recorded it.')}</Small>
    </Stack>
  </Panel>
)
