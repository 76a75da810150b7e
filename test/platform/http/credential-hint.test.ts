/** A credential in the wrong place is refused with words that say where its kind belongs. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issueSecret, PLATFORM_KEY_PREFIX } from '../../../src/platform/lib/secrets.ts'
import type { Headers } from '../../support/app.ts'
import { useApp } from '../../support/suite-app.ts'

describe('a rejected credential', () => {
  const app = useApp()
  const detailOf = async (path: string, headers: Headers): Promise<string> => {
    const response = await app().call('GET', path, { headers })
    assert.equal(response.status, 401, response.text)
    assert.equal(response.body.code, 'credential_rejected')
    return response.body.detail
  }

  test('in a foreign header gets the name of its own one', async () => {
    const { provisionKey } = app().seed
    const received = await detailOf('/provision/device-templates', {
      authorization: `Bearer ${provisionKey}`,
    })
    assert.match(received, /provision API key is sent as `service-auth-code: …`/)
  })

  test('after the word Bearer where none belongs gets a hint', async () => {
    const { provisionKey } = app().seed
    const received = await detailOf('/provision/device-templates', {
      'service-auth-code': `Bearer ${provisionKey}`,
    })
    assert.match(received, /sent as `service-auth-code: …`/)
  })

  test('without a scheme gets the format of Authorization', async () => {
    const received = await detailOf('/workspaces', { authorization: app().seed.platformKey })
    assert.match(received, /the word Bearer/)
  })

  test('learns nothing of its validity: an invented one gets the same response', async () => {
    const { platformKey } = app().seed
    const made = issueSecret(PLATFORM_KEY_PREFIX)
    const ask = (key: string) => detailOf('/devices/auth/me', { 'service-auth-code': key })
    assert.equal(await ask(made), await ask(`${platformKey}x`))
  })
})
