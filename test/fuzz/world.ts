/** The values of earlier responses of the service: ids, tokens, cursors and entity tags. */
import type { ReceivedResponse } from './connection.ts'
import type { Random } from './random.ts'
import type { FuzzCredential, FuzzTenant } from './service.ts'

const MAX_IDS = 64
const MAX_TEXTS = 32

/** Members of responses that stand for members of requests. */
const memberOf: Readonly<Record<string, string>> = {
  refresh_token: 'refresh_token',
  mfa_token: 'mfa_token',
  claim_code: 'claim_code',
  next_cursor: 'cursor',
  token: 'token',
  secret: 'secret',
  device_key: 'device_key',
}

const ID = /"([a-z]{2,4})_([0-7][0-9a-hjkmnp-tv-z]{25})"/g
const MEMBER = new RegExp(`"(${Object.keys(memberOf).join('|')})":"([^"]{1,2048})"`, 'g')

/** Keeps the first, which was seeded, and the latest of the others. */
function keep(list: string[], text: string, max: number): void {
  if (list.includes(text)) return
  list.push(text)
  if (list.length > max) list.splice(1, 1)
}

export class World {
  readonly tenant: FuzzTenant
  readonly etags: string[] = []
  /** Values of `Idempotency-Key` that were sent. */
  readonly keys: string[] = []

  constructor(tenant: FuzzTenant) {
    this.tenant = tenant
  }

  id(prefix: string, random: Random): string | undefined {
    const known = this.tenant.ids[prefix]
    if (known === undefined || known.length === 0) return undefined
    return random.pick(known)
  }

  text(name: string, random: Random): string | undefined {
    const known = this.tenant.texts[name]
    return known === undefined || known.length === 0 ? undefined : random.pick(known)
  }

  credentials(isFit: (credential: FuzzCredential) => boolean): FuzzCredential[] {
    return this.tenant.credentials.filter(isFit)
  }

  /** A credential has come to an end, with its session, its key, its device or its workspace. */
  remove(credential: FuzzCredential): void {
    const { credentials } = this.tenant
    const at = credentials.indexOf(credential)
    if (at >= 0) credentials.splice(at, 1)
  }

  /** Remembers the content of a response to one of the tenant's own requests. */
  learn({ headers, body }: ReceivedResponse): void {
    const { ids, texts } = this.tenant
    const etag = headers.get('etag')
    if (etag !== undefined) keep(this.etags, etag, MAX_TEXTS)
    const text = body.toString('utf8', 0, 65_536)
    for (const [, prefix = '', suffix = ''] of text.matchAll(ID)) {
      // Most callers belong to one workspace, and could do nothing in another one.
      if (prefix !== 'ws') keep((ids[prefix] ??= []), `${prefix}_${suffix}`, MAX_IDS)
    }
    for (const [, name = '', value = ''] of text.matchAll(MEMBER)) {
      keep((texts[memberOf[name] as string] ??= []), value, MAX_TEXTS)
    }
  }
}
