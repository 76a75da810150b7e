/** The form of Stripe for a card, and what the bank may ask the payer for. */
import { loadStripe } from '@stripe/stripe-js/pure'
import type { Stripe, StripeElements } from '@stripe/stripe-js'
import { t } from './translations.ts'
import { language } from '../i18n/language.ts'

/** The payer or the bank has refused, in words for the payer. */
export class CardRefusal extends Error {
  override name = 'CardRefusal'
}

/** @throws Error if the script of Stripe cannot be loaded; another try loads it again */
export async function openStripe(key: string): Promise<Stripe> {
  const stripe = await loadStripe(key, { locale: language })
  if (stripe === null) throw new Error('there is no document')
  return stripe
}

/** As the page looks: the form is drawn in a frame, which has no styles of ours. */
function appearanceOf(place: HTMLElement) {
  const { color, fontSize } = getComputedStyle(place)
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
  const { theme = prefersDark ? 'dark' : 'light' } = document.documentElement.dataset
  return {
    theme: theme === 'dark' ? ('night' as const) : ('stripe' as const),
    variables: { colorText: color, fontSizeBase: fontSize, borderRadius: '6px' },
  }
}

/** Shows the form. It asks for a card only: no wallets, and nothing that leaves the page. */
export function showForm(stripe: Stripe, place: HTMLElement): StripeElements {
  const elements = stripe.elements({
    mode: 'setup',
    allowedPaymentMethodTypes: ['card'],
    appearance: appearanceOf(place),
  })
  const wallets = { applePay: 'never', googlePay: 'never', link: 'never' } as const
  elements.create('payment', { wallets }).mount(place)
  return elements
}

const refusalOf = ({ message }: { message?: string }): CardRefusal =>
  new CardRefusal(message ?? t('The card was not accepted.'))

/** @throws CardRefusal for what is missing in the form */
export async function checkForm(elements: StripeElements): Promise<void> {
  const { error } = await elements.submit()
  if (error !== undefined) throw refusalOf(error)
}

/** Gives the card to Stripe. The bank may ask the payer to confirm it. @throws CardRefusal */
export async function sendCard(
  stripe: Stripe,
  elements: StripeElements,
  clientSecret: string,
): Promise<void> {
  const { error } = await stripe.confirmSetup({
    elements,
    clientSecret,
    confirmParams: { return_url: window.location.href },
    redirect: 'if_required',
  })
  if (error !== undefined) throw refusalOf(error)
}

/** Lets the payer do what the bank asks for. @returns why it failed, if it did */
export async function confirmPayment(
  stripe: Stripe,
  clientSecret: string,
): Promise<CardRefusal | undefined> {
  const { error } = await stripe.handleNextAction({ clientSecret })
  return error === undefined ? undefined : refusalOf(error)
}
