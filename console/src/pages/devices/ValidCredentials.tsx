/** The list of a device's valid passwords and tokens; never their values. */
import type { Device, DeviceCredential } from '../../../../sdk/schema.ts'
import { None, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useCredentials } from './of-device.ts'
import { t } from './translations.ts'

const kinds: Readonly<Record<DeviceCredential['kind'], string>> = {
  mqtt: t('MQTT password'),
  http: t('HTTP token'),
}

const origins = { rotation: t('Rotation'), reset: t('Reset') } as const

const columns: readonly Column<DeviceCredential>[] = [
  { name: t('Kind'), cell: ({ kind }) => kinds[kind] },
  { name: t('No.'), number: true, cell: ({ generation }) => generation },
  {
    name: t('Issued by'),
    cell: ({ issued_by, generation }) => {
      if (issued_by !== null) return origins[issued_by]
      return generation === 1 ? t('Registration') : <None />
    },
  },
  { name: t('Issued'), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: t('First used'),
    cell: ({ confirmed_at }) =>
      confirmed_at === null ? t('no use recorded') : <Time at={confirmed_at} />,
  },
  {
    name: t('Unused, it ends'),
    cell: ({ expires_at }) => (expires_at === null ? <None /> : <Time at={expires_at} />),
  },
]

export default function ValidCredentials({ device }: { device: Device }) {
  const query = useCredentials(device)
  return (
    <Panel title={t('Valid credentials')} flush>
      <Table
        label={t('Valid credentials')}
        columns={columns}
        list={listOf(query)}
        keyOf={({ kind, generation }) => `${kind} ${generation}`}
        empty={
          <Empty title={t('It has no valid credentials')}>
            {device.status === 'decommissioned'
              ? t('A decommissioned device cannot connect.')
              : t('It gets new ones when it is provisioned again, or when you create them.')}
          </Empty>
        }
      />
    </Panel>
  )
}
