/** MQTT logins: clients that are no devices, such as backends, dashboards and bridges. */
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Muted } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { ReceiptDialog } from '../endpoints/Receipt.tsx'
import { CreateLogin } from './CreateLogin.tsx'
import { LoginStatus } from './login-labels.tsx'
import { t } from './translations.ts'

const SLOW_MS = 15_000

const columnsOf = (slug: string): readonly Column<MqttPrincipal>[] => [
  {
    name: t('Name'),
    wraps: true,
    cell: ({ id, name }) => <CellLink to={below(slug, `logins/${id}`)}>{name}</CellLink>,
  },
  { name: t('Status'), ends: true, cell: LoginStatus },
  { name: t('Description'), wraps: true, cell: ({ description }) => description },
  { name: t('Last connection'), cell: ({ last_connected_at }) => <Time at={last_connected_at} /> },
  {
    name: t('Expires'),
    cell: ({ expires_at }) =>
      expires_at === null ? <Muted>{t('never')}</Muted> : <Time at={expires_at} />,
  },
  { name: t('Created by'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

export default function LoginList() {
  const { id, slug } = useWorkspace()
  const [{ receipt }, change] = useSearchState<{ receipt: string }>()
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listMqttPrincipals', { params: { id }, query: { limit: 100 } }, options)
  return (
    <ListPage
      title={t('MQTT logins')}
      columns={columnsOf(slug)}
      list={list}
      keyOf={(login) => login.id}
      making={{
        label: t('Create login'),
        operation: 'createMqttPrincipal',
        dialog: (close) => <CreateLogin onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No logins yet'),
        text: t(
          'A login is for a program that is no device, such as a backend, a dashboard or a bridge. Its rules say on which topics it may publish and receive.',
        ),
      }}
    >
      {receipt !== undefined && (
        <ReceiptDialog receiptId={receipt} onClose={() => change({ receipt: undefined })} />
      )}
    </ListPage>
  )
}
