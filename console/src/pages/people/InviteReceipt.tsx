/**
 * The outcome of invitations: the people invited, the others with the reason, and links to hand
 * over.
 */
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Code, CopyButton } from '../../kit/Text.tsx'
import type { Outcome } from './invite-all.ts'
import { counted, t } from './translations.ts'

function Links({ outcomes }: { outcomes: readonly Outcome[] }) {
  const linked = outcomes.filter(({ url }) => url !== null)
  if (linked.length === 0) return null
  const all = linked.map(({ email, url }) => `${email} ${url}\n`).join('')
  return (
    <Stack tight>
      {linked.map(({ email, url }) => (
        <div key={email}>
          <b>{email}</b>
          <Code label={t('Link for {email}', { email })}>{url ?? ''}</Code>
        </div>
      ))}
      {linked.length > 1 && (
        <div>
          <CopyButton text={all} label={t('Copy all with their addresses')} />
        </div>
      )}
    </Stack>
  )
}

function Invited({ outcomes, hasMail }: Pick<ReceiptProps, 'outcomes' | 'hasMail'>) {
  if (outcomes.length === 0) return null
  const emails = outcomes.map(({ email }) => email).join(', ')
  const isUnlinked = !hasMail && outcomes.some(({ url }) => url === null)
  return (
    <>
      <Note tone="ok" title={counted(outcomes.length, '1 person invited', '{n} people invited')}>
        {hasMail
          ? t('A mail with a link goes to {emails}.', { emails })
          : t(
              'No mail server sends the links: hand each person their own. Each works once. The list of pending invitations makes another.',
            )}
        {isUnlinked && ' '}
        {isUnlinked &&
          t('For those without a link, create one in the list of pending invitations.')}
      </Note>
      <Links outcomes={outcomes} />
    </>
  )
}

const Refused = ({ outcomes }: { outcomes: readonly Outcome[] }) =>
  outcomes.length > 0 && (
    <Note
      tone="bad"
      title={counted(outcomes.length, '1 person not invited', '{n} people not invited')}
    >
      <Stack tight>
        {outcomes.map(({ email, problem }) => (
          <div key={email}>
            <b>{email}</b>: {problem?.errors[0]?.message ?? problem?.sentence}
          </div>
        ))}
      </Stack>
    </Note>
  )

interface ReceiptProps {
  outcomes: readonly Outcome[]
  hasMail: boolean
  /** Back to the form, with the addresses that were refused. */
  onCorrect: (emails: readonly string[]) => void
  onClose: () => void
}

export function InviteReceipt({ outcomes, hasMail, onCorrect, onClose }: ReceiptProps) {
  const refused = outcomes.filter(({ problem }) => problem !== null)
  return (
    <Stack>
      <Invited outcomes={outcomes.filter(({ problem }) => problem === null)} hasMail={hasMail} />
      <Refused outcomes={refused} />
      <FormActions>
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
        {refused.length > 0 && (
          <Button onClick={() => onCorrect(refused.map(({ email }) => email))}>
            {t('Correct those not invited')}
          </Button>
        )}
      </FormActions>
    </Stack>
  )
}
