/** Buys prepaid balance. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { minorOf, moneyText } from '../api/money.ts'
import { TextField } from '../kit/Field.tsx'
import { Note, Skeleton } from '../kit/Note.tsx'
import type { PaySectionProps } from './AddCard.tsx'
import { Checkout } from './Checkout.tsx'
import { call } from './client.ts'
import { Refused } from './Refused.tsx'
import { t } from './translations.ts'

export function TopUp({ handover, stripe }: PaySectionProps) {
  const { token, workspace } = handover
  const [text, setText] = useState('')
  const balance = useQuery({
    queryKey: ['balance'],
    queryFn: () => call(token, 'getBalance', { params: { id: workspace.id } }),
  })
  if (balance.error !== null) return <Refused error={balance.error} />
  if (balance.data === undefined) return <Skeleton width="40%" />
  const { currency, prepaid } = balance.data
  if (currency === null) {
    return (
      <Note title={t('There is no balance')}>
        {t('The workspace has had no plan with prices.')}
      </Note>
    )
  }
  const amount = minorOf(text, currency) ?? 0
  return (
    <Checkout
      handover={handover}
      stripe={stripe}
      purpose="top-up"
      amount={amount}
      act={amount === 0 ? t('Pay') : t('Pay {amount}', { amount: moneyText(amount, currency) })}
      blocked={amount === 0 ? t('Type an amount.') : undefined}
    >
      <TextField
        label={t('Amount in {currency}', { currency })}
        inputMode="decimal"
        hint={t('The balance is {amount}. Invoices use it first.', {
          amount: moneyText(prepaid, currency),
        })}
        value={text}
        onValue={setText}
      />
    </Checkout>
  )
}
