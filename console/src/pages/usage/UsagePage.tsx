/** The usage of the workspace: by hour, day or month, and by template. */
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Plan, UsagePeriod } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { Bars } from '../../kit/Bars.tsx'
import { Button } from '../../kit/Button.tsx'
import { Columns, Muted, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Pending, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, listOf, Table, Tabs } from '../../kit/Table.tsx'
import { download } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { locale } from '../../i18n/language.ts'
import { type MeterLabels, meters, priceText } from './meter-labels.ts'
import { t } from './translations.ts'

const SLOW_MS = 60_000

const steps = {
  hour: { label: t('By hour'), inSentence: t('by hour') },
  day: { label: t('By day'), inSentence: t('by day') },
  month: { label: t('By month'), inSentence: t('by month') },
}

type Step = keyof typeof steps

const forms: Readonly<Record<Step, Intl.DateTimeFormatOptions>> = {
  hour: {
    hour: 'numeric',
    minute: '2-digit',
    weekday: 'short',
    timeZone: 'UTC',
    timeZoneName: 'short',
  },
  day: { day: 'numeric', month: 'short', timeZone: 'UTC' },
  month: { month: 'short', year: 'numeric', timeZone: 'UTC' },
}

const periodText = (step: Step, at: string): string =>
  new Intl.DateTimeFormat(locale, forms[step]).format(Date.parse(at))

/** Characters of a time that its period has, in UTC. */
const lengths: Readonly<Record<Step, number>> = { hour: 13, day: 10, month: 7 }

const isPresent = (step: Step, { starts_at }: UsagePeriod): boolean =>
  new Date().toISOString().startsWith(starts_at.slice(0, lengths[step]))

/** Some usage of a past period may not be counted yet. */
function openText(step: Step, period: UsagePeriod): string | undefined {
  if (period.is_closed) return undefined
  return isPresent(step, period) ? t('so far') : t('not final yet')
}

/**
 * At the end of a chart: the periods of usage are those of UTC, which the form of an hour names.
 */
function lastText(step: Step, last: UsagePeriod): string {
  const open = openText(step, last)
  const name = periodText(step, last.starts_at)
  const period = open === undefined ? name : `${name}, ${open}`
  return step === 'hour' ? period : `${period} (UTC)`
}

function titleOf(step: Step, period: UsagePeriod, value: string): string {
  const open = openText(step, period)
  const title = `${periodText(step, period.starts_at)}: ${value}`
  return open === undefined ? title : `${title} (${open})`
}

const firstText = (step: Step, { starts_at }: UsagePeriod): string => periodText(step, starts_at)

interface ChartProps {
  labels: MeterLabels
  periods: readonly UsagePeriod[]
  step: Step
  plan: Plan | null | undefined
}

/** Limits are of a month, but for devices, whose limit holds at any time. */
function limitOf({ labels, step, plan }: Omit<ChartProps, 'periods'>): number | undefined {
  const limit = plan?.limits[labels.limit]
  return labels.isPeak || step === 'month' ? limit : undefined
}

/** The limits of the plan, and the prices beyond the included quantities. */
function limitText({ labels, plan }: Pick<ChartProps, 'labels' | 'plan'>): string {
  const limit = plan?.limits[labels.limit]
  const price = plan == null ? undefined : priceText(plan, labels)
  const included = price === undefined ? '' : `${price}.`
  if (limit === undefined) return included || t('No limit.')
  return [included, limitSentence(labels, limit)].join(' ').trim()
}

function limitSentence(labels: MeterLabels, limit: number): string {
  const value = labels.text(limit)
  return labels.isPeak
    ? t('Limit of the plan: {value} devices.', { value })
    : t('Limit of the plan: {value} a month.', { value })
}

function Chart({ labels, periods, step, plan }: ChartProps) {
  const { meter, label, text, isPeak } = labels
  const values = periods.map((each) => each[meter])
  const whole = isPeak ? Math.max(0, ...values) : values.reduce((sum, each) => sum + each, 0)
  const value = text(whole)
  const named = { meter: label, step: steps[step].inSentence, value }
  const [first, last] = [periods[0], periods.at(-1)]
  const textOf = first === last ? lastText : firstText
  return (
    <Panel
      title={label}
      aside={isPeak ? t('Peak {value}', { value }) : t('Total {value}', { value })}
    >
      <Stack tight>
        {whole === 0 && labels.none !== undefined ? (
          <Muted>{labels.none}</Muted>
        ) : (
          <Bars
            label={
              isPeak
                ? t('{meter}, {step}: peak {value}', named)
                : t('{meter}, {step}: total {value}', named)
            }
            bars={periods.map((each) => ({
              key: each.starts_at,
              value: each[meter],
              title: titleOf(step, each, text(each[meter])),
              isOpen: !each.is_closed,
            }))}
            limit={limitOf({ labels, step, plan })}
            first={first === undefined ? '' : textOf(step, first)}
            last={last === undefined ? '' : lastText(step, last)}
            top={text(Math.max(...values))}
          />
        )}
        <Small>{limitText({ labels, plan })}</Small>
      </Stack>
    </Panel>
  )
}

const figures: readonly Column<UsagePeriod>[] = meters.map(({ meter, label, text }) => ({
  name: label,
  number: true,
  cell: (period: UsagePeriod) => text(period[meter]),
}))

const columnsOf = (step: Step): readonly Column<UsagePeriod>[] => [
  {
    name: t('From (UTC)'),
    cell: (period) => (
      <>
        {periodText(step, period.starts_at)} <Small>{openText(step, period)}</Small>
      </>
    ),
  },
  ...figures,
]

const byTemplate: readonly Column<UsagePeriod>[] = [
  {
    name: t('Template'),
    wraps: true,
    cell: ({ template_id }) =>
      template_id === null ? (
        <Muted>{t('Without a template (console, programs, some devices)')}</Muted>
      ) : (
        <Who id={template_id} />
      ),
  },
  ...figures,
]

/** This month, by template. */
function Templates() {
  const { id } = useWorkspace()
  const [from] = useState(() => new Date().toISOString())
  const query = { granularity: 'month' as const, by: 'template' as const, from, limit: 100 }
  const read = useRead('readUsage', { params: { id }, query })
  return (
    <Panel title={t('This month, by template')} flush>
      <Table
        label={t('This month, by template')}
        of={t('Usage by template')}
        columns={byTemplate}
        isEven
        list={listOf(read)}
        keyOf={({ template_id }) => template_id ?? ''}
        empty={
          <Empty title={t('Nothing yet')}>
            {t('What devices of a template use appears here.')}
          </Empty>
        }
      />
    </Panel>
  )
}

function useUsage(step: Step) {
  const { id } = useWorkspace()
  const query = { granularity: step, limit: 100 }
  return useRead('readUsage', { params: { id }, query }, { refetchInterval: SLOW_MS })
}

function Export({ step }: { step: Step }) {
  const { id, slug } = useWorkspace()
  const usage = useUsage(step)
  const isUnread = usage.data === undefined && usage.error !== null
  const query = { granularity: step, format: 'csv' as const }
  const get = useMutation<Blob, Problem>({
    mutationFn: () => readFile('exportUsage', { params: { id }, query }, 'text/csv'),
    onSuccess: (file) => download(`${slug}-usage.csv`, file),
  })
  return (
    <>
      {get.error !== null && <ProblemNote problem={get.error} of={t('The usage')} />}
      <Button
        icon={<Download size={15} />}
        blocked={isUnread ? t('The usage could not be read.') : undefined}
        busy={get.isPending}
        onClick={() => get.mutate()}
      >
        {t('Export')}
      </Button>
    </>
  )
}

function Usage({ step }: { step: Step }) {
  const { id } = useWorkspace()
  const usage = useUsage(step)
  const { data } = useRead('getSubscription', { params: { id } })
  if (usage.data === undefined) return <Pending query={usage} of={t('Usage')} />
  // Whatever the order of the list is, time goes to the right.
  const periods = usage.data.items.toSorted((one, other) =>
    one.starts_at < other.starts_at ? -1 : 1,
  )
  return (
    <Stack>
      {[meters.slice(0, 2), meters.slice(2)].map((pair) => (
        <Columns key={pair[0]?.meter}>
          {pair.map((labels) => (
            <Chart
              key={labels.meter}
              labels={labels}
              periods={periods}
              step={step}
              plan={data?.plan}
            />
          ))}
        </Columns>
      ))}
      <Panel title={t('Figures')} flush>
        <Table
          label={t('Figures')}
          columns={columnsOf(step)}
          isEven
          list={listOf({ ...usage, data: { items: periods.toReversed() } })}
          keyOf={({ starts_at }) => starts_at}
          empty={
            <Empty title={t('Nothing yet')}>{t('Usage is counted from the first hour on.')}</Empty>
          }
        />
      </Panel>
      <Templates />
    </Stack>
  )
}

export default function UsagePage() {
  const { slug } = useWorkspace()
  const [{ by = 'day' }] = useSearchState<{ by: string }>()
  const blocked = useBlocked('readUsage')
  const step: Step = by in steps ? (by as Step) : 'day'
  if (blocked !== undefined) return <ForbiddenPage title={t('Usage')} why={blocked} />
  return (
    <Page title={t('Usage')} actions={<Export step={step} />}>
      <Tabs
        label={t('Periods')}
        tabs={Object.entries(steps).map(([name, { label }]) => ({
          label,
          isOpen: name === step,
          link: {
            to: below(slug, 'usage'),
            search: (name === 'day' ? {} : { by: name }) as never,
          },
        }))}
      />
      <Usage key={step} step={step} />
    </Page>
  )
}
