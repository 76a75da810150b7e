/** Says where the mail is if this installation sends none. */
import type { ConsoleConfig } from '../../../../sdk/schema.ts'
import { Note } from '../../kit/Note.tsx'
import { t } from './translations.ts'

export const MailNote = ({ config }: { config: ConsoleConfig }) =>
  config.mail ? null : (
    <Note title={t('No e-mail is sent here.')}>
      {t('After you request a link, ask your operator for it.')}
    </Note>
  )
