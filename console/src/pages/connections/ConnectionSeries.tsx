/** How many devices were connected at once, in each of the last hours; nothing if none was. */
import { useRead } from '../../api/hooks.ts'
import { Bars } from '../../kit/Bars.tsx'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const HOURS = 24
/** The service counts each half minute. */
const COUNTED_MS = 30_000

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

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
  const most = `at most ${numberText(highest)}`
  return (
    <Panel
      title="Connected devices"
      aside={
        <Small>
          {most} at once, in {HOURS} hours
        </Small>
      }
    >
      <Bars
        label={`Connected devices by the hour: ${most}`}
        bars={items.map(({ starts_at, connected_devices }, at) => ({
          key: starts_at,
          value: connected_devices,
          title: `${hour.format(Date.parse(starts_at))}: at most ${numberText(connected_devices)}`,
          isOpen: at === items.length - 1,
        }))}
        first={`${HOURS} hours ago`}
        last="This hour"
      />
    </Panel>
  )
}
