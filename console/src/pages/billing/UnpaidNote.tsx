/** The unpaid amount, and the way to the invoices. */
import { useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note } from '../../kit/Note.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

export function UnpaidNote() {
  const { id, slug } = useWorkspace()
  const { data } = useRead('getBalance', { params: { id } }, { isLive: true })
  if (data === undefined || data.currency === null || data.outstanding <= 0) return null
  return (
    <Note
      tone="warn"
      title={t('{amount} is unpaid', { amount: moneyText(data.outstanding, data.currency) })}
      action={
        <LinkButton to={below(slug, 'billing')} search={{ tab: 'invoices' }}>
          {t('See the invoices')}
        </LinkButton>
      }
    />
  )
}
