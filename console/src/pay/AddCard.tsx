/** Adds a card, without charging it. */
import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { useMutation } from '@tanstack/react-query'
import { useEffectEvent, useLayoutEffect, useRef } from 'react'
import { Button } from '../kit/Button.tsx'
import { Form, FormActions } from '../kit/Field.tsx'
import type { Handover } from '../session/handover.ts'
import { showForm } from './card.ts'
import { addCard, type CardForm, type Setup } from './payment.ts'
import { Refused } from './Refused.tsx'
import { goBack } from './return.ts'
import { t } from './translations.ts'

interface CardFieldsProps {
  stripe: Stripe
  onShown: (elements: StripeElements) => void
}

/** The form of Stripe for a card, in the place that this component keeps for it. */
function CardFields({ stripe, onShown }: CardFieldsProps) {
  const place = useRef<HTMLDivElement>(null)
  const notifyShown = useEffectEvent(onShown)
  useLayoutEffect(() => {
    const elements = showForm(stripe, place.current as HTMLDivElement)
    notifyShown(elements)
    return () => elements.getElement('payment')?.destroy()
  }, [stripe])
  return <div ref={place} />
}

export interface PaySectionProps {
  handover: Handover
  stripe: Stripe
}

/** The form that is shown, and the set-up of an attempt that was refused. */
export function useNewCard({ handover, stripe }: PaySectionProps) {
  const elements = useRef<CardForm['elements'] | undefined>(undefined)
  const setup = useRef<Setup | undefined>(undefined)
  const show = (shown: CardForm['elements']): void => {
    elements.current = shown
  }
  return {
    fields: <CardFields stripe={stripe} onShown={show} />,
    /** @throws Problem; CardRefusal */
    async add(): Promise<string> {
      if (elements.current === undefined) throw new Error('the form is not shown')
      const form = { stripe, elements: elements.current }
      const id = await addCard(handover, form, setup.current, (made) => {
        setup.current = made
      })
      setup.current = undefined
      return id
    },
  }
}

export function AddCard({ handover, stripe }: PaySectionProps) {
  const card = useNewCard({ handover, stripe })
  const save = useMutation({
    mutationFn: () => card.add(),
    onSuccess: (id) => goBack('method', handover, { card: id }),
  })
  const isBusy = save.isPending || save.isSuccess
  return (
    <Form problem={null} onSubmit={() => isBusy || save.mutate()}>
      <Refused error={save.error} />
      {card.fields}
      <FormActions>
        <Button type="submit" kind="primary" wide busy={isBusy}>
          {t('Save the card')}
        </Button>
      </FormActions>
    </Form>
  )
}
