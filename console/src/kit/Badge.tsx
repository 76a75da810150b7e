/** A status as a word, with a colour and a shape of its own. */
import type { ReactNode } from 'react'
import css from './Badge.module.css'

export type BadgeTone = 'ok' | 'warn' | 'bad' | 'info' | 'off'

interface BadgeProps {
  tone?: BadgeTone
  /** Without the dot: for labels that are no status. */
  plain?: boolean
  children: ReactNode
}

export const Badge = ({ tone = 'off', plain, children }: BadgeProps) => (
  <span className={[css.badge, css[tone], plain && css.plain].filter(Boolean).join(' ')}>
    <span className={css.word}>{children}</span>
  </span>
)
