/** The outcome of a link that sets a password: mailed, or here to be handed on. */
import type { PasswordLink } from '../../../../sdk/schema.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Code } from '../../kit/Text.tsx'
import { t } from './translations.ts'

interface PasswordLinkNoteProps {
  link: Pick<PasswordLink, 'mailed' | 'url'>
  email: string
}

export const PasswordLinkNote = ({ link: { mailed, url }, email }: PasswordLinkNoteProps) =>
  mailed || url === null ? (
    <Note tone="ok" title={t('The link was sent by e-mail')}>
      {t('{email} gets a link to choose a password. It works once, for an hour.', { email })}
    </Note>
  ) : (
    <Stack tight>
      <Note tone="warn" title={t('No mail server is configured: pass the link on yourself')}>
        {t(
          'Anyone who has this link can set the password of {email}: once, within an hour. It is shown this once, and the audit log records that you saw it.',
          {
            email,
          },
        )}
      </Note>
      <Code label={t('Link')}>{url}</Code>
    </Stack>
  )
