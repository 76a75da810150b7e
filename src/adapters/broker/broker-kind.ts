/**
 * A kind of external broker as data. All that the service knows of one kind is in its folder;
 * `kinds.ts` lists them.
 */
import type { TSchema } from 'typebox'
import type { BrokerEntry } from './broker-entry.ts'
import type { CredentialStoreOptions, ExternalBroker } from './external-port.ts'
import type { Hook } from './hooks/hook.ts'

/** Probes of `mooring doctor`, and groups of them, that one setting of a broker may concern. */
export type AdviceTopic =
  | 'authentication'
  | 'client_id'
  | 'encryption'
  | 'good_login'
  | 'hook_failure'
  | 'revoke'
  | 'system_topics'
  | 'tls_certificate'
  | 'tls_versions'
  | 'topic_rules'

/** The setting to change if a probe finds a hole. Advice for a probe precedes its group's. */
export type Advice = Readonly<Partial<Record<AdviceTopic, string>>>

export interface BrokerKind {
  /** The value of `kind` in the brokers file. */
  name: string
  /** Settings that only an entry of this kind may hold in the brokers file. */
  settings?: Readonly<Record<string, TSchema>>
  /** The requests of the broker over HTTP. One without hooks stores passwords and rules itself. */
  hooks: readonly Hook[]
  /** How the service administers the broker; undefined if it cannot. */
  admin?: {
    /** How the URL may begin. */
    schemes: readonly ('http' | 'https' | 'mqtt' | 'mqtts')[]
    /** @returns a `CredentialStore` for brokers without hooks */
    open(options: CredentialStoreOptions, entry: BrokerEntry): ExternalBroker
  }
  /** Seconds within which a revocation must take effect. */
  boundSeconds: number
  /** Why an entry is of no use, in addition to the checks for every kind; undefined if it is. */
  unusable?(entry: BrokerEntry): string | undefined
  advice: Advice
}

/** Adds the path of an admin API to a URL that has none. */
export const withPath = (url: string, path: string): string =>
  new URL(url).pathname.length > 1 ? url : url.replace(/\/?$/, path)
