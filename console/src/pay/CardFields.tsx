/** The form of Stripe for a card, in the place that this component keeps for it. */
import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { useEffectEvent, useLayoutEffect, useRef } from 'react'
import { showForm } from './card.ts'

interface CardFieldsProps {
  stripe: Stripe
  onShown: (elements: StripeElements) => void
}

export function CardFields({ stripe, onShown }: CardFieldsProps) {
  const place = useRef<HTMLDivElement>(null)
  const notifyShown = useEffectEvent(onShown)
  useLayoutEffect(() => {
    const elements = showForm(stripe, place.current as HTMLDivElement)
    notifyShown(elements)
    return () => elements.getElement('payment')?.destroy()
  }, [stripe])
  return <div ref={place} />
}
