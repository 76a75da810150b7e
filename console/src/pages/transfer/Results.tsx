/** What an import or its trial has found: how far it is, and the rows that are wrong. */
import { Download } from 'lucide-react'
import { type DeviceFile, wrongFile } from '../../api/import-file.ts'
import { doneOf, type ImportRun, type WrongRow } from '../../api/import-run.ts'
import { Button } from '../../kit/Button.tsx'
import { Cards, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Progress } from '../../kit/Progress.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { downloadText } from '../../kit/Text.tsx'
import { counted, t } from './words.ts'

interface ResultsProps {
  file: DeviceFile
  run: ImportRun
}

const SHOWN = 200

/** What is in a row, for people. */
const cellsOf = (row: readonly string[]): string => row.filter((cell) => cell !== '').join(', ')

const columns: readonly Column<WrongRow>[] = [
  { name: t('Row, without the header'), number: true, cell: ({ number }) => numberText(number) },
  { name: t('What is wrong'), wraps: true, cell: ({ message }) => message },
  { name: t('It says'), breaks: true, cell: ({ row }) => <code>{cellsOf(row)}</code> },
]

function Wrong({ file, run: { wrong } }: ResultsProps) {
  const name = file.name.replace(/(?:-wrong)?\.\w+$/, '')
  const download = (): void => downloadText(`${name}-wrong.${file.form}`, wrongFile(file, wrong))
  return (
    <Panel
      title={counted(wrong.length, '{n} wrong row', '{n} wrong rows')}
      aside={
        <Button icon={<Download size={15} />} onClick={download}>
          {t('Download them')}
        </Button>
      }
      flush
    >
      <Table
        label={t('Wrong rows')}
        columns={columns}
        list={wholeList(wrong.slice(0, SHOWN))}
        keyOf={({ number }) => String(number)}
        empty={null}
      />
    </Panel>
  )
}

/** Passwords and tokens of the devices that got some, as lines of JSON. */
export function Secrets({ secrets }: Pick<ImportRun, 'secrets'>) {
  const download = (): void => {
    const lines = secrets.map(
      ({ device_id, device_key, mqtt_credentials, device_http_token }) =>
        `${JSON.stringify({ device_id, device_key, mqtt_credentials, device_http_token })}\n`,
    )
    downloadText('device-credentials.ndjson', lines.join(''))
  }
  return (
    <Note
      tone="warn"
      title={t('Credentials of {n} devices: there is no other time to store them', {
        n: numberText(secrets.length),
      })}
      action={
        <Button kind="primary" icon={<Download size={15} />} onClick={download}>
          {t('Download credentials')}
        </Button>
      }
    >
      {t('The service keeps only hashes. They are gone once you leave this page.')}
    </Note>
  )
}

const trialHeadings = {
  running: t('Dry run: running'),
  done: t('Dry run: done'),
  stopped: t('Dry run: stopped'),
  idle: '',
}

const headings = {
  running: t('Import: running'),
  done: t('Import: done'),
  stopped: t('Import: stopped'),
  idle: '',
}

export function Results({ file, run }: ResultsProps) {
  const { counts, isTrial, status, problem } = run
  return (
    <Stack>
      <Panel title={(isTrial ? trialHeadings : headings)[status]}>
        <Stack tight>
          <div role="status">
            {t('{done} of {total} rows', {
              done: numberText(doneOf(run)),
              total: numberText(file.rows.length),
            })}
          </div>
          <Progress
            label={t('Rows')}
            total={file.rows.length}
            parts={[
              { tone: 'ok', count: doneOf(run) - counts.failed },
              { tone: 'bad', count: counts.failed },
            ]}
          />
        </Stack>
      </Panel>
      {problem !== null && <ProblemNote problem={problem} />}
      {status === 'stopped' && (
        <Note
          tone="warn"
          title={isTrial ? t('The dry run was stopped') : t('The import was stopped')}
        >
          {isTrial
            ? t('Nothing was written.')
            : t('What is done stays done. Run it again: rows that are done are unchanged then.')}
        </Note>
      )}
      <Cards>
        <Stat label={isTrial ? t('Would be created') : t('Created')} value={counts.created} />
        <Stat label={isTrial ? t('Would be updated') : t('Updated')} value={counts.updated} />
        <Stat label={t('Unchanged')} value={counts.unchanged} />
        <Stat label={t('Wrong')} value={counts.failed} />
      </Cards>
      {run.wrong.length > 0 && <Wrong file={file} run={run} />}
    </Stack>
  )
}
