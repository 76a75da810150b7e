/** Chooses the columns of the list of devices, and their order. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../../api/hooks.ts'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Checkbox, Form, FormActions } from '../../kit/Field.tsx'
import { End, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { UnreadField } from '../../kit/UnreadField.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { columnName, FIXED_COLUMNS, USUAL_COLUMNS } from './device-columns.tsx'
import { t } from './translations.ts'

/** As many as a view can have. */
const MAX_COLUMNS = 30

interface ColumnsProps {
  columns: readonly string[]
  onChange: (columns: readonly string[]) => void
  onClose: () => void
}

/** The columns of the workspace's own tags and fields, and what of them is not read yet. */
function useOwnColumns() {
  const { id } = useWorkspace()
  const tags = useRead('listDeviceFacets', { params: { id }, query: { field: 'tags', limit: 50 } })
  const fields = useRead('listCustomFields', { params: { id } })
  const columns = [
    ...(tags.data?.values ?? []).map(({ value }) => `tags.${value}`),
    ...(fields.data?.items ?? []).map(({ name }) => `custom_fields.${name}`),
  ]
  const unread = [
    { query: tags, of: t('Tags') },
    { query: fields, of: t('Custom fields') },
  ].filter(({ query }) => query.data === undefined)
  return { columns, unread }
}

const labelOf = (id: string): string => {
  const name = columnName(id)
  if (id.startsWith('tags.')) return t('Tag {name}', { name })
  return id.startsWith('custom_fields.') ? t('Field {name}', { name }) : name
}

export default function ColumnsDialog({ columns, onChange, onClose }: ColumnsProps) {
  const [chosen, setChosen] = useState(columns)
  const own = useOwnColumns()
  const others = [...FIXED_COLUMNS, ...own.columns].filter((each) => !chosen.includes(each))
  const isFull = chosen.length >= MAX_COLUMNS
  const move = (from: number, to: number): void => {
    const next = [...chosen]
    next.splice(to, 0, ...next.splice(from, 1))
    setChosen(next)
  }
  const submit = (): void => {
    onChange(chosen)
    onClose()
  }
  return (
    <Dialog title={t('Columns')} open onClose={onClose}>
      <Form onSubmit={submit} problem={null}>
        <div>
          {chosen.map((id, at) => (
            <Row key={id}>
              <Checkbox
                label={labelOf(id)}
                checked
                hint={chosen.length === 1 ? t('The last column stays.') : undefined}
                disabled={chosen.length === 1}
                onValue={() => setChosen(chosen.filter((each) => each !== id))}
              />
              <End>
                <IconButton
                  label={t('Move {name} up', { name: labelOf(id) })}
                  icon={<ArrowUp size={14} />}
                  blocked={at === 0 ? t('It is the first.') : undefined}
                  onClick={() => move(at, at - 1)}
                />
                <IconButton
                  label={t('Move {name} down', { name: labelOf(id) })}
                  icon={<ArrowDown size={14} />}
                  blocked={at === chosen.length - 1 ? t('It is the last.') : undefined}
                  onClick={() => move(at, at + 1)}
                />
              </End>
            </Row>
          ))}
          <Stack tight>
            {isFull && <Small>{t('At most {n} columns.', { n: MAX_COLUMNS })}</Small>}
            {others.map((id) => (
              <Checkbox
                key={id}
                label={labelOf(id)}
                checked={false}
                disabled={isFull}
                onValue={() => setChosen([...chosen, id])}
              />
            ))}
            {own.unread.map(({ query, of }) => (
              <UnreadField key={of} label={of} query={query} of={of} />
            ))}
          </Stack>
        </div>
        <FormActions>
          <Button type="submit" kind="primary">
            {t('Show these')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <End>
            <Button kind="quiet" onClick={() => setChosen(USUAL_COLUMNS)}>
              {t('The usual ones')}
            </Button>
          </End>
        </FormActions>
      </Form>
    </Dialog>
  )
}
