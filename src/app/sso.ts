/** The identity providers of the file that `MOORING_SSO_FILE` names; it is read at the start. */
import Type from 'typebox'
import type { IdentityProvider, ProviderEntry } from '../adapters/oidc/port.ts'
import { bodyCheck } from '../platform/http/validation.ts'
import { canonicalEmail } from '../platform/access/email.ts'
import type { Log } from '../platform/log.ts'
import { readJsonFile, refusalOf, repeated, warnOfReaders } from './json-file.ts'
import { createIdentityProvider } from '../adapters/oidc/provider.ts'

const NAME = 'MOORING_SSO_FILE'
const HELP = 'Its format: docs/people.md#single-sign-on.'
const MAX_PROVIDERS = 20

const Text = Type.String({ minLength: 1, maxLength: 500 })
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: '^[a-z0-9.-]+$' })

const SsoFile = Type.Object({
  providers: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }),
      label: Type.String({ minLength: 1, maxLength: 40 }),
      issuer: Text,
      client_id: Text,
      client_secret: Type.Optional(Text),
      client_auth: Type.Optional(Type.Enum(['client_secret_basic', 'client_secret_post'])),
      domains: Type.Optional(Type.Array(Domain, { minItems: 1, maxItems: 100 })),
      is_authoritative: Type.Optional(Type.Boolean()),
      joins: Type.Optional(
        Type.Array(
          Type.Object({
            domain: Domain,
            workspace: Type.String({ minLength: 1, maxLength: 40 }),
            role: Type.Enum(['admin', 'member', 'viewer']),
          }),
          { maxItems: 100 },
        ),
      ),
      second_factor_amr: Type.Optional(Type.Array(Text, { maxItems: 20 })),
    }),
    { maxItems: MAX_PROVIDERS },
  ),
})

const refuse: (must: string) => never = refusalOf(NAME)
const check = bodyCheck(SsoFile, 'refuse')

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Why an entry cannot be used; undefined if it can. */
function faultOf({ name, issuer, domains, is_authoritative, joins = [] }: ProviderEntry) {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isSecure = url?.protocol === 'https:'
  if (!isSecure && !(url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) {
    return `gives ${name} an issuer that is no https:// URL`
  }
  if (is_authoritative === true && domains === undefined) {
    return `calls ${name} authoritative without the domains that it decides about`
  }
  const all = [...(domains ?? []), ...joins.map(({ domain }) => domain)]
  const wrong = all.find((domain) => canonicalEmail(`a@${domain}`) !== `a@${domain}`)
  if (wrong !== undefined) return `gives ${name} the domain ${wrong}, which no address can have`
  const outside = joins.find(({ domain }) => domains !== undefined && !domains.includes(domain))
  if (outside !== undefined) return `lets ${outside.domain} join, which ${name} does not sign in`
  return undefined
}

/** @throws ConfigError naming the place, never a value that may be secret */
function readProviders(file: string): readonly ProviderEntry[] {
  return readJsonFile(
    file,
    refuse,
    (value) => {
      check(value)
      const { providers } = value as { providers: ProviderEntry[] }
      const twice = repeated(providers.map(({ name }) => name))
      if (twice !== undefined) refuse(`has the name ${twice} twice`)
      const fault = providers.map(faultOf).find((each) => each !== undefined)
      if (fault !== undefined) refuse(fault)
      return providers
    },
    HELP,
  )
}

/** @throws ConfigError */
export function openProviders(file: string | undefined, log: Log): readonly IdentityProvider[] {
  if (file === undefined) return []
  const entries = readProviders(file)
  warnOfReaders(NAME, file, log)
  return entries.map(createIdentityProvider)
}
