/** The call that a factory makes for each device, by curl. */
import { type ApiKey, operations } from '../../../../sdk/schema.ts'
import { pathOf } from '../../api/path.ts'
import { curlOf } from '../../api/snippets.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Code } from '../../kit/Text.tsx'
import { useTemplates } from './LimitFields.tsx'
import { t } from './translations.ts'

const OPERATION = 'provisionDevice'

interface FactoryCallProps {
  apiKey: Pick<ApiKey, 'actions' | 'template_ids'>
  /** While it is shown; else the shell has it as a variable. */
  secret?: string
}

const registers = ({ actions }: FactoryCallProps['apiKey']): boolean =>
  actions?.includes('register') !== false

/** The body has a template of the key. Without one, the factory chooses the keys of devices. */
function useBody(apiKey: FactoryCallProps['apiKey']) {
  const { template_ids: ids } = apiKey
  const templates = useTemplates()
  if (!registers(apiKey)) return { device_id: 'dev_…' }
  const newest = templates.data === undefined ? 'tpl_…' : templates.data.items[0]?.id
  const template_id = ids?.[0] ?? newest
  if (template_id === undefined) return { device_key: 'TH2-000123' }
  return { template_id, hardware_id: '24:6F:28:AA:00:01' }
}

export function FactoryCall({ apiKey, secret = '$PROVISION_KEY' }: FactoryCallProps) {
  const operation = operations[OPERATION]
  const call = { method: operation.method, path: pathOf(operation, {}), body: useBody(apiKey) }
  return (
    <Stack tight>
      <p>
        {registers(apiKey)
          ? t(
              'The factory makes this call for each device, with its hardware id or its key. The response has its credentials.',
            )
          : t(
              'The factory makes this call for each device, with its id. The response has new credentials.',
            )}
      </p>
      <Code label={t('The call of the factory')}>
        {curlOf(call, window.location.origin, `service-auth-code: ${secret}`)}
      </Code>
      <a href={`/api/v1/reference#operation/${OPERATION}`} target="_blank" rel="noreferrer">
        {t('This call in the API reference')}
      </a>
    </Stack>
  )
}
