/** Selects the TLS certificate by the requested server name (SNI, RFC 6066 section 3). */
import type { SecureContext, TlsOptions } from 'node:tls'

export type SniCallback = NonNullable<TlsOptions['SNICallback']>

/** @param contextFor undefined: the default certificate; must not throw */
export const sniCallback =
  (
    contextFor: (host: string) => SecureContext | undefined | Promise<SecureContext | undefined>,
  ): SniCallback =>
  (host, done) => {
    const found = contextFor(host)
    if (found instanceof Promise) void found.then((context) => done(null, context))
    else done(null, found)
  }
