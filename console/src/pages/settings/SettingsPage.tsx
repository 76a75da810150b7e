/** The settings of a workspace. */
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { CustomFields } from './CustomFields.tsx'
import { Ending } from './Ending.tsx'
import { General } from './General.tsx'

export default function SettingsPage() {
  const { id, role, created_at } = useWorkspace()
  return (
    <Page title="Settings">
      <Columns wideFirst>
        <Stack>
          <General />
          <CustomFields />
        </Stack>
        <Stack>
          <Panel title="About it">
            <Facts
              facts={[
                ['Id', <Id key="id">{id}</Id>],
                ['Your role', role],
                ['Created', <Time key="at" at={created_at} />],
              ]}
            />
          </Panel>
          <Ending />
        </Stack>
      </Columns>
    </Page>
  )
}
