/**
 * Banned words that are left in comments and names of tests, by folder. A folder that is not listed
 * has none. Figures only go down; `words.test.ts` compares them.
 */
export const uncleanFolders: Readonly<Record<string, number>> = {
  src: 2,
  'src/adapters': 38,
  'src/app': 2,
  'src/commands': 1,
  'src/features/audit': 3,
  'src/features/common': 1,
  'src/features/devices': 3,
  'src/features/fleet': 5,
  'src/features/mqtt': 16,
  'src/platform': 10,
  'test/adapters': 82,
  'test/architecture': 8,
  'test/commands': 7,
  'test/e2e': 1,
  'test/faults': 2,
  'test/features/billing': 1,
  'test/features/devices': 8,
  'test/features/domains': 3,
  'test/features/events': 3,
  'test/features/fleet': 9,
  'test/features/identity': 1,
  'test/features/metering': 3,
  'test/features/mobile': 6,
  'test/features/mqtt': 46,
  'test/features/workspaces': 1,
  'test/fuzz': 4,
  'test/platform': 21,
  'test/support': 3,
}
