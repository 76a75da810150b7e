/** The page for people who have deleted their account. */
import { CardPage } from '../../kit/CardPage.tsx'
import { Note } from '../../kit/Note.tsx'
import { useConfig } from '../../session/config.ts'
import { toSignIn } from '../joining/LinkPage.tsx'
import { t } from './translations.ts'

export default function Deleted() {
  const { data: config } = useConfig()
  return (
    <CardPage title={t('Your account is deleted')} footer={toSignIn}>
      <Note tone="ok" title={t('You have left all workspaces.')}>
        {t(
          'Your name, address, password and sessions are erased. The address can be used for another account.',
        )}{' '}
        {config?.mail === true && t('A mail to the address confirms it.')}
      </Note>
    </CardPage>
  )
}
