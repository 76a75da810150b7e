/** The place of a field whose choices are not read yet, or could not be. */
import type { ReactNode } from 'react'
import css from './Field.module.css'
import { Pending, type PendingQuery } from './Note.tsx'

interface UnreadFieldProps {
  label: string
  query: PendingQuery
  /** The data that could not be read. */
  of: string
  /** The waiters for it. */
  children?: ReactNode
}

export const UnreadField = ({ label, query, of, children }: UnreadFieldProps) => (
  <div className={css.field} role="group" aria-label={label}>
    <span className={css.label}>{label}</span>
    <Pending query={query} of={of} />
    {children !== undefined && <div className={css.hint}>{children}</div>}
  </div>
)
