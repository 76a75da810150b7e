/** Schemas of examinations of brokers. */
import Type, { type Static } from 'typebox'
import { withDefault } from '../../../platform/lib/stored-json.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const StartRun = Type.Object({
  broker: Type.String({
    minLength: 1,
    maxLength: 64,
    description: '`embedded`, or a name of the brokers file.',
  }),
})
export type StartRun = Static<typeof StartRun>

const DoctorResult = Type.Object({
  id: Text('Of the probe.'),
  title: Text('What a secure broker does.'),
  verdict: Type.Enum(['pass', 'fail', 'warn', 'skip']),
  saw: Text('What was observed.'),
  change: Nullable(Type.String(), 'What to change. Null if nothing.'),
})
export type DoctorResult = Static<typeof DoctorResult>

/** As stored with a run. */
export const StoredResults = Type.Array(
  Type.Object({
    ...DoctorResult.properties,
    change: withDefault(DoctorResult.properties.change, null),
  }),
)

const members = {
  id: Id('run'),
  broker: Type.String(),
  status: Type.Enum(['queued', 'running', 'completed', 'failed']),
  address: Nullable(Type.String(), 'Where the broker was reached.'),
  problem: Nullable(Type.String(), 'Why it could not be examined.'),
  created_by: Nullable(Id('usr')),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
}

export const DoctorRun = NamedObject('DoctorRun', {
  ...members,
  results: Type.Array(DoctorResult, { description: 'So far, in their order.' }),
})
export type DoctorRun = Static<typeof DoctorRun>

export const DoctorRunSummary = NamedObject('DoctorRunSummary', {
  ...members,
  holes: Integer('Probes that have failed.'),
})
export type DoctorRunSummary = Static<typeof DoctorRunSummary>
export const DoctorRunPage = Page(DoctorRunSummary)

export const ListRuns = Type.Object(pageQuery)
export type ListRuns = Static<typeof ListRuns>
