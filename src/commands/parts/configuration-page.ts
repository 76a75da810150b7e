/** Generates docs/configuration.md. */
import { surveyConfig } from '../../platform/config/config.ts'
import { inMarkdown } from './table.ts'

const code = (text: string): string => (/^[\d.]+$|^\.\//.test(text) ? `\`${text}\`` : text)

const tlsModes = inMarkdown(
  ['sslmode', 'What it gives'],
  [
    ['`disable`', 'No TLS.'],
    [
      '`prefer` (also `allow`, and when it is left out)',
      'TLS where the server offers it; nothing is verified.',
    ],
    [
      '`require`',
      'TLS or no connection; the certificate is verified only if `sslrootcert` is given.',
    ],
    [
      '`verify-ca`',
      'TLS with a certificate that `sslrootcert` vouches for, whatever its host name.',
    ],
    [
      '`verify-full`',
      'TLS with a certificate for this host that `sslrootcert` vouches for, or without it a public authority. **Use this across networks.**',
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

Settings are environment variables, read once at the start. An empty one counts as unset. A variable
that begins with \`MOORING_\` and is unknown, and a value that can not be used, stop the start with a
line that names it. \`npm run mooring -- config\` lists them with their present values.

${inMarkdown(['Variable', 'Without it', 'Meaning'], rows)}

## TLS to the database

\`DATABASE_URL\` is a connection URI as \`psql\` takes it. Its TLS options mean the same:

${tlsModes}

\`sslcert\` and \`sslkey\` name the client's certificate and key, \`sslpassword\` the key's passphrase.
Sockets (\`host=/var/run/postgresql\`) take no TLS. An option that is unknown is refused.
A password that is not in the URL is taken from \`PGPASSWORD\`, or from the file that \`PGPASSFILE\` names.

## The master key

Everything that is sealed or signed hangs on one key of 32 bytes. Without \`MOORING_MASTER_KEY\` the
first start makes it in \`master.key\` in the data folder, readable by its owner only. The database
keeps the key's fingerprint, and a service with another key does not start. **Keep a copy of the key
apart from the database's backups**: a backup without it can not be used, and whoever has both has
everything. Several services on one \`DATABASE_URL\` need the same key.
\`mooring master-key\` [replaces it](operations.md#replacing-the-master-key).

## The first owner

The first start on an empty database makes an account that owns a workspace. A password that is made
up is printed once, and written to \`first-owner.txt\` in the data folder (readable by its owner only)
before the account is made, so that no crash can lose it. It is good for 14 days, and only to choose
another one: sign in, change it, and delete the file. A password from \`MOORING_BOOTSTRAP_PASSWORD\` counts as
chosen; it needs 15 characters.
No owner is made where \`mooring accounts create\` has made an account before.
`
}
