/** The findings of an import or its trial: its progress, and the rows that are wrong. */
import { Download } from 'lucide-react'
import { useState } from 'react'
import { type DeviceFile, wrongFile } from '../../api/import-file.ts'
import { doneOf, type ImportRun, type WrongRow } from '../../api/import-run.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Cards, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { LeaveGuard } from '../../kit/LeaveGuard.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Progress } from '../../kit/Progress.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { downloadText } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { counted, t } from './translations.ts'

interface ResultsProps {
  file: DeviceFile
  run: ImportRun
}

interface WhatNowProps extends Pick<ImportRun, 'counts'> {
  hasCredentials: boolean
}

/** Where the devices are, and what those still lack that were created. */
function WhatNow({ counts: { created }, hasCredentials }: WhatNowProps) {
  const { slug } = useWorkspace()
  const isLacking = created > 0 && !hasCredentials
  return (
    <Note
      tone={isLacking ? 'warn' : 'ok'}
      title={
        isLacking
          ? t('The new devices cannot connect yet: they have no credentials')
          : t('The devices of the file are there')
      }
      action={<LinkButton to={below(slug, 'devices')}>{t('Open devices')}</LinkButton>}
    >
      {isLacking &&
        t(
          'The factory fetches them, device by device, with a provision key. Or import the file again with “Create credentials”.',
        )}
    </Note>
  )
}

const SHOWN = 200

/** The content of a row, for people. */
const cellsOf = (row: readonly string[]): string => row.filter((cell) => cell !== '').join(', ')

const columns: readonly Column<WrongRow>[] = [
  { name: t('Row'), number: true, cell: ({ number }) => numberText(number) },
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
  const [stored, setStored] = useState(0)
  const download = (): void => {
    setStored(secrets.length)
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
      <LeaveGuard when={stored < secrets.length} title={t('Leave without the credentials?')}>
        {counted(
          secrets.length - stored,
          'The credentials of {n} device were not downloaded. Nobody can show them again: the device would have to be reset.',
          'The credentials of {n} devices were not downloaded. Nobody can show them again: each device would have to be reset.',
        )}
      </LeaveGuard>
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

export function Results({
  file,
  run,
  hasCredentials,
}: ResultsProps & Pick<WhatNowProps, 'hasCredentials'>) {
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
      {status === 'done' && !isTrial && doneOf(run) > counts.failed && (
        <WhatNow counts={counts} hasCredentials={hasCredentials} />
      )}
      {status === 'done' && isTrial && hasCredentials && (
        <Note title={t('The import also creates credentials for devices of the file without any')}>
          {t('They can be downloaded after it, this once.')}
        </Note>
      )}
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
