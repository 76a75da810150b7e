/** How many devices were connected at once, over a day or in detail; nothing if none was. */
import { useRead } from '../../api/hooks.ts'
import { Bars } from '../../kit/Bars.tsx'
import { Select } from '../../kit/Field.tsx'
import { Panel, Row, Small } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { locale } from '../../i18n/language.ts'
import { t } from './translations.ts'

/** The service counts each half minute. */
const COUNTED_MS = 30_000

const spans = {
  day: {
    query: { hours: 24, step: 'hour' },
    label: (max: string) => t('Connected devices by the hour: at most {max}', { max }),
    last: t('This hour so far'),
  },
  detail: {
    query: { hours: 3, step: 'five_minutes' },
    label: (max: string) => t('Connected devices every five minutes: at most {max}', { max }),
    last: t('Now'),
  },
} as const

const choices = [
  { value: 'day', label: t('{hours} hours', { hours: spans.day.query.hours }) },
  { value: 'detail', label: t('{hours} hours', { hours: spans.detail.query.hours }) },
] as const

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })

interface SeriesProps {
  /** How many are connected now: more than were counted last, maybe. */
  connected?: number
}

export function ConnectionSeries({ connected = 0 }: SeriesProps) {
  const { id } = useWorkspace()
  const [state, change] = useSearchState<{ span: string }>()
  const span = state.span === 'detail' ? 'detail' : 'day'
  const { query, label, last } = spans[span]
  const input = { params: { id }, query }
  const series = useRead('readConnectionSeries', input, {
    refetchInterval: COUNTED_MS,
    keepsPrevious: true,
  })
  if (series.error !== null) {
    return (
      <Panel title={t('Connected devices')} flush>
        <Pending query={series} of={t('Connected devices')} />
      </Panel>
    )
  }
  if (series.data === undefined) return null
  const present = series.data.items.length - 1
  const items = series.data.items.map((each, at) =>
    at === present
      ? { ...each, connected_devices: Math.max(each.connected_devices, connected) }
      : each,
  )
  const highest = Math.max(0, ...items.map((each) => each.connected_devices))
  // The page says already that nobody is connected.
  if (highest === 0 && span === 'day') return null
  const max = numberText(highest)
  const { hours } = query
  return (
    <Panel
      title={t('Connected devices')}
      aside={
        <Row>
          <Small>{t('Most at once: {max}', { max })}</Small>
          <Select
            label={t('Time shown')}
            hidesLabel
            value={span}
            options={choices}
            onValue={(next) => change({ span: next === 'day' ? undefined : next })}
          />
        </Row>
      }
    >
      <Bars
        label={label(max)}
        top={max}
        bars={items.map(({ starts_at, connected_devices }, at) => ({
          key: starts_at,
          value: connected_devices,
          title: t('{time}: at most {max}', {
            time: clock.format(Date.parse(starts_at)),
            max: numberText(connected_devices),
          }),
          isOpen: at === present,
        }))}
        first={t('{hours} hours ago', { hours })}
        last={last}
      />
    </Panel>
  )
}
