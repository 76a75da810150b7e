/** Says where the mail is if this installation sends none. */
import type { ConsoleConfig } from '../../../../sdk/schema.ts'
import { Note } from '../../kit/Note.tsx'
import { t } from './words.ts'

export const MailNote = ({ config }: { config: ConsoleConfig }) =>
  config.mail ? null : (
    <Note title={t('This installation sends no mail.')}>
      {t('It keeps what it would send in its outbox. The operator can give you the link.')}
    </Note>
  )
