/** Where a device or a login connects, and as whom: the first facts of its access. */
import type { ReactNode } from 'react'
import { Id } from './Text.tsx'
import { t } from '../i18n/frame.ts'

const whole = (text: string): ReactNode => (
  <Id key={text} full>
    {text}
  </Id>
)

export const accessFacts = (
  urls: readonly string[],
  userName: string,
): (readonly [string, ReactNode])[] => [
  ...urls.map((url) => [t('Address'), whole(url)] as const),
  [t('User name'), whole(userName)],
]
