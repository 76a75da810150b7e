/**
 * A stand-in for what Stripe serves to browsers: its script, the frame with the form, the frame in
 * which a bank asks, and the calls that the script makes. It has the form that `@stripe/stripe-js`
 * declares, and changes the objects of the stand-in for Stripe's API.
 */
import type { Page, Route } from 'playwright-core'
import { deliver } from './payments.ts'
import type { StripeStandIn } from './stripe.ts'
import type { CardName } from './stripe-objects.ts'

/** The release of the browser part; the library compares it with its own release. */
const RELEASE = 'endive'

const SCRIPT = `{
  const frameOf = (place, src, title) => {
    const frame = document.createElement('iframe')
    frame.src = src
    frame.title = title
    place.append(frame)
    return frame
  }
  const heard = (frame) => new Promise((resolve) => {
    addEventListener('message', function hear({ source, data }) {
      if (source !== frame.contentWindow) return
      removeEventListener('message', hear)
      resolve(data)
    })
  })
  const ask = async (frame, origin) => {
    const answer = heard(frame)
    frame.contentWindow.postMessage('number', origin)
    return answer
  }
  const send = async (key, path, body) => {
    const response = await fetch('https://api.stripe.com' + path, {
      method: 'POST',
      body: new URLSearchParams({ key, ...body }),
    })
    return response.json()
  }
  /** The dialog of the bank. */
  const challenge = async () => {
    const frame = frameOf(document.body, 'https://hooks.stripe.com/challenge', 'Bank')
    const answer = await heard(frame)
    frame.remove()
    return answer
  }
  globalThis.Stripe = (key) => ({
    elements(options) {
      if (options.mode !== 'setup') throw new Error('no mode')
      let frame, element
      return {
        create(type) {
          element = {
            mount(place) { frame = frameOf(place, 'https://js.stripe.com/form', 'Card') },
            destroy() { frame.remove() },
          }
          return element
        },
        getElement: () => element,
        async submit() {
          const number = await ask(frame, 'https://js.stripe.com')
          return number === '' ? { error: { message: 'Your card number is incomplete.' } } : {}
        },
        number: () => ask(frame, 'https://js.stripe.com'),
      }
    },
    async confirmSetup({ elements, clientSecret, redirect }) {
      if (redirect !== 'if_required') throw new Error('it would leave the page')
      const number = await elements.number()
      const path = '/v1/setup_intents/' + clientSecret.split('_secret_')[0] + '/confirm'
      const { error } = await send(key, path, { number, client_secret: clientSecret })
      return error === undefined ? { setupIntent: {} } : { error }
    },
    async handleNextAction({ clientSecret }) {
      const result = await challenge()
      const path = '/v1/payment_intents/' + clientSecret.split('_secret_')[0] + '/challenge'
      const { error } = await send(key, path, { result, client_secret: clientSecret })
      return error === undefined ? { paymentIntent: {} } : { error }
    },
  })
  globalThis.Stripe.version = '${RELEASE}'
}`

const FORM = `<!doctype html><html lang="en"><title>Card</title>
<label>Card number <input id="number" autocomplete="off"></label>
<script>
  addEventListener('message', ({ source, origin }) =>
    source.postMessage(document.getElementById('number').value, origin))
</script>`

const CHALLENGE = `<!doctype html><html lang="en"><title>Bank</title>
<button onclick="parent.postMessage('complete', '*')">Complete</button>
<button onclick="parent.postMessage('fail', '*')">Fail</button>`

const cards: Readonly<Record<string, CardName>> = {
  '4242424242424242': 'good',
  '4000000000000002': 'declined',
  '4000000000003220': 'wantsAction',
}
/** Refused when it is entered. */
const STOLEN = '4000000000009979'

/** The origins of the stand-in, which only the payment document may load from. */
export const STRIPE_ORIGINS = [
  'https://js.stripe.com',
  'https://hooks.stripe.com',
  'https://api.stripe.com',
]

/** A request of the script to Stripe. @returns the body of the response */
function respondTo({ objects }: StripeStandIn, path: string, form: URLSearchParams): object {
  const [, , kind, id = '', act] = path.split('/')
  if (objects.intents.get(id)?.client_secret !== form.get('client_secret')) {
    return { error: { message: 'No such intent' } }
  }
  if (kind === 'setup_intents' && act === 'confirm') {
    const number = (form.get('number') ?? '').replaceAll(' ', '')
    if (number === STOLEN) return { error: { message: 'Your card was declined.' } }
    const name = cards[number]
    if (name === undefined) return { error: { message: 'Your card number is invalid.' } }
    objects.enterCard(id, name)
    return {}
  }
  if (form.get('result') === 'complete') {
    objects.succeed(id)
    return {}
  }
  objects.decline(id)
  return { error: { message: 'We are unable to authenticate your payment method.' } }
}

/**
 * Answers in place of Stripe, and notifies the service of the event, as Stripe does.
 * @returns a function that makes the script unreachable, or reachable again
 */
export async function standInForStripe(
  page: Page,
  stripe: StripeStandIn,
  origin: string,
): Promise<(isReachable: boolean) => void> {
  let isReachable = true
  const script = (route: Route): Promise<void> => {
    if (!isReachable) return route.abort('connectionrefused')
    const isForm = new URL(route.request().url()).pathname === '/form'
    return route.fulfill(
      isForm
        ? { contentType: 'text/html', body: FORM }
        : { contentType: 'text/javascript', body: SCRIPT },
    )
  }
  await page.route('https://js.stripe.com/**', script)
  await page.route('https://hooks.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: CHALLENGE }),
  )
  await page.route('https://api.stripe.com/**', async (route) => {
    const request = route.request()
    const form = new URLSearchParams(request.postData() ?? '')
    const body = respondTo(stripe, new URL(request.url()).pathname, form)
    for (const event of stripe.objects.events.splice(0)) await deliver(origin, event)
    await route.fulfill({ json: body, headers: { 'access-control-allow-origin': '*' } })
  })
  return (reachable) => {
    isReachable = reachable
  }
}
