/** `mooring openapi`: prints the OpenAPI document. */
import type { Command } from 'commander'
import { addCommand } from './command.ts'

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
