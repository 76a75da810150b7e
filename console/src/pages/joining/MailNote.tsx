/** Says where the mail is if this installation sends none. */
import type { ConsoleConfig } from '../../../../sdk/schema.ts'
import { Note } from '../../kit/Note.tsx'

export const MailNote = ({ config }: { config: ConsoleConfig }) =>
  config.mail ? null : (
    <Note title="This installation sends no mail.">
      It keeps what it would send in its outbox. The operator can give you the link.
    </Note>
  )
