/** Chooses what is charged, and pays. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { PaymentMethod, PaymentResult } from '../../../sdk/schema.ts'
import { Button } from '../kit/Button.tsx'
import { Form, FormActions, type Option, RadioCards } from '../kit/Field.tsx'
import { Reasons } from '../kit/Layout.tsx'
import { Note, Skeleton } from '../kit/Note.tsx'
import { type PaySectionProps, useNewCard } from './AddCard.tsx'
import { call } from './client.ts'
import { CardRefusal } from './card.ts'
import { type Order, pay } from './payment.ts'
import { Refused } from './Refused.tsx'
import { goBack } from './return.ts'
import { t } from './translations.ts'

const NEW = 'new'
const BALANCE = 'balance'

interface CheckoutProps extends PaySectionProps {
  purpose: Order['purpose']
  /** For the balance, in minor units. */
  amount?: number
  /** The text of the button; with the amount. */
  act: string
  /** Why it cannot be paid yet. */
  blocked?: string | undefined
  /** The prepaid balance, if it suffices. */
  prepaid?: string | undefined
  children?: ReactNode
}

const optionOf = ({ id, brand, last4, exp_month, exp_year }: PaymentMethod): Option => ({
  value: id,
  label: `${brand} …${last4}`,
  hint: t('Valid until {month}', { month: `${String(exp_month).padStart(2, '0')}/${exp_year}` }),
})

/** The cards that are there, the default one first, and a new one. */
function useChoices({ handover, prepaid }: CheckoutProps) {
  const { token, workspace } = handover
  const cards = useQuery({
    queryKey: ['cards'],
    queryFn: () => call(token, 'listPaymentMethods', { params: { id: workspace.id } }),
  })
  const items = cards.data?.items.toSorted((a, b) => Number(b.is_default) - Number(a.is_default))
  const known = items?.map(optionOf) ?? []
  const balance = { value: BALANCE, label: t('The prepaid balance'), hint: prepaid ?? '' }
  const options: readonly Option[] = [
    ...(prepaid === undefined ? [] : [balance]),
    ...known,
    { value: NEW, label: t('Another card') },
  ]
  return { options, isLoading: cards.isPending, error: cards.error, readAgain: cards.refetch }
}

/**
 * A key for each order. An order that has got no response is sent again with its key, so that it is
 * not paid twice; one that was refused is another payment the next time.
 */
function useOrderKeys() {
  const keys = useRef(new Map<string, string>())
  return {
    of(order: Omit<Order, 'key'>): string {
      const name = JSON.stringify(order)
      const key = keys.current.get(name) ?? crypto.randomUUID()
      keys.current.set(name, key)
      return key
    },
    reset: () => keys.current.clear(),
  }
}

const ByHand = ({ instructions }: Pick<PaymentResult, 'instructions'>) => (
  <Note title={t('It is paid manually')}>{instructions}</Note>
)

export function Checkout(props: CheckoutProps) {
  const { handover, stripe, purpose, amount, act, blocked, children } = props
  const { options, isLoading, error, readAgain } = useChoices(props)
  const [chosen, setChosen] = useState<string>()
  const keys = useOrderKeys()
  const card = useNewCard(props)
  const choice = chosen ?? options[0]?.value ?? NEW
  const paying = useMutation({
    async mutationFn() {
      const methodId = choice === NEW ? await card.add() : choice
      const method = choice === BALANCE ? {} : { methodId }
      const order = { purpose, ...(amount !== undefined && { amount }), ...method }
      return pay(handover, stripe, { ...order, key: keys.of(order) })
    },
    onError: (refusal) => {
      if (refusal instanceof CardRefusal) keys.reset()
      // A new card may have been added before it was refused.
      void readAgain()
    },
    onSuccess: ({ payment, status }) => {
      if (status === 'by_hand') return
      goBack(purpose, handover, payment === null ? {} : { payment: payment.id })
    },
  })
  if (isLoading) return <Skeleton width="40%" />
  if (error !== null) return <Refused error={error} />
  if (paying.data?.status === 'by_hand') return <ByHand instructions={paying.data.instructions} />
  const isBusy = paying.isPending || paying.isSuccess
  const submit = (): void => void (isBusy || blocked !== undefined || paying.mutate())
  return (
    <Form problem={null} onSubmit={submit}>
      <Refused error={paying.error} />
      {children}
      {options.length > 1 && (
        <RadioCards label={t('Pay with')} value={choice} options={options} onValue={setChosen} />
      )}
      {choice === NEW && card.fields}
      <FormActions>
        <Button type="submit" kind="primary" wide blocked={blocked} busy={isBusy}>
          {act}
        </Button>
      </FormActions>
      <Reasons of={[blocked]} />
    </Form>
  )
}
