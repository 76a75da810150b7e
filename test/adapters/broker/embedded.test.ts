/** The embedded broker keeps the contract of all brokers, quietly. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { createEmbeddedBroker } from '../../../src/adapters/broker/embedded/broker.ts'
import { brokerContract } from './contract.ts'

const logged = new Set<string>()
const write = (_: object, message: string): void => void logged.add(message)

brokerContract('embedded', async (authority) => {
  const log = { warn: write, error: write }
  const broker = createEmbeddedBroker({ host: '127.0.0.1', ports: { tcp: 0 }, log })
  await broker.start(authority)
  return { broker, port: broker.port }
})

after(() => {
  assert.deepEqual([...logged], ['A CONNECT could not be decided.', 'A grant is malformed.'])
})
