/** What came of the visit to the document in which a person pays; its address names it. */
import { useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { cardText } from './billing-words.tsx'

function useCards() {
  const { id } = useWorkspace()
  return useRead('listPaymentMethods', { params: { id } }, { isLive: true }).data?.items
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
  const from = provider === 'balance' ? 'the prepaid balance' : card && cardText(card)
  if (status === 'failed') {
    return (
      <Note tone="bad" title={`${money} was not paid`}>
        {failure?.message}
      </Note>
    )
  }
  if (endedAt === null) {
    return (
      <Note title={`Paying ${money}`}>
        Stripe has not decided yet. This page shows it as soon as it has.
      </Note>
    )
  }
  return (
    <Note tone="ok" title={`Paid ${money}`}>
      {from !== undefined && <>From {from}, </>}
      <Time at={endedAt} />. Payment <Id>{paymentId}</Id>
    </Note>
  )
}

function OfCard({ card: cardId }: { card: string }) {
  const found = useCards()?.find((each) => each.id === cardId)
  if (found !== undefined) return <Note tone="ok" title={`${cardText(found)} was added`} />
  return (
    <Note title="Stripe confirms the card">It is in the list as soon as Stripe has told so.</Note>
  )
}

/** Above the page, whose tabs do not keep it. */
export function PaymentReceipt() {
  const [{ payment, card }] = useSearchState<{ payment: string; card: string }>()
  if (payment !== undefined) return <OfPayment payment={payment} />
  return card === undefined ? null : <OfCard card={card} />
}
