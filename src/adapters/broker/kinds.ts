/** All kinds of external brokers. CONTRIBUTING.md says how to add one. */
import { brokersFileSchema } from './broker-entry.ts'
import type { BrokerKind } from './broker-kind.ts'
import { emqx } from './emqx/kind.ts'
import { mosquittoDynsec } from './mosquitto-dynsec/kind.ts'
import { mosquittoGoAuth } from './mosquitto-go-auth/kind.ts'
import { nanomq } from './nanomq/kind.ts'
import { rabbitmq } from './rabbitmq/kind.ts'
import { vernemq } from './vernemq/kind.ts'

export const brokerKinds: readonly BrokerKind[] = [
  emqx,
  rabbitmq,
  mosquittoGoAuth,
  mosquittoDynsec,
  nanomq,
  vernemq,
]

export const BrokersFileSchema = brokersFileSchema(brokerKinds)

/** The kind of an entry whose schema was checked. */
export function kindOf({ kind }: { kind: string }): BrokerKind {
  const found = brokerKinds.find(({ name }) => name === kind)
  if (found === undefined) throw new Error(`There is no kind of broker ${kind}.`)
  return found
}

/** Whether brokers of a kind keep passwords themselves, and so do not ask the service. */
export const keepsPasswords = (entry: { kind: string }): boolean => kindOf(entry).hooks.length === 0
