/** The outcome of an attempt to pay. */
import type { PaymentResult } from '../../../../sdk/schema.ts'
import { Note, type Tone } from '../../kit/Note.tsx'
import { t } from './translations.ts'

const results: Readonly<Record<PaymentResult['status'], readonly [Tone, string]>> = {
  paid: ['ok', t('Paid')],
  processing: ['info', t('The payment is being processed')],
  requires_action: ['warn', t('The bank asks the payer to confirm it')],
  failed: ['bad', t('The payment has failed')],
  by_hand: ['info', t('It is paid manually')],
}

export function PaymentNote({ result }: { result: PaymentResult }) {
  const [tone, title] = results[result.status]
  return (
    <Note tone={tone} title={title}>
      {result.payment?.failure?.message ?? result.instructions}
    </Note>
  )
}
