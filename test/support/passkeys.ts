/** People with passkeys, and what they call with them. */
import assert from 'node:assert/strict'
import { as, type CallResult, type TestApp } from './app.ts'
import { sql } from './audit-chain.ts'
import {
  authenticator,
  type CreationOptions,
  type Faults,
  type Passkey,
  type RequestOptions,
} from './authenticator.ts'
import { type Browser, browser } from './console.ts'
import { type Person, person, signIn } from './sign-in.ts'

export interface AddedPasskey extends Passkey {
  publicId: string
}

export interface PasskeyOwner {
  someone: Person
  /** The token of a session that the password has opened. */
  token: string
  passkey: AddedPasskey
}

export function assertRefused(result: CallResult, status: number, code: string): void {
  assert.equal(result.body?.code, code, result.text)
  assert.equal(result.status, status, result.text)
}

/** The service without a configured origin: its console has passkeys at `localhost`. */
export const originOf = ({ origin }: Pick<TestApp, 'origin'>): string =>
  origin.replace('127.0.0.1', 'localhost')

export function passkeysOf(get: () => TestApp) {
  const consoleCall = (
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<CallResult> =>
    browser(get()).call(method, path, {
      as: as.user(token),
      ...(method !== 'GET' && { body: body ?? {} }),
    })

  const device = () => authenticator(originOf(get()))

  async function creationOptions(token: string): Promise<CreationOptions> {
    const { status, body, text } = await consoleCall('POST', '/auth/passkeys/options', token)
    assert.equal(status, 200, text)
    return body as CreationOptions
  }

  const add = (token: string, body: object, name = 'Laptop'): Promise<CallResult> =>
    consoleCall('POST', '/auth/passkeys', token, { name, ...body })

  /** Adds a passkey. */
  async function withPasskey(token: string): Promise<AddedPasskey> {
    const { passkey, body } = device().create(await creationOptions(token))
    const added = await add(token, body)
    assert.equal(added.status, 201, added.text)
    return { ...passkey, publicId: added.body.id as string }
  }

  /** Somebody with a passkey, signed in with the password. */
  async function passkeyOwner(): Promise<PasskeyOwner> {
    const someone = await person(get())
    const { access_token: token } = await signIn(get(), someone)
    return { someone, token, passkey: await withPasskey(token) }
  }

  async function signInOptions(page: Browser): Promise<RequestOptions> {
    const { status, body, text } = await page.call('POST', '/session/passkey/options', { body: {} })
    assert.equal(status, 200, text)
    return body as RequestOptions
  }

  async function open(
    passkey: Passkey,
    faults: Faults = {},
    page = browser(get()),
  ): Promise<CallResult> {
    const body = device().get(passkey, await signInOptions(page), faults)
    return page.call('POST', '/session/passkey', { body })
  }

  /** Signed in with a passkey. */
  async function opened(passkey: Passkey): Promise<string> {
    const { status, body, text } = await open(passkey)
    assert.equal(status, 200, text)
    return body.access_token as string
  }

  const list = async (token: string): Promise<{ id: string; last_used_at: string | null }[]> =>
    (await consoleCall('GET', '/auth/passkeys', token)).body.items

  const entries = (userId: string, like: string) =>
    sql(
      get().database,
      `SELECT action, detail FROM audit_log WHERE resource_id = $1 AND action LIKE $2 ORDER BY id`,
      [userId, like],
    )

  return {
    consoleCall,
    device,
    creationOptions,
    add,
    withPasskey,
    passkeyOwner,
    signInOptions,
    open,
    opened,
    list,
    entries,
  }
}
