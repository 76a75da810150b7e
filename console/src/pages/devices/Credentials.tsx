/** How a device signs in: where, as whom, and new credentials, shown once. */
import { lazy, Suspense, useState } from 'react'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { accessFacts } from '../../kit/access-facts.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { exactTime, Id } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ofDevice, type SectionProps, useHasPassword } from './of-device.ts'
import { t } from './translations.ts'

interface AllowProps extends Pick<SectionProps, 'device'> {
  allow: ReturnType<typeof useChange<'allowDeviceRotation'>>
  onClose: () => void
}

function Allow({ device, allow, onClose }: AllowProps) {
  const input = { params: ofDevice(device) }
  useNextCall('allowDeviceRotation', input)
  return (
    <ConfirmDialog
      title={t('Let {key} register once more?', { key: device.device_key })}
      act={t('Allow for 24 hours')}
      kind="primary"
      blocked={
        device.claimed_at === null
          ? t('No phone has claimed it: for its key this changes nothing.')
          : undefined
      }
      busy={allow.isPending}
      problem={allow.error}
      onConfirm={() => allow.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t(
        'For a claimed device that has lost its credentials: for 24 hours, a key that gives new ones “unless it is claimed” gives them to this one, too. For other keys this changes nothing. The present ones work until the device has used those.',
      )}
    </ConfirmDialog>
  )
}

/** Lets the factory line of the device register it again, once. */
function AllowRotation({ device }: Pick<SectionProps, 'device'>) {
  const [isOpen, setOpen] = useState(false)
  const allow = useChange('allowDeviceRotation')
  const blocked = useBlocked('allowDeviceRotation')
  return (
    <>
      <Button blocked={blocked} onClick={() => setOpen(true)}>
        {t('Let it register once more…')}
      </Button>
      {allow.data !== undefined && (
        <Small>{t('Allowed until {time}', { time: exactTime(allow.data.allowed_until) })}</Small>
      )}
      {isOpen && <Allow device={device} allow={allow} onClose={() => setOpen(false)} />}
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
            ...accessFacts(urls, device.id),
            [
              t('Client id'),
              <>
                <Id full>{device.device_key}</Id>{' '}
                <Small>
                  {t('Or its id.')}{' '}
                  {t('For a second connection at the same time append “:2”, for a third “:3”.')}
                </Small>
              </>,
            ],
            [t('Topics'), <Id key="topics" full>{`${slug}/${device.device_key}/…`}</Id>],
          ]}
        />
      </Panel>
      <Panel title={t('New credentials')}>
        <Stack>
          <p>
            {t(
              'A reset ends its password and its token now, and shows new ones once. To change them without an interruption, let the device rotate: it keeps the old ones until it has used the new ones.',
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
