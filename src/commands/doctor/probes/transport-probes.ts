/** Probes of the transport: verifiable TLS, and no plaintext port alongside it. */
import { isIP } from 'node:net'
import { connect as connectTls, type PeerCertificate, type SecureVersion } from 'node:tls'
import { describeSystemError } from '../../../platform/lib/system-errors.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import {
  fail,
  type Finding,
  pass,
  type ExaminedBroker,
  type Probe,
  skip,
  Unreachable,
  warn,
} from './examination.ts'

const HANDSHAKE_MS = 5_000
const SOON_DAYS = 14

interface Handshake {
  /** Why the certificate fails verification; undefined if it passes. */
  distrust: string | undefined
  certificate: PeerCertificate
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'wss:' ? 443 : 8883))

const shake = (
  { url, ca }: Pick<ExaminedBroker, 'url' | 'ca'>,
  maxVersion?: SecureVersion,
): Promise<Handshake> =>
  new Promise((resolve, reject) => {
    const host = url.hostname.replaceAll(/[[\]]/g, '')
    const socket = connectTls({
      host,
      port: portOf(url),
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
      ...(ca !== undefined && { ca }),
      ...(maxVersion !== undefined && {
        maxVersion,
        minVersion: 'TLSv1',
        ciphers: 'ALL@SECLEVEL=0',
      }),
    })
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error('no response')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const reason = socket.authorizationError as Error | string | undefined
      const distrust = socket.authorized ? undefined : String(reason)
      resolve({ distrust, certificate: socket.getPeerCertificate() })
      socket.end()
    })
  })

const isEncrypted = ({ protocol }: URL): boolean => protocol === 'mqtts:' || protocol === 'wss:'

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')

const certificate: Probe = {
  id: 'tls_certificate',
  title: 'The certificate can be verified, and does not expire soon',
  advice:
    'Give the broker a certificate for the name that devices connect to, with its whole chain.',
  topics: ['tls_certificate'],
  async run({ url, ca }): Promise<Finding> {
    if (!isEncrypted(url)) return skip('this address is not TLS')
    const shaken = await shake({ url, ca }).catch((error: unknown) => {
      throw new Unreachable(`TLS: ${describeSystemError(error)}`)
    })
    const { distrust, certificate: peer } = shaken
    if (distrust !== undefined) return fail(`verification fails: ${distrust}`)
    const days = Math.floor((Date.parse(peer.valid_to) - Date.now()) / DAY_MS)
    return days < SOON_DAYS
      ? warn(`it expires in ${days} days`)
      : pass(
          `verified by ${ca === undefined ? 'the roots of this machine' : 'the given authority'}; ${days} days left`,
        )
  },
}

const oldVersions: Probe = {
  id: 'tls_versions',
  title: 'Versions before TLS 1.2 are refused',
  advice: 'Switch TLS 1.0 and 1.1 off.',
  topics: ['tls_versions'],
  async run({ url, ca }) {
    if (!isEncrypted(url)) return skip('this address is not TLS')
    const old = await shake({ url, ca }, 'TLSv1.1').catch(() => undefined)
    return old === undefined ? pass('TLS 1.1 is refused') : fail('TLS 1.1 is accepted')
  },
}

const plain: Probe = {
  id: 'encryption',
  title: 'Secrets are not sent in the clear',
  advice: 'Use TLS for devices, and let the plain port listen only on the loopback address.',
  topics: ['encryption'],
  async run({ url }) {
    if (isEncrypted(url)) return pass(`${url.protocol}//`)
    if (isLoopback(url)) return pass('in the clear, on the loopback address only')
    return fail('passwords can be read on the network')
  },
}

export const transportProbes: readonly Probe[] = [plain, certificate, oldVersions]
