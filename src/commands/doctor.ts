/** `mooring doctor`: probes a live broker for security holes. */
import type { Command } from 'commander'
import { ConfigError } from '../platform/config/kinds.ts'
import type { Result } from './doctor/probes/examination.ts'
import { addCommand, CommandFailure, print, say } from './command.ts'

function printResult({ verdict, title, saw, change }: Result): void {
  print(`${verdict === 'fail' ? 'FAIL' : verdict}  ${title}`)
  print(`      ${saw}`)
  if (change !== undefined) print(`      change: ${change}`)
}

function requireUrl(option: string, value: string | undefined, schemes: readonly string[]): void {
  if (value === undefined) return
  if (schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value)) return
  throw new ConfigError(`${option} must be a URL that begins with ${schemes.join(':// or ')}://`)
}

async function doctor(
  name: string,
  { url, api, ca, json }: { url?: string; api?: string; ca?: string; json?: true },
): Promise<void> {
  requireUrl('--url', url, ['mqtt', 'mqtts', 'ws', 'wss'])
  requireUrl('--api', api, ['http', 'https'])
  const { examineBroker } = await import('./doctor/examine-broker.ts')
  const { address, results } = await examineBroker({ name, url, api, ca }, (result) => {
    if (json !== true) printResult(result)
  })
  const holes = results.filter(({ verdict }) => verdict === 'fail').length
  if (json === true) print(JSON.stringify({ broker: name, url: address, holes, results }))
  if (holes > 0) {
    const text = holes === 1 ? 'one hole' : `${holes} holes`
    throw new CommandFailure(`${name} at ${address} has ${text}.`)
  }
  say(`No defect was found in ${name} at ${address}.`)
}

export function addDoctor(program: Command): void {
  addCommand(program, 'doctor', {
    summary: 'Test the security of a running broker',
    more:
      'Connects like an attacker: without a user name, with wrong secrets, to topics of other ' +
      'devices, while the hook fails, after a revocation. It needs the running service. It ' +
      'creates two workspaces with three devices, and erases them afterwards. Each finding ' +
      'describes the observation and, if it is not a pass, the setting to change.',
    examples: [
      'doctor',
      'doctor emqx-eu',
      'doctor emqx-eu --url mqtts://mqtt.example.com:8883 --json',
    ],
    failsWhen: 'a defect was found, or the broker or the service is not available',
  })
    .argument('[broker]', 'a name of the brokers file, or "embedded"', 'embedded')
    .option('--url <url>', 'where to connect (mqtt, mqtts, ws, wss); otherwise its first endpoint')
    .option(
      '--api <origin>',
      "the URL of the service's API, if it is not the configured port of this machine",
    )
    .option('--ca <file>', 'PEM file of the authority to trust, instead of those of the system')
    .option('--json', 'print only one JSON object')
    .action(doctor)
}
