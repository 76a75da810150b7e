/** The installation area: who may see it, and who may not. */
import { Outlet } from '@tanstack/react-router'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { Pending } from '../../kit/Note.tsx'
import { useOperator } from '../../session/operator.ts'
import { t } from './words.ts'

const WHY = t(
  'The installation is for its operators. The person who runs the service marks an account: mooring accounts set-role --email … --role operator',
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
  if (!isOperator) return <ForbiddenPage title={t('Installation')} why={WHY} />
  return <Outlet />
}
