/** Generates docs/configuration.md. */
import { surveyConfig } from '../../platform/config/config.ts'
import { inMarkdown } from '../table.ts'

const code = (text: string): string => (/^[\d.]+$|^\.\//.test(text) ? `\`${text}\`` : text)

const tlsModes = inMarkdown(
  ['sslmode', 'Meaning'],
  [
    ['`disable`', 'No TLS.'],
    [
      '`prefer` (also `allow`, and when it is left out)',
      'TLS if the server offers it; nothing is verified.',
    ],
    [
      '`require`',
      'TLS or no connection; the certificate is verified only if `sslrootcert` is given.',
    ],
    [
      '`verify-ca`',
      'TLS with a certificate issued by an authority in `sslrootcert`, with any host name.',
    ],
    [
      '`verify-full`',
      'TLS with a certificate for this host, issued by an authority in `sslrootcert` or, without it, by a public authority. **Use this across networks.**',
    ],
  ],
)

export function configurationPage(): string {
  const rows = surveyConfig({}).variables.map(({ name, fallback, about }) => [
    `\`${name}\``,
    code(fallback),
    about,
  ])
  return `# Configuration

Settings are environment variables, read once at the start. An empty variable counts as unset. An
unknown variable that begins with \`MOORING_\`, and an invalid value, stop the start with a message
that names it. \`npm run mooring -- config\` lists them with their current values.

${inMarkdown(['Variable', 'Default', 'Meaning'], rows)}

## TLS to the database

\`DATABASE_URL\` is a connection URI as for \`psql\`. Its TLS options have the same meaning:

${tlsModes}

\`sslcert\` and \`sslkey\` name the client's certificate and key, \`sslpassword\` the key's passphrase.
Unix sockets (\`host=/var/run/postgresql\`) do not use TLS. Unknown options are refused.
A password that is not in the URL is read from \`PGPASSWORD\`, or from the file in \`PGPASSFILE\`.

## A primary and its standbys

\`DATABASE_URL\` may name several hosts, as libpq does:
\`postgres://mooring:secret@db-1.example.com,db-2.example.com:5433/mooring?sslmode=verify-full&target_session_attrs=read-write\`.
Each connection is to the host that takes writes, so the service follows a failover without a restart.
Settings that the servers need, so that nothing acknowledged is lost: [scale.md](scale.md).

## The master key

One key of 32 bytes encrypts and signs everything. Without \`MOORING_MASTER_KEY\` the first start
generates it in \`master.key\` in the data folder, readable by its owner only. The database stores the
key's fingerprint, and a service with another key does not start. **Keep a copy of the key separate
from the backups of the database**: a backup without the key cannot be used, and anyone who has both
can read everything. Several services on one \`DATABASE_URL\` need the same key.
\`mooring master-key\` [replaces it](operations.md#replacing-the-master-key).

## The first owner

The first start on an empty database creates an account that owns a workspace. A generated password
is printed once, and written to \`first-owner.txt\` in the data folder (readable by its owner only)
before the account is created, so that no crash can lose it. It is valid for 14 days, and only for
choosing another one: sign in, change it, and delete the file. A password from
\`MOORING_BOOTSTRAP_PASSWORD\` counts as chosen; it needs 15 characters.
No owner is created if \`mooring accounts create\` has created an account before.
`
}
