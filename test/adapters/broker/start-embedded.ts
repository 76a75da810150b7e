/** An embedded broker with limits of its own, stopped when its test ends. */
import type { TestContext } from 'node:test'
import { EmbeddedBroker } from '../../../src/adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../../../src/adapters/broker/embedded/limits.ts'
import { TestAuthority } from './test-authority.ts'

export interface StartedEmbedded {
  authority: TestAuthority
  broker: EmbeddedBroker
  port: number
}

export async function startEmbedded(
  t: TestContext,
  limits: Partial<EmbeddedBrokerLimits> = {},
): Promise<StartedEmbedded> {
  const authority = new TestAuthority()
  const ignore = (): void => {}
  const log = { warn: ignore, error: ignore }
  const broker = new EmbeddedBroker({
    host: '127.0.0.1',
    ports: { tcp: 0 },
    log,
    limits,
  })
  await broker.start(authority)
  t.after(() => broker.stop())
  return { authority, broker, port: broker.port }
}
