/**
 * Signing in by an identity provider: the browser goes there, and comes back with a query that is
 * redeemed once. The query is taken out of the address at once, before the router reads it.
 */
import { useAct } from '../api/act.ts'
import { call, type Input } from '../api/client.ts'

const AFTER = 'mooring-after-sso'
const PAGE = /\/sign-in\/sso\/([a-z0-9-]+)$/

export interface SsoResponse {
  provider: string
  response: string
}

function take(): SsoResponse | undefined {
  const { pathname, search } = window.location
  const [, provider] = PAGE.exec(pathname) ?? []
  if (provider === undefined || search === '') return undefined
  window.history.replaceState(window.history.state, '', pathname)
  return { provider, response: search }
}

/** The parameters that the provider has sent back to this document; undefined if none. */
export const ssoResponse: SsoResponse | undefined = take()

/** Sends the browser to a provider. */
export function useSso(next: string | undefined) {
  const start = useAct((input: Input<'startSso'>) => call('startSso', input))
  const go = (provider: string, stay: boolean): void =>
    start.mutate(
      { body: { provider, stay } },
      {
        onSuccess: ({ url }) => {
          window.sessionStorage.setItem(AFTER, next ?? '')
          window.location.assign(url)
        },
      },
    )
  return { ...start, go }
}

/** Where the person wanted to go, when they left for the provider. */
export const afterSso = (): string | undefined => window.sessionStorage.getItem(AFTER) || undefined
