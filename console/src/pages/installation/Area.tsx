/** The installation area: operators see it, and others get a refusal. */
import { Outlet } from '@tanstack/react-router'
import { Panel } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { Empty, Pending } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useOperator } from '../../session/operator.ts'
import { t } from './translations.ts'

const NotOperator = () => (
  <Page title={t('Installation')}>
    <Panel>
      <Empty
        title={t('The installation is for its operators')}
        command="mooring accounts set-role --email … --role operator"
      >
        {t('The person who runs the service makes an account one, on the command line.')}
      </Empty>
    </Panel>
  </Page>
)

export default function Area() {
  const { query, isOperator, isOff } = useOperator()
  if (query.data === undefined) return <Pending query={query} of={t('Your account')} />
  if (isOff) {
    return (
      <ForbiddenPage
        title={t('Installation')}
        why={t('MOORING_CONSOLE_ADMIN has switched this area off.')}
      />
    )
  }
  if (!isOperator) return <NotOperator />
  return <Outlet />
}
