/** The sender of a request: the right caller, or any other. */
import type { CallerKind } from '../../src/platform/access/principal.ts'
import type { Target } from './document.ts'
import { type Random, weighted } from './random.ts'
import type { FuzzCredential } from './service.ts'
import type { World } from './world.ts'

export type Sender =
  | 'right'
  | 'weaker role'
  | 'other workspace'
  | 'wrong kind'
  | 'no good'
  | 'none'
  | 'two at once'
  | 'wrong header'

const weights: Readonly<Record<Sender, number>> = {
  right: 78,
  'weaker role': 4,
  'other workspace': 4,
  'wrong kind': 3,
  'no good': 4,
  none: 2,
  'two at once': 2,
  'wrong header': 2,
}

export const senders = Object.keys(weights) as Sender[]
const pickSender = weighted(senders, (sender) => weights[sender])

/** Refused whatever else is sent, unless the operation needs no credential. */
export const REFUSED: ReadonlySet<Sender> = new Set(['wrong kind', 'no good', 'none'])

type Header = [name: string, value: string]

const carried = (kind: CallerKind | undefined, text: string, random: Random): Header => {
  if (kind === 'provision-key') return ['service-auth-code', text]
  if (kind === 'platform-key' && random.chance(0.5)) return ['X-API-Key', text]
  return ['Authorization', `Bearer ${text}`]
}

const others: readonly ((text: string) => Header)[] = [
  (text) => ['X-API-Key', text],
  (text) => ['service-auth-code', text],
  (text) => ['Authorization', `Bearer ${text}`],
  (text) => ['Authorization', text],
  (text) => ['Authorization', `Basic ${Buffer.from(text).toString('base64')}`],
  (text) => ['Authorization', `bearer  ${text}`],
]

const fits: Partial<
  Record<Sender, (credential: FuzzCredential, kinds: readonly CallerKind[]) => boolean>
> = {
  'weaker role': ({ kind, isOwn, isFull }, kinds) =>
    kind !== undefined && kinds.includes(kind) && isOwn && !isFull,
  'other workspace': ({ kind, isOwn }, kinds) =>
    kind !== undefined && kinds.includes(kind) && !isOwn,
  'wrong kind': ({ kind, isOwn }, kinds) => kind !== undefined && !kinds.includes(kind) && isOwn,
  'no good': ({ kind }) => kind === undefined,
}

/** Whether a credential may do what an operation for these kinds does. */
export const isRight = (
  { kind, isOwn, isFull }: FuzzCredential,
  kinds: readonly CallerKind[],
): boolean => kind !== undefined && kinds.includes(kind) && isOwn && isFull

/** The headers that say who asks, and what kind of a sender that is. */
export function sentBy(
  { kinds }: Target,
  random: Random,
  world: World,
): { sender: Sender; headers: Header[]; credential?: FuzzCredential } {
  if (kinds.length === 0) return { sender: 'right', headers: [] }
  const sender = pickSender(random)
  if (sender === 'none') return { sender, headers: [] }
  const isFit = fits[sender] ?? isRight
  const [first, ...more] = world.credentials((credential) => isFit(credential, kinds))
  if (first === undefined) return { sender: 'none', headers: [] }
  const credential = random.pick([first, ...more])
  const { kind = random.pick(kinds), text } = credential
  const header = carried(kind, text, random)
  if (sender === 'wrong header') return { sender, headers: [random.pick(others)(text)] }
  if (sender === 'two at once') return { sender, headers: [header, random.pick(others)(text)] }
  return { sender, headers: [header], credential }
}
