/**
 * The installation's plans, and which one applies to a workspace: from memory while the change feed
 * allows it, since limits are checked for every message.
 */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import type { Plan } from '../../common/plan-shapes.ts'
import type { PlansFile } from './schema.ts'
import { findChosenPlan } from './store.ts'

export interface PlanDirectory {
  /** Whether there are plans; without them there are no limits and no invoices. */
  readonly isOn: boolean
  /** All plans, in the order of the file. */
  readonly all: readonly Plan[]
  /** The plan of workspaces that never chose one. */
  readonly fallback: Plan | undefined
  /** A plan in its current version. */
  find(planId: string): Plan | undefined
  /**
   * The plan that applies to a workspace: the chosen one, in the version at that time, else the
   * default; undefined if there is none. Changes are visible here within a second. A workspace that
   * has reached a limit is examined again each time that its process writes counts.
   */
  of(workspaceId: string): Promise<Plan | undefined>
}

export interface PlanServices {
  plans: PlanDirectory
}

interface Known {
  workspaceId: string
  plan: Plan | undefined
}

/** Enough for a large installation: limit warnings check each workspace twice a minute. */
const MAX_CACHED_WORKSPACES = 200_000

/** @param db sees all workspaces */
export function createPlanDirectory(
  { db, feed }: { db: Db; feed: ChangeFeed },
  file: PlansFile | undefined,
): PlanDirectory {
  const all = file?.plans ?? []
  const find = (planId: string): Plan | undefined => all.find(({ id }) => id === planId)
  const fallback = file?.default_plan === undefined ? undefined : find(file.default_plan)
  // Most chosen plans equal the current version, and share its object.
  const texts = new Map(all.map((plan) => [canonicalJson(plan), plan]))
  const known = new FeedCache<Known>({
    feed,
    max: MAX_CACHED_WORKSPACES,
    kinds: ['subscription', 'workspace'],
    refsOf: ({ workspaceId }) => [workspaceId],
  })
  return {
    isOn: all.length > 0,
    all,
    fallback,
    find,
    async of(workspaceId) {
      if (all.length === 0) return undefined
      const found = await known.load(workspaceId, async () => {
        const chosen = (await findChosenPlan.first(db, { workspaceId }))?.plan
        const plan = chosen && (texts.get(canonicalJson(chosen)) ?? chosen)
        return { workspaceId, plan: plan ?? fallback }
      })
      return found?.plan
    },
  }
}
