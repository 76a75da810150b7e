/**
 * The certificate of the listeners, from its files: read at the start, and again when they change,
 * so that a renewed one is shown without a restart. A pair that does not fit is never shown.
 */
import { statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Keyring } from '../access/keyring.ts'
import { type Config, readPem } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { createServedCertificates } from '../features/domain-certificates/served-certificates.ts'
import { type SniCallback, sniCallback } from '../tls/sni.ts'

export interface Identity {
  cert: Buffer
  key: Buffer
  /** Of the day: 48 bytes that TLS session tickets are sealed with. */
  ticketKeys: Buffer
  /** Finds another certificate for who asks for the name of a domain. */
  SNICallback: SniCallback
}

export interface Certificate {
  /** Undefined without files: the listeners are plain. */
  present: () => Identity | undefined
  /**
   * Looks whether files or day have changed, and tells whoever wants to know.
   * @throws whatever is wrong with the files; what was shown before stays.
   */
  refresh: () => Promise<void>
  onRenewed: (listener: (identity: Identity) => void) => void
  /** Learns the names of domains that have certificates of their own. */
  start: () => Promise<void>
}

const DAY_MS = 86_400_000

/** Every process of the installation makes the same, so each resumes the sessions of the others. */
function ticketKeysOf(keyring: Keyring, day: number): Buffer {
  const part = (name: string): Buffer => keyring.mac('tls-tickets', name, String(day))
  return Buffer.concat([part('first'), part('second')]).subarray(0, 48)
}

export function openCertificate(
  { tlsCertFile, tlsKeyFile }: Config,
  services: Parameters<typeof createServedCertificates>[0] & { clock: Clock },
): Certificate {
  const listeners: ((identity: Identity) => void)[] = []
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    const nothing = (): Promise<void> => Promise.resolve()
    return { present: () => undefined, refresh: nothing, onRenewed: () => {}, start: nothing }
  }
  const { keyring, clock } = services
  const served = createServedCertificates(services)
  const SNICallback = sniCallback((host) => served.contextFor(host))
  const dayOf = (): number => Math.floor(clock.now() / DAY_MS)
  const stampOf = (): string =>
    [tlsCertFile, tlsKeyFile].map((file) => statSync(file).mtimeMs).join(' ')
  const read = (): Identity => {
    const cert = readPem(tlsCertFile, 'MOORING_TLS_CERT_FILE')
    const key = readPem(tlsKeyFile, 'MOORING_TLS_KEY_FILE')
    createSecureContext({ cert, key })
    return { cert, key, ticketKeys: ticketKeysOf(keyring, dayOf()), SNICallback }
  }
  let present = read()
  let stamp = stampOf()
  let day = dayOf()
  return {
    present: () => present,
    async refresh() {
      const [newStamp, newDay] = [stampOf(), dayOf()]
      if (newStamp === stamp && newDay === day) return
      present = read()
      stamp = newStamp
      day = newDay
      for (const listener of listeners) listener(present)
    },
    onRenewed: (listener) => void listeners.push(listener),
    start: () => served.start(),
  }
}
