/** The outcome of the visit to the document in which a person pays; its address names it. */
import type { ReactNode } from 'react'
import type { PaymentMethod } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { cardText } from './billing-labels.tsx'
import { rich, t } from './translations.ts'

function useCards() {
  const { id } = useWorkspace()
  return useRead('listPaymentMethods', { params: { id } }, { isLive: true }).data?.items
}

/** From where and when it was paid; the card may be removed by now. */
function sourceOf(from: PaymentMethod | 'balance' | undefined, at: string, id: string): ReactNode {
  const values = { time: <Time at={at} />, id: <Id>{id}</Id> }
  if (from === 'balance') return rich('From the prepaid balance, {time}. Payment {id}', values)
  if (from === undefined) return rich('{time}. Payment {id}', values)
  return rich('From {card}, {time}. Payment {id}', { ...values, card: cardText(from) })
}

function OfPayment({ payment: paymentId }: { payment: string }) {
  const { id } = useWorkspace()
  const params = { id, payment_id: paymentId }
  const { data: payment, error } = useRead('getPayment', { params }, { isLive: true })
  const card = useCards()?.find((each) => each.id === payment?.payment_method_id)
  if (error !== null) return <ProblemNote problem={error} />
  if (payment === undefined) return null
  const { amount, currency, ended_at: endedAt, failure, provider, status } = payment
  const money = moneyText(amount, currency)
  if (status === 'failed') {
    return (
      <Note tone="bad" title={t('{amount} was not paid', { amount: money })}>
        {failure?.message}
      </Note>
    )
  }
  if (endedAt === null) {
    return (
      <Note title={t('Paying {amount}', { amount: money })}>
        {t('Stripe has not decided yet. This page shows it as soon as it has.')}
      </Note>
    )
  }
  return (
    <Note tone="ok" title={t('Paid {amount}', { amount: money })}>
      {sourceOf(provider === 'balance' ? 'balance' : card, endedAt, paymentId)}
    </Note>
  )
}

function OfCard({ card: cardId }: { card: string }) {
  const found = useCards()?.find((each) => each.id === cardId)
  if (found !== undefined) {
    return <Note tone="ok" title={t('{card} was added', { card: cardText(found) })} />
  }
  return (
    <Note title={t('Stripe confirms the card')}>
      {t('It appears in the list as soon as Stripe reports it.')}
    </Note>
  )
}

/** Above the page, whose tabs do not keep it. */
export function PaymentReceipt() {
  const [{ payment, card }] = useSearchState<{ payment: string; card: string }>()
  if (payment !== undefined) return <OfPayment payment={payment} />
  return card === undefined ? null : <OfCard card={card} />
}
