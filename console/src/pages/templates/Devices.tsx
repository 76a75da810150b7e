/** The devices of a template: how many there are, and the ways to them and to one more. */
import type { DeviceCount } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { DevicesText } from '../../kit/Counts.tsx'
import { Muted } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

const SLOW_MS = 15_000

export const filterOf = (templateId: string): string => `template_id = ${templateId}`

export function useDevices(templateId: string) {
  const { id } = useWorkspace()
  const query = { filter: filterOf(templateId) }
  return useRead('countDevices', { params: { id }, query }, { refetchInterval: SLOW_MS })
}

export function HowMany({ data, error }: Pick<ReturnType<typeof useDevices>, 'data' | 'error'>) {
  if (error !== null) return <Muted>{t('Its devices could not be counted')}</Muted>
  if (data?.value === 0) return <Muted>{t('No device has this template yet')}</Muted>
  return (
    <span>
      <DevicesText count={data} />
    </span>
  )
}

interface ToDevicesProps {
  templateId: string
  /** Undefined until they are counted. */
  count: DeviceCount | undefined
}

/** A list without devices leads no further. */
export function ToDevices({ templateId, count }: ToDevicesProps) {
  const { slug } = useWorkspace()
  const blocked = useBlocked('createDevice')
  const hasNone = count?.value === 0
  return (
    <>
      {!hasNone && (
        <LinkButton to={below(slug, 'devices')} search={{ filter: filterOf(templateId) }}>
          {t('Show in Devices')}
        </LinkButton>
      )}
      {blocked === undefined && (
        <LinkButton
          kind={hasNone ? 'primary' : 'plain'}
          to={below(slug, 'devices/new')}
          search={{ template: templateId }}
        >
          {t('Connect a device')}
        </LinkButton>
      )}
    </>
  )
}
