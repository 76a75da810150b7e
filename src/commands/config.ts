/** `mooring config`: lists every setting with its value and description. */
import type { Command } from 'commander'
import { addCommand, print } from './command.ts'

async function config(options: { markdown?: true }): Promise<void> {
  if (options.markdown) {
    const { configurationPage } = await import('./config/configuration-page.ts')
    return print(configurationPage().trimEnd())
  }
  const { ConfigError, surveyConfig } = await import('../platform/config/config.ts')
  const { variables, problems } = surveyConfig()
  for (const { name, about, fallback, isSet, displayed } of variables) {
    print(isSet ? `${name}=${displayed}` : `${name} (default: ${fallback})`)
    print(`    ${about}${isSet ? ` Without it: ${fallback}.` : ''}`)
  }
  const [first, ...others] = problems
  if (first === undefined) return
  throw new ConfigError([first, ...others.map((problem) => `mooring: ${problem}`)].join('\n'))
}

export function addConfig(program: Command): void {
  addCommand(program, 'config', {
    summary: 'List the settings with their current values',
    more: 'Settings are environment variables. Secrets are not shown.',
    examples: ['config', 'config --markdown > docs/configuration.md'],
    failsWhen: 'never; with invalid settings it lists them too and exits with 2',
  })
    .option('--markdown', 'print the page of the documentation')
    .action(config)
}
