/** Why an attempt to pay has failed. */
import { Problem } from '../api/problem.ts'
import { Note, ProblemNote } from '../kit/Note.tsx'

/** Of a token that has expired, or a session that has ended meanwhile. */
const OVER: readonly string[] = ['credential_rejected', 'mfa_required', 'password_change_required']

export function Refused({ error }: { error: Error | null }) {
  if (error === null) return null
  if (!(error instanceof Problem)) {
    return (
      <Note tone="bad" title="The card was refused">
        {error.message}
      </Note>
    )
  }
  if (!OVER.includes(error.code)) return <ProblemNote problem={error} />
  return (
    <Note tone="bad" title="This page can no longer be used">
      Go back to Billing and begin again.
    </Note>
  )
}
