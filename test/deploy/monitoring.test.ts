/** The dashboard and the alert rules: every metric and label in them exists. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { createRequestTimes, type MetricParts, metricsOf } from '../../src/app/metrics.ts'
import { startApp } from '../support/app.ts'
import { ROOT } from '../support/sources.ts'

const PROMTOOL = '/usr/bin/promtool'
const folder = join(ROOT, 'deploy/monitoring')
const rulesFile = join(folder, 'alerts.yml')

interface Rules {
  groups: {
    rules: { alert: string; expr: string; labels: object; annotations: Record<string, string> }[]
  }[]
}
interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[]
}

const rules = (parse(readFileSync(rulesFile, 'utf8')) as Rules).groups.flatMap((each) => each.rules)
const dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as Dashboard
const charts = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, text: legendFormat })),
)

/** Prometheus adds the first two to whatever it scrapes. */
const ALWAYS = ['instance', 'job']

/** The labels of the service's own metrics by name, as they are declared. */
function declaredLabels(): Map<string, readonly string[]> {
  const requestTimes = createRequestTimes()
  // The declarations read nothing: only their values do.
  const parts = { mqtt: {}, requestTimes } as unknown as MetricParts
  const { gauges, counters } = metricsOf(parts)
  const labels = new Map<string, readonly string[]>()
  for (const [name, metric] of Object.entries({ ...gauges, ...counters })) {
    labels.set(name, 'label' in metric ? [metric.label] : 'labels' in metric ? metric.labels : [])
  }
  for (const end of ['count', 'sum', 'bucket']) {
    labels.set(`mooring_http_request_duration_seconds_${end}`, ['status', 'le'])
  }
  return labels
}

/** The names of the metrics in an expression, each with the labels that its selector names. */
function selectorsOf(expr: string): { name: string; labels: string[] }[] {
  const selectors = expr.matchAll(/\b((?:mooring|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)
  return [...selectors].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }))
}

/** Labels that the whole expression groups by or that its text shows. */
const shownLabels = (expr: string, text: string): string[] => [
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  ...[...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label),
]

test('every metric and label of the dashboard and the alerts is in the output', async (t) => {
  const labels = declaredLabels()
  const app = await startApp(t)
  const scraped = await (await fetch(`http://127.0.0.1:${app.app.ports.operator}/metrics`)).text()
  for (const [, name = ''] of scraped.matchAll(/^# TYPE (\w+)/gm)) {
    if (!labels.has(name)) labels.set(name, [])
  }
  const wrong = [
    ...charts,
    ...rules.map(({ alert, expr, annotations }) => ({
      title: alert,
      expr,
      text: Object.values(annotations).join(' '),
    })),
  ].flatMap(({ title, expr, text }) => {
    const selectors = selectorsOf(expr)
    const known = new Set([...selectors.flatMap(({ name }) => labels.get(name) ?? []), ...ALWAYS])
    return [
      ...(selectors.length === 0 ? [`${title}: no metric`] : []),
      ...selectors.flatMap(({ name, labels: used }) =>
        labels.has(name)
          ? used
              .filter((label) => !labels.get(name)?.includes(label))
              .map((label) => `${title}: ${name} has no ${label}`)
          : [`${title}: there is no ${name}`],
      ),
      ...shownLabels(expr, text)
        .filter((label) => !known.has(label))
        .map((label) => `${title}: nothing in it has ${label}`),
    ]
  })
  assert.deepEqual(wrong, [])
  assert.ok(rules.length > 10 && charts.length > 20)
  // The declared operations are those served.
  const served = new Set([...scraped.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const missing = [...labels.keys()].filter((name) => !/_(count|sum|bucket)$/.test(name))
  assert.deepEqual(
    missing.filter((name) => !served.has(name)),
    [],
  )
})

test('every metric of the service is on the dashboard or in an alert', () => {
  const used = [...charts, ...rules].flatMap(({ expr }) =>
    selectorsOf(expr).map(({ name }) => name),
  )
  const unused = [...declaredLabels().keys()].filter(
    (name) => !used.includes(name) && !name.endsWith('_sum'),
  )
  assert.deepEqual(unused, ['mooring_audit_log_entries', 'mooring_webhooks_held'])
})

test('promtool accepts the rules', { skip: !existsSync(PROMTOOL) && 'no promtool' }, () => {
  const said = execFileSync(PROMTOOL, ['check', 'rules', rulesFile], { encoding: 'utf8' })
  assert.match(said, new RegExp(`SUCCESS: ${rules.length} rules found`))
})
