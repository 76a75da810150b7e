/** Pays what is due of an invoice. */
import { useQuery } from '@tanstack/react-query'
import type { Invoice } from '../../../sdk/schema.ts'
import { moneyText } from '../api/money.ts'
import { Note, Skeleton } from '../kit/Note.tsx'
import type { PaySectionProps } from './AddCard.tsx'
import { Checkout } from './Checkout.tsx'
import { call } from './client.ts'
import { Refused } from './Refused.tsx'
import { rich, t } from './translations.ts'

/** By its status: why there is nothing to pay of an invoice. */
const why: Readonly<Record<Invoice['status'], string>> = {
  draft: t('The invoice is a draft.'),
  open: t('The invoice is open, with nothing due.'),
  overdue: t('The invoice is overdue, with nothing due.'),
  paid: t('The invoice is paid.'),
  void: t('The invoice is void.'),
}

export function PayInvoice({ handover, stripe }: PaySectionProps) {
  const { token, workspace, invoiceId = '' } = handover
  const params = { id: workspace.id }
  const invoice = useQuery({
    queryKey: ['invoice'],
    queryFn: () => call(token, 'getInvoice', { params: { ...params, invoice_id: invoiceId } }),
  })
  const balance = useQuery({
    queryKey: ['balance'],
    queryFn: () => call(token, 'getBalance', { params }),
  })
  if (invoice.error !== null) return <Refused error={invoice.error} />
  if (balance.error !== null) return <Refused error={balance.error} />
  if (invoice.data === undefined || balance.data === undefined) return <Skeleton width="40%" />
  const { amount_due: due, currency, number, status } = invoice.data
  if (number === null || status === 'paid' || status === 'void' || due <= 0) {
    return <Note title={t('There is nothing to pay')}>{why[status]}</Note>
  }
  const { prepaid, currency: held } = balance.data
  const suffices = held === currency && prepaid >= due
  return (
    <Checkout
      handover={handover}
      stripe={stripe}
      purpose="invoice"
      act={t('Pay {amount}', { amount: moneyText(due, currency) })}
      prepaid={
        suffices ? t('It has {amount}.', { amount: moneyText(prepaid, currency) }) : undefined
      }
    >
      <p>
        {rich('Invoice {number}: {amount} are due.', {
          number: <b>{number}</b>,
          amount: <b>{moneyText(due, currency)}</b>,
        })}
      </p>
    </Checkout>
  )
}
