/** Pays what is due of an invoice. */
import { useQuery } from '@tanstack/react-query'
import { moneyText } from '../api/money.ts'
import { Note, Skeleton } from '../kit/Note.tsx'
import type { PaySectionProps } from './AddCard.tsx'
import { Checkout } from './Checkout.tsx'
import { call } from './client.ts'
import { Refused } from './Refused.tsx'

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
    return <Note title="There is nothing to pay">The invoice is {status}.</Note>
  }
  const { prepaid, currency: held } = balance.data
  const suffices = held === currency && prepaid >= due
  return (
    <Checkout
      handover={handover}
      stripe={stripe}
      purpose="invoice"
      act={`Pay ${moneyText(due, currency)}`}
      prepaid={suffices ? `It has ${moneyText(prepaid, currency)}.` : undefined}
    >
      <p>
        Invoice <b>{number}</b>: <b>{moneyText(due, currency)}</b> are due.
      </p>
    </Checkout>
  )
}
