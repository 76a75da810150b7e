/**
 * The documented state machine of a device, as a model: the effect of each action in each state.
 */

export type Status = 'registered' | 'active' | 'suspended' | 'decommissioned'

export interface State {
  exists: boolean
  status: Status
  /** The status that a suspended device gets back when it is resumed. */
  before: 'registered' | 'active'
  approval: 'pending' | 'approved' | 'rejected'
  claimed: boolean
}

/** Acts of staff and of the factory: they can come at once. */
export const remoteVerbs = [
  'suspend',
  'resume',
  'approve',
  'reject',
  'reset',
  'rotate',
  'disconnect',
  'command',
  'register',
  'decommission',
  'delete',
] as const
/** Acts of the device itself. */
export const ownVerbs = ['connect', 'claim', 'release'] as const

export type RemoteVerb = (typeof remoteVerbs)[number]
export type Verb = RemoteVerb | (typeof ownVerbs)[number]

export interface Outcome {
  /** The status of the response; of a CONNECT its return code. */
  code: number
  /** The entries in the audit log afterwards; all but `auditOnly` are events too. */
  records: readonly string[]
  next: State
}

export const auditOnly = ['device.sessions_cut', 'command.created']

export const fresh = (approval: State['approval']): State => ({
  exists: true,
  status: 'registered',
  before: 'registered',
  approval,
  claimed: false,
})

type Rule = (state: State) => Outcome

const isLive = ({ status }: State): boolean => status === 'registered' || status === 'active'

const done = (state: State, records: readonly string[], change: Partial<State> = {}): Outcome => ({
  code: 200,
  records,
  next: { ...state, ...change },
})
const refused = (state: State, code: number): Outcome => ({ code, records: [], next: state })

const when = (fits: (state: State) => boolean, otherwise: number, then: Rule): Rule => {
  return (state) => (fits(state) ? then(state) : refused(state, otherwise))
}

const letGo = ({ claimed }: State): string[] => (claimed ? ['device.released'] : [])
const isKept = ({ status }: State): boolean => status !== 'decommissioned'

const rules: Record<Verb, Rule> = {
  suspend: when(isLive, 409, (state) =>
    done(state, ['device.suspended'], {
      status: 'suspended',
      before: state.status as State['before'],
    }),
  ),
  resume: when(
    ({ status }) => status === 'suspended',
    409,
    (state) => done(state, ['device.resumed'], { status: state.before }),
  ),
  approve: when(
    (state) => isLive(state) && state.approval !== 'approved',
    409,
    (state) => done(state, ['device.approved'], { approval: 'approved' }),
  ),
  reject: when(
    (state) => isLive(state) && state.approval === 'pending',
    409,
    (state) => done(state, ['device.rejected'], { approval: 'rejected' }),
  ),
  reset: when(isKept, 409, (state) => done(state, ['device.credentials_reset'])),
  rotate: when(isKept, 404, (state) => done(state, ['device.rotated'])),
  disconnect: (state) => ({ ...done(state, ['device.sessions_cut']), code: 204 }),
  command: when(isKept, 409, (state) => ({ ...done(state, ['command.created']), code: 201 })),
  register: (state) => refused(state, 409),
  decommission: when(isKept, 409, (state) =>
    done(state, [...letGo(state), 'device.decommissioned'], {
      status: 'decommissioned',
      claimed: false,
    }),
  ),
  delete: (state) => ({
    ...done(state, [...letGo(state), 'device.deleted'], { exists: false, claimed: false }),
    code: 204,
  }),
  connect: (state) => {
    if (state.status === 'decommissioned') return refused(state, 4)
    if (!isLive(state) || state.approval !== 'approved') return refused(state, 5)
    const records = state.status === 'registered' ? ['device.activated'] : []
    return { ...done(state, records, { status: 'active' }), code: 0 }
  },
  claim: (state) => {
    if (!isLive(state)) return refused(state, 401)
    if (state.approval !== 'approved') return refused(state, 403)
    if (state.claimed) return refused(state, 409)
    return done(state, ['device.claimed'], { claimed: true })
  },
  release: when(isLive, 401, (state) => ({
    ...done(state, letGo(state), { claimed: false }),
    code: 204,
  })),
}

/** Unknown resources: each kind of caller gets its own form of that refusal. */
const gone = (verb: Verb): number => {
  if (verb === 'connect') return 4
  return verb === 'claim' || verb === 'release' ? 401 : 404
}

export const outcomeOf = (verb: Verb, state: State): Outcome =>
  state.exists ? rules[verb](state) : refused(state, gone(verb))
