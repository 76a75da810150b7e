/**
 * The pages for which passkeys are made: those of the console, at its configured address. A passkey
 * is bound to a host name, so an address without one has none.
 */
import { isIP } from 'node:net'
import type { WebConsole } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { RelyingParty } from '../../../platform/access/webauthn.ts'

/** Shown by browsers. */
export const NAME = 'Mooring'

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/** Undefined where browsers have no passkeys: without a host name, or without HTTPS elsewhere. */
export function relyingPartyOf({ url }: Pick<WebConsole, 'url'>): RelyingParty | undefined {
  const { protocol, hostname, port, origin } = new URL(url())
  if (LOOPBACK.includes(hostname)) {
    const at = `${protocol}//localhost${port === '' ? '' : `:${port}`}`
    return { id: 'localhost', origin: at }
  }
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return isName && protocol === 'https:' ? { id: hostname, origin } : undefined
}

/** @throws Failure passkeys_unavailable */
export function requireRelyingParty(services: { webConsole: WebConsole }): RelyingParty {
  const party = relyingPartyOf(services.webConsole)
  if (party === undefined) throw new Failure('passkeys_unavailable')
  return party
}
