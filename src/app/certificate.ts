/**
 * The TLS certificate of the listeners: read at startup and reread when its files change, so that
 * renewals need no restart. A key and certificate that do not match are never used.
 */
import { statSync } from 'node:fs'
import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls'
import type { Keyring } from '../platform/access/keyring.ts'
import { type Config, readPem } from '../platform/config/config.ts'
import type { Clock } from '../platform/lib/clock.ts'
import { DAY_MS } from '../platform/lib/time.ts'
import { ServedCertificates } from '../features/domains/certificates/served-certificates.ts'

type SniCallback = NonNullable<TlsOptions['SNICallback']>

/**
 * Selects the certificate by the requested server name (SNI, RFC 6066 section 3).
 * @param contextFor undefined: the default certificate; must not throw
 */
const sniCallback =
  (
    contextFor: (host: string) => SecureContext | undefined | Promise<SecureContext | undefined>,
  ): SniCallback =>
  (host, done) => {
    const found = contextFor(host)
    if (found instanceof Promise) void found.then((context) => done(null, context))
    else done(null, found)
  }

export interface Identity {
  cert: Buffer
  key: Buffer
  /** 48 bytes that encrypt TLS session tickets, changing daily. */
  ticketKeys: Buffer
  /** Selects the certificate of a workspace's domain. */
  SNICallback: SniCallback
}

export interface Certificate {
  /** Undefined without files: the listeners are plaintext. */
  present: () => Identity | undefined
  /**
   * Checks whether the files or the keys of tickets have changed, and notifies listeners.
   * @throws if the files are invalid; the previous certificate stays in use
   */
  refresh: () => Promise<void>
  onRenewed: (listener: (identity: Identity) => void) => void
  /** Loads which domains have their own certificates. */
  start: () => Promise<void>
}

/** All processes derive the same keys, so each can resume sessions of the others. */
function ticketKeysOf(keyring: Keyring, day: number): Buffer {
  const part = (name: string): Buffer => keyring.currentMac('tls-tickets', name, String(day))
  return Buffer.concat([part('first'), part('second')]).subarray(0, 48)
}

export function openCertificate(
  { tlsCertFile, tlsKeyFile }: Config,
  services: ConstructorParameters<typeof ServedCertificates>[0] & { clock: Clock },
): Certificate {
  const listeners: ((identity: Identity) => void)[] = []
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    const nothing = (): Promise<void> => Promise.resolve()
    return { present: () => undefined, refresh: nothing, onRenewed: () => {}, start: nothing }
  }
  const { keyring, clock } = services
  const served = new ServedCertificates(services)
  const SNICallback = sniCallback((host) => served.contextFor(host))
  const dayOf = (): number => Math.floor(clock.now() / DAY_MS)
  const fingerprintOf = (): string =>
    [tlsCertFile, tlsKeyFile].map((file) => statSync(file).mtimeMs).join(' ')
  const read = (): Identity => {
    const cert = readPem(tlsCertFile, 'MOORING_TLS_CERT_FILE')
    const key = readPem(tlsKeyFile, 'MOORING_TLS_KEY_FILE')
    createSecureContext({ cert, key })
    return { cert, key, ticketKeys: ticketKeysOf(keyring, dayOf()), SNICallback }
  }
  let present = read()
  let fingerprint = fingerprintOf()
  return {
    present: () => present,
    async refresh() {
      const newFingerprint = fingerprintOf()
      const keepsKeys = present.ticketKeys.equals(ticketKeysOf(keyring, dayOf()))
      if (newFingerprint === fingerprint && keepsKeys) return
      present = read()
      fingerprint = newFingerprint
      for (const listener of listeners) listener(present)
    },
    onRenewed: (listener) => void listeners.push(listener),
    start: () => served.start(),
  }
}
