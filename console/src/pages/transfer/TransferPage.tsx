/** Import of devices from a file, tried before it is done; and their export. */
import { type ReactNode, useState } from 'react'
import {
  type DeviceFile,
  faultOf,
  guessMapping,
  type Mapping,
  readDeviceFile,
} from '../../api/import-file.ts'
import { useRead } from '../../api/hooks.ts'
import { type ImportOptions, useImport } from '../../api/import-run.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Checkbox, FormActions, Select } from '../../kit/Field.tsx'
import { FileDrop } from '../../kit/FileDrop.tsx'
import { Columns as SideBySide, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Stepper } from '../../kit/Stepper.tsx'
import { Code, downloadText } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Columns } from './Columns.tsx'
import { Export } from './Export.tsx'
import { Results, Secrets } from './Results.tsx'
import { counted, t } from './translations.ts'

/** With the model of a template that there is, so that it can be imported. */
function sampleOf(model: string | undefined): string {
  const rows = [
    ['device_key', 'name', 'hardware_id', 'model_key', 'tags.floor'],
    ['TH2-000123', 'Kitchen', '30:AE:A4:07:0D:64', model, 'ground'],
    ['TH2-000124', 'Hall', '30:AE:A4:07:0D:65', model, 'first'],
  ]
  const shown = rows.map((row) => (model === undefined ? row.toSpliced(3, 1) : row))
  return shown.map((row) => `${row.join(',')}\n`).join('')
}

function Sample() {
  const { id } = useWorkspace()
  const { data } = useRead('listDeviceTemplates', { params: { id }, query: { limit: 1 } })
  const sample = sampleOf(data?.items[0]?.model_key)
  return (
    <>
      <Code label={t('Sample')}>{sample}</Code>
      <Small>
        {data?.items.length === 0
          ? t(
              'Only device_key or hardware_id is required. A column model_key may name a template; there is none yet.',
            )
          : t(
              'Only device_key or hardware_id is required. A column model_key may name a template.',
            )}
      </Small>
      <FormActions>
        <Button onClick={() => downloadText('devices.csv', sample)}>
          {t('Download the sample')}
        </Button>
      </FormActions>
    </>
  )
}

interface ChooseProps {
  /** How far the import is. */
  steps: ReactNode
  onFile: (file: File) => void
}

const Choose = ({ steps, onFile }: ChooseProps) => (
  <Panel title={t('Import devices')}>
    <Stack>
      {steps}
      <FileDrop
        label={t('Choose a file, or drop it here')}
        accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
        onFile={onFile}
      >
        {t(
          'A table (CSV) whose first row names its columns, or lines of JSON. Nothing is sent before you say so.',
        )}
      </FileDrop>
      <Sample />
    </Stack>
  </Panel>
)

const modes = [
  { value: 'upsert', label: t('Create new devices, and change those that exist') },
  { value: 'create', label: t('Only create; a row about another device is wrong') },
  { value: 'update', label: t('Only change; a row about no device is wrong') },
] as const

type Options = Omit<ImportOptions, 'dry_run'>

interface OptionsProps {
  options: Options
  onOptions: (options: Options) => void
}

const HowFields = ({ options, onOptions }: OptionsProps) => (
  <>
    <Select
      label={t('What it may do')}
      value={options.mode}
      options={modes}
      onValue={(mode) => onOptions({ ...options, mode })}
    />
    <Checkbox
      label={t('Create credentials')}
      hint={t('For devices of the file that have none. They are shown this once, as a file.')}
      checked={options.credentials}
      onValue={(credentials) => onOptions({ ...options, credentials })}
    />
  </>
)

const stepNames = [t('File'), t('Columns'), t('Dry run'), t('Import')]

function useChosenFile(onNew: () => void) {
  const [file, setFile] = useState<DeviceFile | null>(null)
  const [mapping, setMapping] = useState<Mapping>([])
  const [fault, setFault] = useState<string | null>(null)
  const choose = async (chosen: File): Promise<void> => {
    try {
      const read = readDeviceFile(chosen.name, await chosen.text())
      // A corrected file has the columns of the one before: they mean the same.
      const known = new Map((file?.header ?? []).map((name, at) => [name, mapping[at]]))
      setMapping(
        guessMapping(read.header).map((guess, at) => known.get(read.header[at] ?? '') ?? guess),
      )
      setFile(read)
      setFault(null)
      onNew()
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  return { file, mapping, setMapping, fault, choose, drop: () => setFile(null) }
}

function Import() {
  const { id } = useWorkspace()
  const { run, start, stop, reset } = useImport(id)
  const { file, mapping, setMapping, fault, choose, drop } = useChosenFile(reset)
  const [options, setOptions] = useState<Options>({ mode: 'upsert', credentials: false })
  const blocked = useBlocked('importDevices')
  const wrong = file === null ? undefined : faultOf(file, mapping)
  const isTried = run.isTrial && run.status === 'done'
  const isDone = !run.isTrial && run.status === 'done'
  const isRunning = run.status === 'running'
  const good = (file?.rows.length ?? 0) - run.counts.failed
  const whyNot = !isTried ? t('Try it first.') : good === 0 ? t('All rows are wrong.') : undefined
  const query = { ...options, dry_run: !isTried }
  useNextCall('importDevices', { params: { id }, query })
  const change =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      set(value)
      reset()
    }
  const at = file === null ? 0 : run.status === 'idle' ? 1 : run.isTrial ? 2 : isDone ? 4 : 3
  const invalid = fault !== null && (
    <Note tone="bad" title={t("The file can't be read")}>
      {fault}
    </Note>
  )
  const steps = <Stepper steps={stepNames} at={at} />
  return (
    <Stack>
      {file !== null && steps}
      {run.secrets.length > 0 && <Secrets secrets={run.secrets} />}
      {invalid}
      {file === null ? (
        <Choose steps={steps} onFile={(each) => void choose(each)} />
      ) : (
        <>
          <Panel
            title={`${file.name}: ${counted(file.rows.length, '{n} row', '{n} rows')}`}
            aside={<Button onClick={() => change(drop)(undefined)}>{t('Another file')}</Button>}
          >
            <Stack>
              {file.form === 'csv' && (
                <Columns file={file} mapping={mapping} onMapping={change(setMapping)} />
              )}
              <HowFields options={options} onOptions={change(setOptions)} />
              {wrong !== undefined && <Note tone="warn" title={wrong} />}
              <FormActions>
                <Button
                  kind={isTried ? 'plain' : 'primary'}
                  blocked={blocked ?? wrong}
                  busy={isRunning && run.isTrial}
                  onClick={() => void start(file, mapping, { ...options, dry_run: true })}
                >
                  {t('Try it, and write nothing')}
                </Button>
                <Button
                  kind={isTried ? 'primary' : 'plain'}
                  blocked={blocked ?? wrong ?? whyNot}
                  busy={isRunning && !run.isTrial}
                  onClick={() => void start(file, mapping, { ...options, dry_run: false })}
                >
                  {isTried ? counted(good, 'Import {n} row', 'Import {n} rows') : t('Import')}
                </Button>
                {isRunning && <Button onClick={stop}>{t('Stop')}</Button>}
              </FormActions>
            </Stack>
          </Panel>
          {run.status !== 'idle' && (
            <Results file={file} run={run} hasCredentials={options.credentials} />
          )}
          {run.wrong.length > 0 && !isRunning && (
            <FileDrop
              label={t('Choose the corrected rows, or drop them here')}
              accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onFile={(each) => void choose(each)}
            >
              {t(
                'Download the wrong rows, correct them, and bring them back: the columns keep their meaning, and the rows that are done stay as they are.',
              )}
            </FileDrop>
          )}
        </>
      )}
    </Stack>
  )
}

export default function TransferPage() {
  return (
    <Page title={t('Import and export')}>
      <SideBySide wideFirst>
        <Import />
        <Export />
      </SideBySide>
    </Page>
  )
}
