/** The proof of a person's identity, against a real provider of OpenID Connect. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  type Attempt,
  type IdentityProvider,
  type ProviderEntry,
} from '../../../src/adapters/oidc/port.ts'
import { createIdentityProvider } from '../../../src/adapters/oidc/provider.ts'
import { type OidcProvider, startOidcProvider } from '../../support/oidc.ts'

const REDIRECT = 'http://console.test/sign-in/sso/acme'
const word = (): string => randomBytes(32).toString('base64url')

const newAttempt = (): Attempt => ({
  state: word(),
  nonce: word(),
  verifier: word(),
  redirectUri: REDIRECT,
})

describe('an identity provider', () => {
  const closers: (() => unknown)[] = []
  let server: OidcProvider
  let entry: ProviderEntry
  let provider: IdentityProvider

  before(async () => {
    const t = { after: (close: unknown) => void closers.push(close as () => unknown) }
    server = await startOidcProvider(t, [REDIRECT])
    const { issuer, clientId: client_id, clientSecret: client_secret } = server
    server.people.set('grace', { email: 'grace@acme.test', email_verified: true, name: 'Grace' })
    entry = { name: 'acme', label: 'Acme', issuer, client_id, client_secret }
    provider = createIdentityProvider(entry)
  })
  after(async () => {
    for (const close of closers) await close()
  })

  const visit = async (attempt: Attempt, login = 'grace'): Promise<string> =>
    server.signIn(await provider.authorizationUrl(attempt, false), login)

  test('returns the identity of the user, and how it was proved', async () => {
    const attempt = newAttempt()
    const identity = await provider.redeem(attempt, await visit(attempt, 'grace+mfa'), false)
    assert.partialDeepStrictEqual(identity, {
      issuer: server.issuer,
      subject: 'grace',
      email: 'grace@acme.test',
      isEmailVerified: true,
      name: 'Grace',
      methods: ['pwd', 'mfa'],
    })
  })

  test('proves nothing twice, and nothing of another attempt', async () => {
    const attempt = newAttempt()
    const query = await visit(attempt)
    await provider.redeem(attempt, query, false)
    await assert.rejects(provider.redeem(attempt, query, false), { name: 'ProofRejected' })
    for (const member of ['state', 'nonce', 'verifier'] as const) {
      const own = newAttempt()
      const other = { ...own, [member]: word() }
      const redeemed = provider.redeem(other, await visit(own), false)
      await assert.rejects(redeemed, { name: 'ProofRejected' }, member)
    }
  })

  test('is believed by its own name alone', async () => {
    const attempt = newAttempt()
    const query = new URLSearchParams(await visit(attempt))
    query.set('iss', 'https://id.example')
    const redeemed = provider.redeem(attempt, `?${query.toString()}`, false)
    await assert.rejects(redeemed, { name: 'ProofRejected' })
  })

  test('asks the person again where the proof must be fresh', async () => {
    const asked = async (isFresh: boolean) =>
      new URL(await provider.authorizationUrl(newAttempt(), isFresh)).searchParams.get('prompt')
    assert.deepEqual([await asked(false), await asked(true)], [null, 'login'])
  })

  test('that is away is unavailable, which is no refusal', async () => {
    const attempt = newAttempt()
    const query = await visit(attempt)
    await server.stop()
    await assert.rejects(provider.redeem(attempt, query, false), { name: 'ProviderUnavailable' })
    const found = createIdentityProvider(entry).authorizationUrl(newAttempt(), false)
    await assert.rejects(found, { name: 'ProviderUnavailable' })
  })
})
