/** Operations of the web console that examine brokers, for operators. */
import { operationGroup } from '../../../context.ts'
import { forOperators } from '../../../platform/http/operation.ts'
import { getRun, listRuns, startRun } from './doctor-run.ts'
import { DoctorRun, DoctorRunPage, ListRuns, StartRun } from './schema.ts'

const operation = operationGroup(forOperators)

export const operatorDoctorOperations = [
  operation({
    id: 'listDoctorRuns',
    route: 'GET /installation/doctor-runs',
    description: 'Latest first.',
    query: ListRuns,
    returns: { 200: DoctorRunPage },
    run: (context, { query }) => listRuns(context, query),
  }),
  operation({
    id: 'startDoctorRun',
    route: 'POST /installation/doctor-runs',
    needsFreshProof: true,
    body: StartRun,
    returns: { 201: DoctorRun },
    fails: ['broker_not_found', 'doctor_run_in_progress'],
    example: { broker: 'embedded' },
    run: (context, { body }) => startRun(context, body),
  }),
  operation({
    id: 'getDoctorRun',
    route: 'GET /installation/doctor-runs/:run_id',
    returns: { 200: DoctorRun },
    run: (context, { params }) => getRun(context, params.run_id),
  }),
]
