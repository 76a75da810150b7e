/**
 * The law for every action of the console that changes something: a person who may not do it reads
 * which role may, and the pane with the calls shows its call before it is made. Read from the
 * sources, file by file: each operation that a file changes something with.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations, type Permission, roles } from '../../sdk/schema.ts'
import { ROOT } from '../support/sources.ts'

const FOLDER = join(ROOT, 'console/src')

/** The file that asks, if it is not that of the act: it has the buttons that open its dialog. */
const openers: Readonly<Record<string, string>> = {
  'pages/billing/ChoosePlan.tsx': 'pages/billing/PlanSection.tsx',
  'pages/connections/Disconnect.tsx': 'pages/connections/ConnectionList.tsx',
  'pages/devices/ChangeDevices.tsx': 'pages/devices/SelectionBar.tsx',
  'pages/groups/AddByKeys.tsx': 'pages/groups/GroupPage.tsx',
  'pages/keys/CreateKey.tsx': 'pages/keys/KeyList.tsx',
  'pages/keys/RevokeKey.tsx': 'pages/keys/KeyPage.tsx',
  'pages/logins/CreateLogin.tsx': 'pages/logins/LoginList.tsx',
  'pages/messages/Publish.tsx': 'pages/messages/MessagesPage.tsx',
  'pages/people/ChangeRole.tsx': 'pages/people/Members.tsx',
  'pages/people/InvitationLink.tsx': 'pages/people/Invitations.tsx',
  'pages/people/RemoveMember.tsx': 'pages/people/Members.tsx',
  'pages/people/invite-all.ts': 'pages/people/PeoplePage.tsx',
  'pages/rotations/AskAgain.tsx': 'pages/rotations/CampaignActs.tsx',
  'pages/settings/DeleteField.tsx': 'pages/settings/CustomFields.tsx',
  'pages/settings/FieldForm.tsx': 'pages/settings/CustomFields.tsx',
  'pages/templates/CreateTemplate.tsx': 'pages/templates/TemplateList.tsx',
  'pages/templates/DeleteTemplate.tsx': 'pages/templates/TemplatePage.tsx',
  'pages/webhooks/CreateWebhook.tsx': 'pages/webhooks/WebhookList.tsx',
  'pages/webhooks/RedeliverRange.tsx': 'pages/webhooks/Deliveries.tsx',
}

/** Acts for which no file asks by the permission of the operation itself. */
const askedOtherwise: Readonly<Record<string, string>> = {
  'pages/approvals/Approvals.tsx createJob': 'its actions need what approveDevice needs',
  'pages/claims/Release.tsx askReceipt': 'it follows a release, and its refusal is shown',
  'pages/devices/RotateDevice.tsx createJob': 'its action needs what suspendDevice needs',
  'pages/rules/OwnRules.tsx operations.preview': 'everyone may ask what rules would change',
  'pages/rules/OwnRules.tsx operations.remove': 'it needs what owner.operations.create needs',
  'pages/rules/OwnRules.tsx operations.reorder': 'it needs what owner.operations.create needs',
  'pages/rules/RuleDialog.tsx operations.create': 'OwnRules.tsx asks before it is opened',
  'pages/rules/RuleDialog.tsx operations.update': 'OwnRules.tsx asks before it is opened',
  'pages/rules/RuleDialog.tsx owner.operations.preview': 'everyone may ask what rules would change',
}

/** Pages before the sign-in, and what asks for one above all pages: they have no pane. */
const WITHOUT_PANE = /^(pages\/(joining|sign-in)\/|session\/|pages\/account\/NewPassword\.tsx)/

/** Acts whose call the pane does not show before it is made. */
const notShown: Readonly<Record<string, string>> = {
  'kit/Shell.tsx closeConsoleSession': 'signing out leaves the page',
  'pages/billing/paying.ts createPaymentToken': 'it leaves the page for that in which one pays',
  'pages/claims/Release.tsx askReceipt': 'it follows a release, which is shown',
  'pages/people/invite-all.ts createInvitation': 'Invite.tsx shows it',
  'pages/people/invite-all.ts createInvitationLink': 'it follows an invitation, which is shown',
  'pages/rules/OwnRules.tsx operations.preview': 'it asks what the act would change',
  'pages/rules/RuleDialog.tsx owner.operations.preview': 'it asks what the act would change',
}

type Known = keyof typeof operations

const isKnown = (id: string): id is Known => id in operations

/** Undefined for expressions, and for operations that have none. */
const permissionOf = (id: string): Permission | undefined =>
  (isKnown(id) ? (operations[id].permission as Permission | null) : null) ?? undefined

const allRolesHold = (permission: Permission): boolean =>
  Object.values(roles).every((held) => (held as readonly Permission[]).includes(permission))

const first = (text: string, call: RegExp): string[] =>
  [...text.matchAll(call)].map(([, argument = '']) => argument.trim().replaceAll("'", ''))

interface File {
  path: string
  text: string
  /**
   * The operations with which it changes something: ids of operations, or expressions that stand
   * for them.
   */
  changes: string[]
}

const files: readonly File[] = globSync('**/*.{ts,tsx}', { cwd: FOLDER }).map((path) => {
  const text = readFileSync(join(FOLDER, path), 'utf8')
  const hooks = first(text, /\buse(?:Change|Revocation)\(\s*([^,)]+)/g)
  const calls = first(text, /\b(?:call|request)\(\s*('\w+')/g).filter(
    (id) => isKnown(id) && operations[id].method !== 'GET',
  )
  // The hooks themselves, and the form for one resource, which does both for its callers.
  const isKit = path === 'api/hooks.ts' || path === 'kit/ChangeForm.tsx'
  return { path, text, changes: isKit ? [] : [...new Set([...hooks, ...calls])] }
})

const acts = files.flatMap(({ changes, ...file }) => changes.map((id) => ({ ...file, id })))

/** A call whose value nothing uses: names that nothing uses are refused by the compiler. */
const UNUSED = /^\s*(?:void )?useBlocked\([^)]*\)$/gm

/** The permissions that a file checks before it offers an action, and whose result it uses. */
const asksFor = (text: string): string[] => [
  ...first(text.replaceAll(UNUSED, ''), /\buseBlocked\(\s*([^)]+)/g),
  // The operation of the button of a list page.
  ...first(text, /\boperation: ('\w+')/g),
]

/** Says why somebody may not act on a person of some role. */
const ASKS_FOR_PEOPLE = /\bwhyNotManage\(/

function isAskedIn(asking: string, id: string): boolean {
  const permission = permissionOf(id)
  if (isKnown(id) && (permission === undefined || allRolesHold(permission))) return true
  if (permission === 'members.write' && ASKS_FOR_PEOPLE.test(asking)) return true
  const asked = asksFor(asking)
  return permission === undefined
    ? asked.includes(id)
    : asked.some((each) => permissionOf(each) === permission)
}

function isAsked({ path, text, id }: (typeof acts)[number]): boolean {
  const asking = openers[path]
  return isAskedIn(asking === undefined ? text : readFileSync(join(FOLDER, asking), 'utf8'), id)
}

const isShown = ({ path, text, id }: (typeof acts)[number]): boolean =>
  WITHOUT_PANE.test(path) ||
  // The choice between the two may be made there.
  first(text, /\buse(?:Next|Button)Call\(\s*([^,]+)/g)
    .flatMap((shown) => shown.split(/[?:]/))
    .some((shown) => shown.trim() === id)

const nameOf = ({ path, id }: (typeof acts)[number]): string => `${path} ${id}`

test('the acts of the pages are found', () => {
  const names = new Set(acts.map(nameOf))
  const gone = [...Object.keys(askedOtherwise), ...Object.keys(notShown)].filter(
    (each) => !names.has(each),
  )
  assert.deepEqual(gone, [], 'exceptions without an act')
  const paths = new Set(acts.filter((act) => !isAskedIn(act.text, act.id)).map(({ path }) => path))
  const needless = Object.keys(openers).filter((each) => !paths.has(each))
  assert.deepEqual(needless, [], 'files that ask themselves, or are gone')
})

test('a file that asks, and does not use what it hears, does not count', () => {
  assert.deepEqual(asksFor("  useBlocked('createDevice')\n"), [])
  assert.deepEqual(asksFor("  const blocked = useBlocked('createDevice')\n"), ['createDevice'])
})

test('a refused act says which role may', () => {
  const unasked = acts.filter((act) => !isAsked(act)).map(nameOf)
  assert.deepEqual(unasked.sort(), Object.keys(askedOtherwise).sort())
})

test('the pane shows the call of each act before it is made', () => {
  const hidden = acts.filter((act) => !isShown(act)).map(nameOf)
  assert.deepEqual(hidden.sort(), Object.keys(notShown).sort())
})
