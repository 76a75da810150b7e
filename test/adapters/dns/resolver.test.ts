/** Questions to a real DNS server on loopback. */
import assert from 'node:assert/strict'
import { before, after, describe, it } from 'node:test'
import { createDnsResolver, DnsFailure } from '../../../src/adapters/dns/resolver.ts'
import { type NameServer, startNameServer } from '../../support/name-server.ts'

describe('the resolver', () => {
  const closers: (() => unknown)[] = []
  let server: NameServer
  before(async () => {
    server = await startNameServer({ after: (close) => void closers.push(close as () => unknown) })
  })
  after(() => {
    for (const close of closers) close()
  })
  const resolver = (timeoutMs = 60_000) =>
    createDnsResolver({ servers: [server.address], timeoutMs, tries: 1 })

  it('joins the strings of a record, and gives all records', async () => {
    server.zones.set('many.example', { txt: [['one ', 'two'], 'three'] })
    assert.deepEqual((await resolver().txt('many.example')).sort(), ['one two', 'three'])
  })

  it('follows a CNAME', async () => {
    server.zones.set('alias.example', { cname: 'real.example' })
    server.zones.set('real.example', { txt: ['here'], a: ['192.0.2.7'] })
    assert.deepEqual(await resolver().txt('alias.example'), ['here'])
    assert.deepEqual(await resolver().addresses('alias.example'), ['192.0.2.7'])
  })

  it('returns an empty result for an unknown name and for a name without records', async () => {
    server.zones.set('empty.example', {})
    assert.deepEqual(await resolver().txt('nowhere.example'), [])
    assert.deepEqual(await resolver().txt('empty.example'), [])
    assert.deepEqual(await resolver().addresses('nowhere.example'), [])
  })

  it('reports that a failing, refusing or silent server gave no response', async () => {
    for (const [fails, reason, timeouts] of [
      ['servfail', 'servfail', 60_000],
      ['refused', 'refused', 60_000],
      ['silent', 'timeout', 100],
    ] as const) {
      server.zones.set('broken.example', { fails, txt: ['x'] })
      for (const asking of [
        resolver(timeouts).txt('broken.example'),
        resolver(timeouts).addresses('broken.example'),
      ]) {
        await assert.rejects(
          asking,
          (error) => error instanceof DnsFailure && error.reason === reason,
        )
      }
    }
  })

  it('asks a server again each time', async () => {
    server.zones.set('moving.example', { txt: ['before'] })
    const asking = resolver()
    await asking.txt('moving.example')
    server.zones.set('moving.example', { txt: ['after'] })
    assert.deepEqual(await asking.txt('moving.example'), ['after'])
  })
})
