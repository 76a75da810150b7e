/** The devices of a template: how many there are, and the ways to them and to one more. */
import type { DeviceCount } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { DevicesText } from '../../kit/Counts.tsx'
import { Muted } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { t } from './words.ts'

const SLOW_MS = 15_000

const filterOf = (templateId: string): string => `template_id = ${templateId}`

export function useDevices(templateId: string) {
  const { id } = useWorkspace()
  const query = { filter: filterOf(templateId) }
  return useRead('countDevices', { params: { id }, query }, { refetchInterval: SLOW_MS })
}

/** Undefined until they are counted. */
interface Counted {
  count: DeviceCount | undefined
}

export const HowMany = ({ count }: Counted) =>
  count?.value === 0 ? (
    <Muted>{t('No device has this template yet')}</Muted>
  ) : (
    <span>
      <DevicesText count={count} />
    </span>
  )

/** A list without devices leads no further. */
export function ToDevices({ templateId, count }: Counted & { templateId: string }) {
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
