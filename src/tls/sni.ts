/** Shows a TLS client the certificate of the name that it asks for (RFC 6066 section 3). */
import type { SecureContext, TlsOptions } from 'node:tls'

export type SniCallback = NonNullable<TlsOptions['SNICallback']>

/** @param contextFor undefined: the usual certificate. It never fails. */
export const sniCallback =
  (
    contextFor: (host: string) => SecureContext | undefined | Promise<SecureContext | undefined>,
  ): SniCallback =>
  (host, done) => {
    const found = contextFor(host)
    if (found instanceof Promise) void found.then((context) => done(null, context))
    else done(null, found)
  }
