/** The same call as curl, TypeScript and Python. The token is left out. */
export type Language = 'curl' | 'TypeScript' | 'Python'
export const languages: readonly Language[] = ['curl', 'TypeScript', 'Python']

export interface ShownCall {
  method: string
  /** With the prefix of the API and the query. */
  path: string
  body: unknown
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** @param header whose credential is a variable of the shell */
export function curlOf(
  { method, path, body }: ShownCall,
  origin: string,
  header = 'Authorization: Bearer $TOKEN',
): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + path)}`,
    `-H "${header}"`,
  ]
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body, null, 2))}`)
  }
  return lines.join(' \\\n  ')
}

function typeScript({ method, path, body }: ShownCall, origin: string): string {
  const type = body === undefined ? '' : `, 'Content-Type': 'application/json'`
  const lines = [
    `const response = await fetch('${origin}${path}', {`,
    `  method: '${method}',`,
    `  headers: { Authorization: \`Bearer \${token}\`${type} },`,
  ]
  if (body !== undefined) {
    const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
    lines.push(`  body: JSON.stringify(${text}),`)
  }
  return [...lines, '})', 'console.log(response.status, await response.json())'].join('\n')
}

const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** JSON as a literal of Python. */
export function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
    )
    return `{${members.join(', ')}}`
  }
  const text = JSON.stringify(value)
  return words[text] ?? text
}

function python({ method, path, body }: ShownCall, origin: string): string {
  const lines = [
    'import os, requests',
    '',
    `response = requests.request(`,
    `    "${method}", "${origin}${path}",`,
    `    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`,
  ]
  if (body !== undefined) lines.push(`    json=${pythonLiteral(body)},`)
  return [...lines, ')', 'print(response.status_code, response.json())'].join('\n')
}

const writers = {
  curl: (call: ShownCall, origin: string) => curlOf(call, origin),
  TypeScript: typeScript,
  Python: python,
}

export const snippetOf = (call: ShownCall, language: Language, origin: string): string =>
  writers[language](call, origin)
