/** The member of a device for each column of the file, with its first values. */
import { columns, type DeviceFile, type Mapping } from '../../api/import-file.ts'
import { useRead } from '../../api/hooks.ts'
import { Select } from '../../kit/Field.tsx'
import { Small } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { counted, t } from './translations.ts'

interface ColumnsProps {
  file: DeviceFile
  mapping: Mapping
  onMapping: (mapping: Mapping) => void
}

interface FileColumn {
  at: number
  name: string
  target: string
}

const SAMPLES = 3

/** A tag with the name of the column, without characters that tags may not have. */
const tagOf = (name: string): string =>
  `tags.${name
    .trim()
    .replace(/^tags\./, '')
    .replaceAll(/[^\w.-]+/g, '_')}`

function useCustomFields() {
  const { id } = useWorkspace()
  return useRead('listCustomFields', { params: { id } })
}

function useTargets({ name, target }: FileColumn) {
  const fields = useCustomFields()
  const own = (fields.data?.items ?? []).map((each) => [
    `custom_fields.${each.name}`,
    t('Custom field: {name}', { name: each.name }),
  ])
  const known = [
    ['', t('Not imported')],
    ...columns,
    ...(name.trim() === ''
      ? []
      : [[tagOf(name), t('Tag: {name}', { name: tagOf(name).slice(5) })]]),
    ...own,
  ]
  const isKnown = known.some(([value]) => value === target)
  return [...known, ...(isKnown ? [] : [[target, target]])].map(([value = '', label = '']) => ({
    value,
    label,
  }))
}

interface TargetProps {
  column: FileColumn
  onTarget: (target: string) => void
}

const Target = ({ column, onTarget }: TargetProps) => (
  <Select
    label={t('Column {name} is', { name: column.name })}
    hidesLabel
    value={column.target}
    options={useTargets(column)}
    onValue={onTarget}
  />
)

export function Columns({ file, mapping, onMapping }: ColumnsProps) {
  const fields = useCustomFields()
  const rows = file.header.map((name, at) => ({ at, name, target: mapping[at] ?? '' }))
  const left = rows.filter(({ target }) => target === '').length
  const sampleOf = ({ at }: FileColumn): string =>
    file.rows
      .slice(0, SAMPLES)
      .map((row) => row[at] ?? '')
      .filter((cell) => cell !== '')
      .join(', ')
  const table: readonly Column<FileColumn>[] = [
    { name: t('Column'), cell: ({ name }) => <code>{name}</code> },
    {
      name: t('Imported as'),
      cell: (column) => (
        <Target column={column} onTarget={(target) => onMapping(mapping.with(column.at, target))} />
      ),
    },
    { name: t('First values'), wraps: true, cell: sampleOf },
  ]
  return (
    <>
      {fields.data === undefined && <Pending query={fields} of={t('Custom fields')} />}
      <Table
        label={t('Columns of the file')}
        columns={table}
        list={wholeList(rows)}
        keyOf={({ at }) => String(at)}
        empty={null}
      />
      {left > 0 && (
        <Small>
          {counted(left, '{n} column is not imported.', '{n} columns are not imported.')}
        </Small>
      )}
    </>
  )
}
