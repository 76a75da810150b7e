/** What somebody sees who has deleted their account. */
import { CardPage } from '../../kit/CardPage.tsx'
import { Note } from '../../kit/Note.tsx'
import { toSignIn } from '../joining/LinkPage.tsx'
import { t } from './words.ts'

export default function Deleted() {
  return (
    <CardPage title={t('Your account is deleted')} footer={toSignIn}>
      <Note tone="ok" title={t('You have left all workspaces.')}>
        {t(
          'Your name, address, password and sessions are erased. A mail to the address confirms it. The address can be used for another account.',
        )}
      </Note>
    </CardPage>
  )
}
