/** `mooring routes`: lists every operation of the API, one per line. */
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
