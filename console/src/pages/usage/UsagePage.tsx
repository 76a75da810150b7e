/** What the workspace uses: by hour, day or month, and by template. */
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
import { type MeterWords, meters } from './meter-words.ts'

const SLOW_MS = 60_000

const steps = { hour: 'A day by the hour', day: 'A month by the day', month: 'A year by the month' }

type Step = keyof typeof steps

const forms: Readonly<Record<Step, Intl.DateTimeFormatOptions>> = {
  hour: { hour: '2-digit', minute: '2-digit', weekday: 'short', timeZone: 'UTC' },
  day: { day: 'numeric', month: 'short', timeZone: 'UTC' },
  month: { month: 'short', year: 'numeric', timeZone: 'UTC' },
}

const periodText = (step: Step, at: string): string =>
  new Intl.DateTimeFormat('en', forms[step]).format(Date.parse(at))

interface ChartProps {
  words: MeterWords
  periods: readonly UsagePeriod[]
  step: Step
  plan: Plan | null | undefined
}

/** Limits are of a month, but for devices, whose limit holds at any time. */
function limitOf({ words, step, plan }: Omit<ChartProps, 'periods'>): number | undefined {
  const limit = plan?.limits[words.limit]
  return words.isPeak || step === 'month' ? limit : undefined
}

function Chart({ words, periods, step, plan }: ChartProps) {
  const { meter, label, text, isPeak, limit: ofPlan } = words
  const values = periods.map((each) => each[meter])
  const whole = isPeak ? Math.max(0, ...values) : values.reduce((sum, each) => sum + each, 0)
  const limit = plan?.limits[ofPlan]
  const [first, last] = [periods[0], periods.at(-1)]
  return (
    <Panel title={label} aside={`${isPeak ? 'at most' : 'in all'} ${text(whole)}`}>
      <Stack tight>
        <Bars
          label={`${label}, ${steps[step].toLowerCase()}: ${isPeak ? 'at most' : 'in all'} ${text(whole)}`}
          bars={periods.map((each) => ({
            key: each.starts_at,
            value: each[meter],
            title: `${periodText(step, each.starts_at)}: ${text(each[meter])}`,
            isOpen: !each.is_closed,
          }))}
          limit={limitOf({ words, step, plan })}
          first={first === undefined ? '' : periodText(step, first.starts_at)}
          last={last === undefined ? '' : periodText(step, last.starts_at)}
        />
        <Small>
          {limit === undefined
            ? 'Without a limit.'
            : `Limit of the plan: ${text(limit)}${isPeak ? '' : ' a month'}.`}
        </Small>
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
    name: 'From (UTC)',
    cell: ({ starts_at, is_closed }) => (
      <>
        {periodText(step, starts_at)} {!is_closed && <Small>so far</Small>}
      </>
    ),
  },
  ...figures,
]

const byTemplate: readonly Column<UsagePeriod>[] = [
  {
    name: 'Template',
    wraps: true,
    cell: ({ template_id }) =>
      template_id === null ? <Muted>no template</Muted> : <Who id={template_id} />,
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
    <Panel title="This month, by template" flush>
      <Table
        label="This month, by template"
        columns={byTemplate}
        list={listOf(read)}
        keyOf={({ template_id }) => template_id ?? ''}
        empty={<Empty title="Nothing yet">What devices of a template use appears here.</Empty>}
      />
    </Panel>
  )
}

function Export({ step }: { step: Step }) {
  const { id, slug } = useWorkspace()
  const query = { granularity: step, format: 'csv' as const }
  const get = useMutation<Blob, Problem>({
    mutationFn: () => readFile('exportUsage', { params: { id }, query }, 'text/csv'),
    onSuccess: (file) => download(`${slug}-usage.csv`, file),
  })
  return (
    <>
      {get.error !== null && <ProblemNote problem={get.error} />}
      <Button icon={<Download size={15} />} busy={get.isPending} onClick={() => get.mutate()}>
        Export
      </Button>
    </>
  )
}

function Usage({ step }: { step: Step }) {
  const { id } = useWorkspace()
  const query = { granularity: step, limit: 100 }
  const usage = useRead('readUsage', { params: { id }, query }, { refetchInterval: SLOW_MS })
  const { data } = useRead('getSubscription', { params: { id } })
  if (usage.data === undefined) return <Pending query={usage} />
  // Whatever the order of the list is, time goes to the right.
  const periods = usage.data.items.toSorted((one, other) =>
    one.starts_at < other.starts_at ? -1 : 1,
  )
  return (
    <Stack>
      {[meters.slice(0, 2), meters.slice(2)].map((pair) => (
        <Columns key={pair[0]?.meter}>
          {pair.map((words) => (
            <Chart
              key={words.meter}
              words={words}
              periods={periods}
              step={step}
              plan={data?.plan}
            />
          ))}
        </Columns>
      ))}
      <Panel title="Figures" flush>
        <Table
          label="Figures"
          columns={columnsOf(step)}
          list={listOf({ ...usage, data: { items: periods.toReversed() } })}
          keyOf={({ starts_at }) => starts_at}
          empty={<Empty title="Nothing yet">Use is counted from the first hour on.</Empty>}
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
  if (blocked !== undefined) return <ForbiddenPage title="Usage" why={blocked} />
  return (
    <Page title="Usage" actions={<Export step={step} />}>
      <Tabs
        label="Periods"
        tabs={Object.entries(steps).map(([name, label]) => ({
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
