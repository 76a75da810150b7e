/** Requests to another process, whose responses come in any order, late or never. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PendingRequests } from '../../../src/platform/lib/pending-requests.ts'

test('each request gets its own response, in any order', async () => {
  const requests = new PendingRequests<string>(60_000)
  const sent: number[] = []
  const send = () => requests.send((id) => sent.push(id))
  const results = [send(), send()]
  for (const id of sent.toReversed()) requests.receive(id, `response ${id}`)
  assert.deepEqual(await Promise.all(results), ['response 1', 'response 2'])
})

test('a request without a response in time gets none, and a late one is dropped', async () => {
  const requests = new PendingRequests<string>(1)
  // The deadline does not keep the process alive.
  const alive = setTimeout(() => {}, 60_000)
  assert.equal(await requests.send(() => {}), undefined)
  clearTimeout(alive)
  requests.receive(1, 'late')
})

test('requests that wait fail when the other process is gone', async () => {
  const requests = new PendingRequests<string>(60_000)
  const results = [requests.send(() => {}), requests.send(() => {})]
  requests.rejectAll(new Error('it is gone'))
  for (const each of results) await assert.rejects(each, /it is gone/)
})
