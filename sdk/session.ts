/**
 * The session of a user or a phone: an access token that is renewed before it expires. Each refresh
 * token is valid once, so the new tokens are stored before they are used.
 */
import { createSend } from './sending.ts'
import { operations } from './schema.ts'

export interface SessionTokens {
  accessToken: string
  refreshToken: string
  /** When the access token expires, by the clock of this computer, in ms since 1970. */
  expiresAt: number
}

/** The response to `login`, `verifyMfa`, `refreshSession`, `startMoidSession` and the like. */
export interface IssuedTokens {
  access_token?: string
  refresh_token?: string
  expires_in: number
}

export interface SessionOptions {
  baseUrl: string
  /** `phone` for a session of `startMoidSession`; by default `user`. */
  kind?: 'user' | 'phone'
  tokens: SessionTokens
  /** Stores the new tokens. They are used only when it has resolved. */
  onTokens?: (tokens: SessionTokens) => void | Promise<void>
  fetch?: typeof fetch
}

/** Renewed that long before it expires, since requests take time. */
const MARGIN_MS = 30_000

/** @throws TypeError for a response without tokens, which asks for a second factor */
export function tokensOf({ access_token, refresh_token, expires_in }: IssuedTokens): SessionTokens {
  if (access_token === undefined || refresh_token === undefined) {
    throw new TypeError('there are no tokens before the second factor: call verifyMfa')
  }
  const expiresAt = Date.now() + expires_in * 1000
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt }
}

/** Whether the access token has to be renewed before the next request. */
export const isExpiring = ({ expiresAt }: SessionTokens): boolean =>
  expiresAt - Date.now() < MARGIN_MS

/**
 * The `token` of a client. Concurrent requests share one refresh.
 * @throws MooringError from the calls of the client, when the session has ended
 */
export function keepSession(options: SessionOptions): () => Promise<string> {
  const { baseUrl, kind = 'user', onTokens } = options
  const send = createSend({ baseUrl, ...(options.fetch && { fetch: options.fetch }) })
  const operation = kind === 'user' ? operations.refreshSession : operations.refreshMoidSession
  let { tokens } = options
  let renewal: Promise<void> | undefined

  async function renew(): Promise<void> {
    const body = { refresh_token: tokens.refreshToken }
    const issued = (await send(operation, { body }, (response) => response.json())) as IssuedTokens
    const renewed = tokensOf(issued)
    await onTokens?.(renewed)
    tokens = renewed
  }

  return async () => {
    if (isExpiring(tokens)) {
      renewal ??= renew().finally(() => (renewal = undefined))
      await renewal
    }
    return tokens.accessToken
  }
}
