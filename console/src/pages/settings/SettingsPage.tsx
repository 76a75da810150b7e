/** The settings of a workspace. */
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { roleNames } from '../../session/role-names.ts'
import { CustomFields } from './CustomFields.tsx'
import { Ending } from './Ending.tsx'
import { General } from './General.tsx'
import { t } from './translations.ts'

export default function SettingsPage() {
  const { id, role, created_at } = useWorkspace()
  return (
    <Page title={t('Settings')}>
      <Columns wideFirst>
        <Stack>
          <General />
          <CustomFields />
        </Stack>
        <Stack>
          <Panel title={t('Details')}>
            <Facts
              facts={[
                [t('Id'), <Id key="id">{id}</Id>],
                [t('Your role'), roleNames[role]],
                [t('Created'), <Time key="at" at={created_at} />],
              ]}
            />
          </Panel>
          <Ending />
        </Stack>
      </Columns>
    </Page>
  )
}
