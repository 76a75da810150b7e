/** How many devices were connected at once, in each of the last hours; nothing if none was. */
import { useRead } from '../../api/hooks.ts'
import { Bars } from '../../kit/Bars.tsx'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { locale } from '../../words/language.ts'
import { t } from './words.ts'

const HOURS = 24
/** The service counts each half minute. */
const COUNTED_MS = 30_000

const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })

export function ConnectionSeries() {
  const { id } = useWorkspace()
  const input = { params: { id }, query: { hours: HOURS } }
  const series = useRead('readConnectionSeries', input, { refetchInterval: COUNTED_MS })
  if (series.error !== null) return <Pending query={series} />
  if (series.data === undefined) return null
  const { items } = series.data
  const highest = Math.max(0, ...items.map((each) => each.connected_devices))
  // The page says already that nobody is connected.
  if (highest === 0) return null
  const most = numberText(highest)
  return (
    <Panel
      title={t('Connected devices')}
      aside={<Small>{t('at most {most} at once, in {hours} hours', { most, hours: HOURS })}</Small>}
    >
      <Bars
        label={t('Connected devices by the hour: at most {most}', { most })}
        bars={items.map(({ starts_at, connected_devices }, at) => ({
          key: starts_at,
          value: connected_devices,
          title: t('{time}: at most {most}', {
            time: hour.format(Date.parse(starts_at)),
            most: numberText(connected_devices),
          }),
          isOpen: at === items.length - 1,
        }))}
        first={t('{hours} hours ago', { hours: HOURS })}
        last={t('This hour')}
      />
    </Panel>
  )
}
