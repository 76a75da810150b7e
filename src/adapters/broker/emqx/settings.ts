/** Settings that only an EMQX has in the brokers file. */
import Type, { type Static, type TObject } from 'typebox'
import type { BrokerEntry } from '../broker-entry.ts'

const Emqx = Type.Object(
  {
    /**
     * EMQX 6.0 and later: gives sessions client ids that cannot collide with another workspace's.
     */
    client_id_override: Type.Optional(Type.Boolean()),
    /**
     * `at_connect` (default): the response to a CONNECT contains all rules. `on_demand`: EMQX asks
     * for each topic through the `authz` hook, and must be configured to deny if the hook does
     * not respond.
     */
    rules: Type.Optional(Type.Enum(['at_connect', 'on_demand'])),
  },
  { additionalProperties: false },
)

export const emqxSettings = { emqx: Type.Optional(Emqx) }

export type EmqxEntry = BrokerEntry & Static<TObject<typeof emqxSettings>>
