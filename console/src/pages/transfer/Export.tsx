/** Devices as a file: all, or those that pass a filter. It has no secrets. */
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Form, FormActions, RadioCards } from '../../kit/Field.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { download } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { t } from './translations.ts'

const forms = [
  { value: 'csv', label: t('CSV'), hint: t('For spreadsheets.') },
  { value: 'ndjson', label: t('JSON Lines (NDJSON)'), hint: t('For programs.') },
] as const

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export function Export() {
  const { id, slug } = useWorkspace()
  const [form, setForm] = useState<'csv' | 'ndjson'>('csv')
  const [filter, setFilter] = useState('')
  const blocked = useBlocked('exportDevices')
  const query = { format: form, ...(filter.trim() !== '' && { filter: filter.trim() }) }
  const input = { params: { id }, query }
  const get = useMutation<Blob, Problem>({
    mutationFn: () => readFile('exportDevices', input, types[form]),
    onSuccess: (file) => download(`${slug}-devices.${form}`, file),
  })
  useNextCall('exportDevices', input)
  return (
    <Panel title={t('Export devices')}>
      <Form onSubmit={() => get.mutate()} problem={get.error}>
        <RadioCards label={t('As')} value={form} options={forms} onValue={setForm} />
        <DeviceFilter
          label={t('Filter')}
          optional
          pointer="/query/filter"
          hint={t('As in the list of devices. Empty: all of them.')}
          value={filter}
          onValue={setFilter}
        />
        <FormActions>
          <Button
            type="submit"
            icon={<Download size={15} />}
            blocked={blocked}
            busy={get.isPending}
          >
            {t('Export')}
          </Button>
        </FormActions>
      </Form>
    </Panel>
  )
}
