/** The certificate shown for a name, while changes are missed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, unnamed } from '../../../../src/platform/database/connect.ts'
import { ServedCertificates } from '../../../../src/features/domains/certificates/served-certificates.ts'
import { as } from '../../../support/app.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { addDomain } from '../../../support/domain-tls.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const PAGE = 'domain_certificates.served_page'

/** Holds back what the first reading of all certificates has found. */
function slowFirst(db: Db): { db: Db; isRead: Promise<void>; release: () => void } {
  const read = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let isFirst = true
  const query: Db['query'] = async (statement, values) => {
    const rows = await db.query<never>(statement, values)
    if (statement.name === PAGE && isFirst) {
      isFirst = false
      read.resolve()
      await held.promise
    }
    return rows
  }
  return { db: { ...db, query }, isRead: read.promise, release: held.resolve }
}

const get = useApp()

test('an outdated read removes no certificate', async () => {
  const { call, database, seed, services } = get()
  const { db, isRead, release } = slowFirst(database)
  const gaps: (() => void)[] = []
  const feed = {
    ...services.feed,
    on: () => {},
    onGap: (listener: () => void) => void gaps.push(listener),
  }
  const warn = (message: string, error: unknown) => assert.fail(`${message}: ${String(error)}`)
  const served = new ServedCertificates({ db, keyring: services.keyring, feed, warn })
  const started = served.start()
  await isRead
  const domain = await addDomain({ database, seed }, 'overtaken.example')
  const root = makeAuthority()
  const { cert, key } = root.issue(domain.name)
  const added = await call('PUT', domain.path, {
    as: as.platformKey(seed.platformKey),
    body: { certificate_pem: cert + root.cert, private_key_pem: key },
  })
  assert.equal(added.status, 200, added.text)
  // Nobody hears of it but by the gaps.
  for (let gap = 0; gap < 2; gap += 1) {
    for (const listener of gaps) listener()
    for (let turn = 0; turn < 5; turn += 1) await database.query(unnamed('SELECT pg_sleep(0.01)'))
  }
  release()
  await started
  const context = await until('it is shown', () => served.contextFor(domain.name))
  assert.equal(served.certificateFor(domain.name), context)
})
