/** The outcome of the commands that a job has issued, in numbers. */
import type { JobDetail } from '../../../../sdk/schema.ts'
import { Cards, Panel, Small, Stat } from '../../kit/Layout.tsx'
import { numberText } from '../../kit/numbers.ts'
import { t } from './translations.ts'

const MAX_COMMANDS = 10_000

export const CommandsOfJob = ({ commands }: { commands: NonNullable<JobDetail['commands']> }) => (
  <Panel
    title={t('What became of the commands')}
    {...(commands.is_lower_bound && {
      aside: <Small>{t('counted in {n} of the commands', { n: numberText(MAX_COMMANDS) })}</Small>,
    })}
  >
    <Cards>
      <Stat label={t('Not fetched yet')} value={commands.pending} />
      <Stat label={t('Sent, not answered yet')} value={commands.sent} />
      <Stat label={t('Done by the device')} value={commands.acknowledged} />
      <Stat label={t('Failed on the device')} value={commands.failed} bad={commands.failed > 0} />
      <Stat
        label={t('Not answered in time')}
        value={commands.timed_out}
        bad={commands.timed_out > 0}
      />
      <Stat label={t('Cancelled')} value={commands.cancelled} />
    </Cards>
  </Panel>
)
