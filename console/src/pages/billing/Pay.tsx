/** Pays an invoice: where cards are taken, in a document of its own, and else as its text says. */
import type { Invoice } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { ProblemNote } from '../../kit/Note.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { PaymentNote } from './PaymentNote.tsx'
import { usePaying, useTakesCards } from './paying.ts'
import { t } from './words.ts'

export interface InvoiceProps {
  invoice: Invoice
  params: { id: string; invoice_id: string }
}

const actOf = ({ amount_due, currency }: Invoice): string =>
  t('Pay {amount}', { amount: moneyText(amount_due, currency) })

function ByCard({ invoice }: Pick<InvoiceProps, 'invoice'>) {
  const { blocked, busy, problem, go } = usePaying('invoice', invoice.id)
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} />}
      <Button kind="primary" blocked={blocked} busy={busy} onClick={go}>
        {actOf(invoice)}
      </Button>
    </>
  )
}

/** From the prepaid balance if it suffices, or else it says how. */
function ByHand({ invoice, params }: InvoiceProps) {
  const pay = useChange('payInvoice', ['getInvoice', 'listInvoices', 'getBalance', 'listPayments'])
  const blocked = useBlocked('payInvoice')
  useNextCall('payInvoice', { params, body: {} })
  return (
    <>
      {pay.error !== null && <ProblemNote problem={pay.error} />}
      {pay.data !== undefined && <PaymentNote result={pay.data} />}
      <Button
        kind="primary"
        blocked={blocked}
        busy={pay.isPending}
        onClick={() => pay.mutate({ params, body: {} })}
      >
        {actOf(invoice)}
      </Button>
    </>
  )
}

export function Pay(props: InvoiceProps) {
  const takesCards = useTakesCards()
  if (takesCards === undefined) return null
  return takesCards ? <ByCard {...props} /> : <ByHand {...props} />
}
