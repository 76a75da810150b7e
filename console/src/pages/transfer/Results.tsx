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

interface ResultsProps {
  file: DeviceFile
  run: ImportRun
}

const SHOWN = 200

/** What is in a row, for people. */
const cellsOf = (row: readonly string[]): string => row.filter((cell) => cell !== '').join(', ')

const columns: readonly Column<WrongRow>[] = [
  { name: 'Row', number: true, cell: ({ number }) => numberText(number) },
  { name: 'What is wrong', wraps: true, cell: ({ message }) => message },
  { name: 'It says', breaks: true, cell: ({ row }) => <code>{cellsOf(row)}</code> },
]

function Wrong({ file, run: { wrong } }: ResultsProps) {
  const name = file.name.replace(/(?:-wrong)?\.\w+$/, '')
  const download = (): void => downloadText(`${name}-wrong.${file.form}`, wrongFile(file, wrong))
  return (
    <Panel
      title={`${numberText(wrong.length)} wrong ${wrong.length === 1 ? 'row' : 'rows'}`}
      aside={
        <Button icon={<Download size={15} />} onClick={download}>
          Download them
        </Button>
      }
      flush
    >
      <Table
        label="Wrong rows"
        columns={columns}
        list={wholeList(wrong.slice(0, SHOWN))}
        keyOf={({ number }) => String(number)}
        empty={null}
      />
    </Panel>
  )
}

/** Passwords and tokens of the devices that got some, as lines of JSON. */
function Secrets({ file, run: { secrets } }: ResultsProps) {
  const download = (): void => {
    const lines = secrets.map(
      ({ device_id, device_key, mqtt_credentials, device_http_token }) =>
        `${JSON.stringify({ device_id, device_key, mqtt_credentials, device_http_token })}\n`,
    )
    downloadText(`${file.name.replace(/\.\w+$/, '')}-credentials.ndjson`, lines.join(''))
  }
  return (
    <Note
      tone="warn"
      title={`Credentials of ${numberText(secrets.length)} devices: there is no other time to store them`}
      action={
        <Button kind="primary" icon={<Download size={15} />} onClick={download}>
          Download credentials
        </Button>
      }
    >
      The service keeps only hashes. They are gone once you leave this page.
    </Note>
  )
}

const headings = { running: 'Running', done: 'Done', stopped: 'Stopped', idle: '' }

export function Results({ file, run }: ResultsProps) {
  const { counts, isTrial, status, problem } = run
  const would = isTrial ? 'Would be ' : ''
  const label = (word: string): string =>
    isTrial ? would + word : word.slice(0, 1).toUpperCase() + word.slice(1)
  return (
    <Stack>
      <Panel title={`${isTrial ? 'Trial' : 'Import'}: ${headings[status].toLowerCase()}`}>
        <Stack tight>
          <div role="status">
            {numberText(doneOf(run))} of {numberText(file.rows.length)} rows
          </div>
          <Progress
            label="Rows"
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
        <Note tone="warn" title={isTrial ? 'The trial was stopped' : 'The import was stopped'}>
          {isTrial
            ? 'Nothing was written.'
            : 'What is done stays done. Run it again: rows that are done are unchanged then.'}
        </Note>
      )}
      <Cards>
        <Stat label={label('created')} value={counts.created} />
        <Stat label={label('updated')} value={counts.updated} />
        <Stat label="Unchanged" value={counts.unchanged} />
        <Stat label="Wrong" value={counts.failed} />
      </Cards>
      {run.secrets.length > 0 && <Secrets file={file} run={run} />}
      {run.wrong.length > 0 && <Wrong file={file} run={run} />}
    </Stack>
  )
}
