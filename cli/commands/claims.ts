/** `mooring claims`: acts as a phone, which claims devices without an account. */
import type { Command } from 'commander'
import { type Client, createClient } from '../../sdk/client.ts'
import { tokensOf } from '../../sdk/session.ts'
import { type ChosenProfile, chooseProfile, openContext, storedToken } from '../context.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { say } from '../output.ts'
import { storeProfile, withLock } from '../profiles.ts'
import { addGroup, parseCount } from '../resource.ts'

/** The phone of a profile. It gets its identity when it is first used. */
async function openPhone(chosen: ChosenProfile): Promise<Client> {
  const baseUrl = chosen.profile.url
  let tokens = chosen.profile.phone
  if (tokens === undefined) {
    const issued = tokensOf(await createClient({ baseUrl }).call('startMoidSession'))
    await withLock(async () => storeProfile(chosen.name, { url: baseUrl, phone: issued }))
    tokens = issued
  }
  return createClient({ baseUrl, token: storedToken(chosen, 'phone', tokens) })
}

async function create(options: { name?: string; expires?: number; wait?: true }, command: Command) {
  const context = openContext(command)
  const { output } = context
  const phone = await openPhone(context)
  const { claim_code, ...claim } = await phone.call('createClaim', {
    body: {
      workspace_id: await context.workspace(),
      ...(options.name !== undefined && { name: options.name }),
      ...(options.expires !== undefined && { expires_in: options.expires }),
    },
  })
  if (!options.wait) return output.one({ claim_code, ...claim })
  say(`Claim code: ${claim_code}. Waiting for a device that submits it.`)
  const params = { claim_id: claim.claim_id }
  const ended = await phone.poll('getClaim', { params }, ({ status }) => status !== 'open')
  output.one(ended)
  if (ended.status !== 'bound') throw new CommandFailure(`The claim is ${ended.status}.`)
}

export function addClaims(program: Command): void {
  const group = addGroup(program, 'claims', 'Claims: act as a phone that claims devices')
  group
    .command('create')
    .summary('Start a claim, and print its code')
    .option('--name <name>', 'of the device, for its owner')
    .option('--expires <seconds>', 'how long the code is valid', parseCount)
    .option('--wait', 'until a device has submitted the code')
    .action(create)
  group
    .command('list')
    .summary('List the claims of this phone')
    .action(async (_options: object, command: Command) => {
      const chosen = chooseProfile(command)
      const phone = await openPhone(chosen)
      await chosen.output.list(phone.pages('listClaims'), [
        'created_at',
        'name',
        'status',
        'device_id',
        'claim_id',
      ])
    })
  group
    .command('cancel <claim>')
    .summary('Cancel an open claim')
    .action(async (claim_id: string, _options: object, command: Command) => {
      const phone = await openPhone(chooseProfile(command))
      await phone.call('cancelClaim', { params: { claim_id } })
      say('The claim is cancelled.')
    })
  group
    .command('devices')
    .summary('List the devices of this phone')
    .action(async (_options: object, command: Command) => {
      const chosen = chooseProfile(command)
      const phone = await openPhone(chosen)
      const columns = ['name', 'device_key', 'connected', 'device_id']
      await chosen.output.list(phone.pages('listMoidDevices'), columns)
    })
  group
    .command('release <device-id>')
    .summary('Give a device of this phone back')
    .action(async (device_id: string, _options: object, command: Command) => {
      if (!device_id.startsWith('dev_')) {
        throw new CommandFailure('A device is named by its id here: dev_…', exitCodes.usage)
      }
      const phone = await openPhone(chooseProfile(command))
      await phone.call('releaseMoidDevice', { params: { device_id } })
      say('The device is released.')
    })
}
