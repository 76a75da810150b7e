/** Content that few people need, behind a line that opens it. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useRefusalOf } from './Field.tsx'
import css from './Fold.module.css'

interface FoldProps {
  label: string
  /** Whether it is open at first. */
  isOpen?: boolean
  /** Members that are set in it: a refusal of one of them opens it. */
  pointers?: readonly string[]
  children: ReactNode
}

export function Fold({ label, isOpen = false, pointers = [], children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const [isUnfolded, setUnfolded] = useState(isOpen)
  const refusal = useRefusalOf(pointers)
  // Before the form moves the focus to the field.
  useLayoutEffect(() => {
    if (refusal !== null && details.current !== null) details.current.open = true
  }, [refusal])
  return (
    <details
      ref={details}
      className={css.fold}
      open={isUnfolded}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>{label}</summary>
      <div className={css.inside}>{children}</div>
    </details>
  )
}
