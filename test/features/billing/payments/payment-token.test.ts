/** The token of the payment document: it pays in one workspace, and opens nothing else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CONSOLE_BASE } from '../../../../src/platform/http/operation.ts'
import { as, callUrl, sameOrigin, type TestApp } from '../../../support/app.ts'
import { type Payer, usePayers } from '../../../support/payments.ts'
import { useApp } from '../../../support/suite-app.ts'

const issue = ({ origin }: Pick<TestApp, 'origin'>, workspaceId: string, token: string) =>
  callUrl(`${origin}${CONSOLE_BASE}/workspaces/${workspaceId}/payment-tokens`, 'POST', {
    as: as.user(token),
    headers: sameOrigin,
  })

const tokenOf = async ({ app, seed }: Payer): Promise<string> => {
  const { status, body, text } = await issue(app, seed.id, seed.owner.token)
  assert.equal(status, 201, text)
  assert.equal(body.expires_in, 900)
  return body.token as string
}

describe('a payment token', () => {
  const newPayer = usePayers()

  test('pays in its workspace, on behalf of the person who requested it', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(1_250)
    await payer.addCard('good')
    const token = as.user(await tokenOf(payer))
    const cards = await payer.call('GET', '/payment-methods', { as: token })
    assert.equal(cards.body.items.length, 1)
    const paid = await payer.call('POST', `/invoices/${invoice.id}/pay`, { as: token, body: {} })
    assert.equal(paid.body.status, 'paid', paid.text)
    assert.equal(paid.body.payment.created_by, payer.seed.owner.id)
    assert.deepEqual(await payer.entriesOf(paid), ['payment.created'])
  })

  test('opens no other operation, and no other workspace', async () => {
    const payer = await newPayer()
    const token = as.user(await tokenOf(payer))
    const calls = [
      ['GET', '/devices'],
      ['GET', '/payments'],
      ['GET', '/invoices'],
      ['GET', ''],
      ['DELETE', '/payment-methods/pm_01m8x4c5v8f2tbqgh2v7r4j88k'],
    ] as const
    for (const [method, path] of calls) {
      const { status, body } = await payer.call(method, path, { as: token })
      assert.deepEqual([status, body.code], [403, 'wrong_credential_kind'], path)
    }
    const { other } = payer.seed
    const path = `/workspaces/${other.id}/balance`
    const elsewhere = await payer.app.call('GET', path, { as: token })
    assert.equal(elsewhere.body.code, 'workspace_not_found')
    const again = await issue(payer.app, payer.seed.id, await tokenOf(payer))
    assert.equal(again.body.code, 'wrong_credential_kind')
  })

  test('ends with the session', async () => {
    const payer = await newPayer()
    const token = as.user(await tokenOf(payer))
    assert.equal((await payer.call('GET', '/balance', { as: token })).status, 200)
    const { items } = (
      await payer.app.call('GET', '/auth/sessions', {
        as: as.user(payer.seed.owner.token),
      })
    ).body as { items: { id: string; current: boolean }[] }
    const current = items.find((each) => each.current)
    const ended = await payer.app.call('DELETE', `/auth/sessions/${current?.id}`, {
      as: as.user(payer.seed.owner.token),
    })
    assert.equal(ended.status, 204)
    assert.equal((await payer.call('GET', '/balance', { as: token })).status, 401)
  })
})

describe('without a payment provider', () => {
  const get = useApp()

  test('a payment token cannot be requested', async () => {
    const { seed } = get()
    const { status, body } = await issue(get(), seed.id, seed.owner.token)
    assert.deepEqual([status, body.code], [409, 'payments_by_hand'])
  })
})
