/**
 * Pays an invoice: where cards are taken, in a document of its own; from the balance if it
 * suffices; and else the page says how.
 */
import type { Invoice, PaymentResult } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Facts } from '../../kit/Layout.tsx'
import { Note, Pending, ProblemNote, type Tone } from '../../kit/Note.tsx'
import { Id } from '../../kit/Text.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { HowToPay } from './HowToPay.tsx'
import { useInstructions, usePaying, useTakesCards } from './paying.ts'
import { t } from './translations.ts'

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

/** Whether somebody has to pay it now. */
export const isDue = ({ amount_due, status }: Invoice): boolean =>
  amount_due > 0 && (status === 'open' || status === 'overdue')

const results: Readonly<Record<PaymentResult['status'], readonly [Tone, string]>> = {
  paid: ['ok', t('Paid')],
  processing: ['info', t('The payment is being processed')],
  requires_action: ['warn', t('The bank asks the payer to confirm it')],
  failed: ['bad', t('The payment has failed')],
  by_hand: ['info', t('It is paid manually')],
}

/** The outcome of an attempt to pay. */
function PaymentNote({ result }: { result: PaymentResult }) {
  const [tone, title] = results[result.status]
  return (
    <Note tone={tone} title={title}>
      {result.payment?.failure?.message ?? result.instructions}
    </Note>
  )
}

/** From the prepaid balance, or the default card. */
function AtOnce({ invoice, params }: InvoiceProps) {
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
  const { amount_due, currency } = props.invoice
  const { id } = props.params
  const takesCards = useTakesCards()
  const { instructions, query } = useInstructions()
  const { data: balance } = useRead('getBalance', { params: { id } }, { isLive: true })
  if (takesCards === undefined) return null
  if (instructions === undefined) return <Pending query={query} of={t('How to pay')} />
  if (takesCards) return <ByCard {...props} />
  const suffices = balance?.currency === currency && balance.prepaid >= amount_due
  return instructions === null || suffices ? <AtOnce {...props} /> : null
}

export function PayManually({ invoice }: Pick<InvoiceProps, 'invoice'>) {
  const { instructions } = useInstructions()
  const { amount_due, currency, number, seller } = invoice
  if (typeof instructions !== 'string') return null
  return (
    <HowToPay title={t('How to pay')} instructions={instructions} seller={seller[0]}>
      <Facts
        facts={[
          [t('Amount'), moneyText(amount_due, currency)],
          [t('Reference'), number === null ? undefined : <Id>{number}</Id>],
        ]}
      />
    </HowToPay>
  )
}
