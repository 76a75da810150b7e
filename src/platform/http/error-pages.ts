/** A page for each failure code, at the URL in the `type` of its problem. */
import { catalogue, type CatalogueEntry, type FailureCode } from '../errors/errors.ts'
import { escaped } from './html.ts'
import { BASE_PATH } from './operation.ts'

/** Plain text with `code` in back ticks. */
const markCode = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const style = `
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
  h1 { font-size: 1.6rem; line-height: 1.3 }
  dt { font-weight: 600; margin-top: 1rem }
  dd { margin: 0 }
  code { font-family: ui-monospace, monospace; font-size: 0.95em }
  table { border-collapse: collapse; width: 100% }
  td, th { text-align: left; padding: 0.35rem 0.75rem 0.35rem 0; vertical-align: top }
  tr { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
  thead tr { border-top: 0 }`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}
</style>
</head>
<body>
${body}
</body>
</html>
`

export function errorPage(code: FailureCode): string {
  const { status, title, sentence, remedy }: CatalogueEntry = catalogue[code]
  return page(
    `${title} (${code})`,
    `<h1>${escaped(title)}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
<dt>What happened</dt><dd>${markCode(sentence)}</dd>
<dt>What to do</dt><dd>${markCode(remedy)}</dd>
</dl>
<p><a href="${BASE_PATH}/errors">All failures</a> · <a href="${BASE_PATH}/reference/">API reference</a></p>`,
  )
}

export function errorIndex(): string {
  const rows = Object.entries(catalogue)
    .sort(([one, { status }], [other, { status: otherStatus }]) =>
      status === otherStatus ? (one < other ? -1 : 1) : status - otherStatus,
    )
    .map(
      ([code, { status, sentence }]) =>
        `<tr><td>${status}</td><td><a href="${BASE_PATH}/errors/${code}"><code>${code}</code></a></td><td>${markCode(sentence)}</td></tr>`,
    )
  return page(
    'Failures',
    `<h1>Failures</h1>
<p>Every failure is a problem (RFC 9457). Its <code>code</code> never changes its meaning.</p>
<table>
<thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<p><a href="${BASE_PATH}/reference/">API reference</a></p>`,
  )
}
