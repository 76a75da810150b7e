/** Identity providers for tests: `oidc-provider` on loopback, with people that a test makes. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import Provider from 'oidc-provider'
import { defer } from './cleanup.ts'

export interface OidcPerson {
  email: string
  email_verified?: boolean
  name?: string
}

export interface OidcProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** By login, which is the subject, too. */
  people: Map<string, OidcPerson>
  /**
   * Goes from the address that starts a sign-in to the one that ends it, as a browser would.
   * @param login with `+mfa`, a second factor was checked
   * @returns the query that the browser brings back
   */
  signIn(url: string, login: string): Promise<string>
  /** From now on nothing responds there. */
  stop(): Promise<void>
}

const form = `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1>
<form method="post"><label>Login <input name="login"></label>
<button>Continue</button></form></html>`

/** Ends an interaction of the provider, with the person, the proof, and the client's claims. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const [accountId = '', factor] = (
    new URLSearchParams(await text(request)).get('login') ?? ''
  ).split('+')
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope('openid email profile')
  const amr = factor === undefined ? ['pwd'] : ['pwd', factor]
  const result = { login: { accountId, amr }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}

function follow(redirectUris: readonly string[]) {
  return async (start: string, login: string): Promise<string> => {
    const cookies = new Map<string, string>()
    let url = start
    let body: string | undefined
    for (let step = 0; step < 10; step += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { cookie, ...(body !== undefined && type) },
        ...(body !== undefined && { body }),
        redirect: 'manual',
      })
      body = undefined
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) {
        if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
        body = new URLSearchParams({ login }).toString()
        continue
      }
      url = new URL(location, url).href
      if (redirectUris.some((each) => url.startsWith(`${each}?`))) return new URL(url).search
    }
    throw new Error('the provider never sends the browser back')
  }
}

export async function startOidcProvider(
  t: Pick<TestContext, 'after'>,
  redirectUris: readonly string[],
): Promise<OidcProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, OidcPerson>()
  const clientId = 'mooring'
  const clientSecret = randomBytes(24).toString('hex')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }
  const provider = new Provider(issuer, {
    clients: [
      { client_id: clientId, client_secret: clientSecret, redirect_uris: [...redirectUris] },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
  })
  const serve = provider.callback()
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      void serve(request, response)
    } else if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html').end(form)
    } else {
      finish(provider, request, response).catch((error: unknown) => {
        response.statusCode = 500
        response.end(String(error))
      })
    }
  }
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    }))
  defer(t, stop)
  return { issuer, clientId, clientSecret, people, signIn: follow(redirectUris), stop }
}
