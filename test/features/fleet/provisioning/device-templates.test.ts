/** Requests of firmware and factory tools that this version does not know. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, startApp } from '../../../support/app.ts'

test('unknown names in the query are ignored, known ones are read', async (t) => {
  const app = await startApp(t)
  const get = (query: string) =>
    app.call('GET', `/provision/device-templates${query}`, {
      as: as.factory(app.seed.provisionKey),
    })
  const plain = await get('')
  const more = await get('?limit=1&station=7&station=8')
  assert.deepEqual([more.status, more.body], [200, plain.body])
  const bad = await get('?limit=x&station=7')
  assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/query/limit'])
})
