/** How a device signs in: where, as whom, and new credentials, shown once. */
import { lazy, Suspense } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { useButtonCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Pending, ProblemNote } from '../../kit/Note.tsx'
import { say } from '../../kit/Overlay.tsx'
import { Id } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ofDevice, type SectionProps, useHasPassword } from './of-device.ts'
import { rich, t } from './words.ts'

/** Lets the factory line of the device register it again, once. */
function AllowRotation({ device }: Pick<SectionProps, 'device'>) {
  const allow = useChange('allowDeviceRotation')
  const blocked = useBlocked('allowDeviceRotation')
  const input = { params: ofDevice(device) }
  const preview = useButtonCall('allowDeviceRotation', input)
  const done = { onSuccess: () => say(t('Its line may register it again')) }
  return (
    <>
      <Button
        blocked={blocked}
        busy={allow.isPending}
        onClick={() => allow.mutate(input, done)}
        {...preview}
      >
        {t('Allow one new registration')}
      </Button>
      {allow.error !== null && <ProblemNote problem={allow.error} />}
    </>
  )
}

const ValidCredentials = lazy(() => import('./ValidCredentials.tsx'))

export const Credentials = (props: SectionProps) => (
  <Stack>
    <Access {...props} />
    <Suspense>
      <ValidCredentials device={props.device} />
    </Suspense>
  </Stack>
)

function Access({ device }: SectionProps) {
  const { id, slug } = useWorkspace()
  const endpoints = useRead('listEndpoints', { params: { id } })
  const [, change] = useSearchState<{ act: string }>()
  const hasPassword = useHasPassword(device)
  const blocked = useBlocked('resetDeviceCredentials')
  if (endpoints.data === undefined) return <Pending query={endpoints} of={t('Endpoints')} />
  const urls = endpoints.data.items.flatMap((each) => each.endpoints.map(({ url }) => url))
  return (
    <Columns>
      <Panel title={t('How it connects')}>
        <Facts
          facts={[
            ...urls.map(
              (url) =>
                [
                  t('Address'),
                  <Id key={url} full>
                    {url}
                  </Id>,
                ] as const,
            ),
            [
              t('User name'),
              <Id key="user" full>
                {device.id}
              </Id>,
            ],
            [
              t('Client id'),
              rich('its id or {key}, also with “:” and a suffix', {
                key: <Id key="key">{device.device_key}</Id>,
              }),
            ],
            [t('Topics'), <Id key="topics" full>{`${slug}/${device.device_key}/…`}</Id>],
          ]}
        />
      </Panel>
      <Panel title={t('New credentials')}>
        <Stack>
          <p>
            {t(
              'A reset ends everything that the device has and shows new credentials once. To change them without an interruption, let the device rotate: it keeps the old ones until it has used the new ones.',
            )}
          </p>
          <FormActions>
            <Button
              kind={hasPassword === false ? 'primary' : 'danger'}
              blocked={blocked}
              onClick={() => change({ act: 'reset' })}
            >
              {hasPassword === false ? t('Create credentials…') : t('Reset credentials…')}
            </Button>
            <AllowRotation device={device} />
          </FormActions>
        </Stack>
      </Panel>
    </Columns>
  )
}
