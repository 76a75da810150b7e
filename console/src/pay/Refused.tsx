/** Why an attempt to pay has failed. */
import { Problem } from '../api/problem.ts'
import { Note, ProblemNote } from '../kit/Note.tsx'
import { t } from './translations.ts'

/** The codes of a token that has expired, or a session that has ended meanwhile. */
const OVER: readonly string[] = ['credential_rejected', 'mfa_required', 'password_change_required']

export function Refused({ error }: { error: Error | null }) {
  if (error === null) return null
  if (!(error instanceof Problem)) {
    return (
      <Note tone="bad" title={t('The card was refused')}>
        {error.message}
      </Note>
    )
  }
  if (!OVER.includes(error.code)) return <ProblemNote problem={error} />
  return (
    <Note tone="bad" title={t('This page has expired')}>
      {t('Open it again from Billing.')}
    </Note>
  )
}
