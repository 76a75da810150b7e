/**
 * A factory: registers devices over HTTPS and prints what must be stored on each of them. Sending a
 * hardware id again is safe: it returns the same device, never a second one.
 */
import { fail, openClient, readOptions, url } from './api.ts'

const help = `Usage: npx node examples/factory.ts --key service_pk_… [options]

Registers devices and prints the credentials of each as one line of JSON.

  --key <key>            provision key (or PROVISION_KEY)
  --url <origin>         of the service (or API_URL; http://127.0.0.1:8080)
  --template <model>     model key of the template; the first one if left out
  --hardware-id <id>     what the hardware is known by; made up if left out
  --count <number>       how many devices; 1 if left out

Example: npx node examples/factory.ts --key service_pk_… > device.json`

const values = readOptions(help, {
  key: { type: 'string', default: process.env['PROVISION_KEY'] },
  url,
  template: { type: 'string' },
  'hardware-id': { type: 'string' },
  count: { type: 'string', default: '1' },
})

async function main(provisionKey: string): Promise<void> {
  const client = openClient(values.url, { provisionKey })
  const { items } = await client.call('listProvisionTemplates', { query: { limit: 200 } })
  const template = items.find(
    ({ model_key: model }) => values.template === undefined || model === values.template,
  )
  if (template === undefined) throw new Error('this key sees no such device template')
  for (let index = 0; index < Number(values.count); index += 1) {
    const hardwareId = values['hardware-id'] ?? `example-${crypto.randomUUID()}`
    const hardware_id = Number(values.count) > 1 ? `${hardwareId}-${index}` : hardwareId
    const body = { template_id: template.id, hardware_id }
    const device = await client.call('provisionDevice', { body })
    console.error(`registered ${device.device_key} (${template.name})`)
    console.log(JSON.stringify(device))
  }
}

if (values.key === undefined) fail(new Error(help))
else await main(values.key).catch(fail)
