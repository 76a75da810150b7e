/** The page in which a card is added, an invoice is paid, or balance is bought. */
import type { Stripe } from '@stripe/stripe-js'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from '../api/problem.ts'
import { Button } from '../kit/Button.tsx'
import { CardPage } from '../kit/CardPage.tsx'
import { Note, ProblemNote, Skeleton } from '../kit/Note.tsx'
import { type Handover, hasExpired, type Purpose } from '../session/handover.ts'
import { AddCard } from './AddCard.tsx'
import { openStripe } from './card.ts'
import { readConfig } from './client.ts'
import { PayInvoice } from './PayInvoice.tsx'
import { billingOf, pageOf } from './return.ts'
import { TopUp } from './TopUp.tsx'
import { rich, t } from './translations.ts'

const titles: Readonly<Record<Purpose, string>> = {
  method: t('Add a card'),
  invoice: t('Pay an invoice'),
  'top-up': t('Pay in advance'),
}

interface PayPageProps {
  purpose: Purpose
  /** Undefined if no page of the console has led here in this tab. */
  handover: Handover | undefined
}

const Over = ({ handover }: Pick<PayPageProps, 'handover'>) => (
  <CardPage
    title={t('Payment')}
    footer={
      handover === undefined ? (
        <a href="/console/workspaces">{t('Go to your workspaces')}</a>
      ) : (
        <a href={billingOf(handover)}>{t('Go to Billing')}</a>
      )
    }
  >
    <Note title={t('This page has expired')}>
      {t(
        'It can be used for a quarter of an hour, and once. Billing shows whether a payment was made; open the page again from there.',
      )}
    </Note>
  </CardPage>
)

const Waiting = () => (
  <div role="status" aria-label={t('Loading')}>
    <Skeleton width="40%" />
  </div>
)

interface WithStripeProps {
  children: (stripe: Stripe) => ReactNode
}

/** Loads the form of Stripe, and says so if it is not configured or does not answer. */
function WithStripe({ children }: WithStripeProps) {
  const config = useQuery({ queryKey: ['config'], queryFn: readConfig })
  const key = config.data?.stripe_key ?? null
  const stripe = useQuery({
    queryKey: ['stripe', key],
    queryFn: () => openStripe(key ?? ''),
    enabled: key !== null,
  })
  if (config.error instanceof Problem) {
    return <ProblemNote problem={config.error} onRetry={() => void config.refetch()} />
  }
  if (config.data === undefined) return <Waiting />
  if (key === null) {
    return (
      <Note title={t('Cards cannot be used here')}>
        {t('The operator of this service takes payments by other means: the invoice says how.')}
      </Note>
    )
  }
  if (stripe.error !== null) {
    const retry = (
      <Button busy={stripe.isFetching} onClick={() => void stripe.refetch()}>
        {t('Try again')}
      </Button>
    )
    return (
      <Note tone="bad" title={t('The form of Stripe did not load')} action={retry}>
        {t(
          'Its host, js.stripe.com, cannot be reached, or something in this browser blocks it. Nothing was charged.',
        )}
      </Note>
    )
  }
  return stripe.data === undefined ? <Waiting /> : children(stripe.data)
}

export function PayPage({ purpose, handover }: PayPageProps) {
  if (handover === undefined || hasExpired(handover) || !(purpose in titles))
    return <Over handover={handover} />
  const isOfInvoice = purpose === 'invoice'
  const back = isOfInvoice ? t('Back to the invoice') : t('Back to Billing')
  return (
    <CardPage
      title={titles[purpose]}
      footer={<a href={pageOf(purpose, handover)}>{back}</a>}
      isOnce
    >
      <p>
        {rich(
          'For the workspace {name}. The card goes to Stripe, and never reaches this service.',
          {
            name: <b>{handover.workspace.name}</b>,
          },
        )}
      </p>
      <WithStripe>
        {(stripe) => {
          if (purpose === 'method') return <AddCard handover={handover} stripe={stripe} />
          if (isOfInvoice) return <PayInvoice handover={handover} stripe={stripe} />
          return <TopUp handover={handover} stripe={stripe} />
        }}
      </WithStripe>
    </CardPage>
  )
}
