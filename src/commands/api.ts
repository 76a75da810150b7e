/** `mooring routes` and `mooring openapi`: the operations of the API. */
import type { Command } from 'commander'
import { addCommand, print } from './command.ts'

async function routes(): Promise<void> {
  const { operations } = await import('../operations.ts')
  const { BASE_PATH, CONSOLE_BASE } = await import('../platform/http/operation.ts')
  const { inColumns } = await import('./table.ts')
  const head = ['Method', `Path below ${BASE_PATH}`, 'Access', 'Permission', 'Limit', 'Summary']
  const rows = operations.map(({ method, base, path, access, permission, bucket, summary }) => [
    method,
    base === CONSOLE_BASE ? base + path : path,
    access === 'public' ? 'public' : access.join(', '),
    permission ?? '-',
    bucket,
    summary ?? '(not in the reference)',
  ])
  print(inColumns(head, rows))
}

export function addRoutes(program: Command): void {
  addCommand(program, 'routes', {
    summary: 'List the operations of the API',
    more:
      'For each operation: the accepted credentials, the required permission in the workspace ' +
      'of its path, and its rate limit.',
    examples: ['routes', 'routes | grep provision'],
    failsWhen: 'never',
  }).action(routes)
}

async function openapi(): Promise<void> {
  const { operations, tags } = await import('../operations.ts')
  const { openapiDocument, openapiText } = await import('../platform/http/openapi.ts')
  process.stdout.write(openapiText(openapiDocument(operations, { tags })))
}

export function addOpenapi(program: Command): void {
  addCommand(program, 'openapi', {
    summary: 'Print the OpenAPI 3.1 document of the API',
    more: 'A running service returns the same at /api/v1/openapi.json.',
    examples: ['openapi > mooring.json'],
    failsWhen: 'never',
  }).action(openapi)
}
