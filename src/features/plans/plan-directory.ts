/**
 * The plans of the installation, and which of them holds for a workspace: from memory where the
 * change feed allows it, as limits are looked at with every message.
 */
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { FeedCache } from '../../database/feed-cache.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Plan } from '../plan-shapes.ts'
import type { PlansFile } from './schema.ts'
import * as store from './store.ts'

export interface PlanDirectory {
  /** Whether there are plans at all; without any there are no limits and no invoices. */
  readonly isOn: boolean
  /** All plans of the file, in its order. */
  readonly all: readonly Plan[]
  /** The plan of a workspace that has never chosen one. */
  readonly fallback: Plan | undefined
  /** A plan as the file has it at present. */
  find(planId: string): Plan | undefined
  /**
   * The plan that holds for a workspace: the one that it has chosen, as that was then, or else the
   * default one. Undefined where there is none. A change of it is seen within a second.
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

/** All of a large installation: those who warn of limits look at each of them twice a minute. */
const MAX_CACHED_WORKSPACES = 200_000

/** @param db one that sees all workspaces. */
export function createPlanDirectory(
  { db, feed }: { db: Db; feed: ChangeFeed },
  file: PlansFile | undefined,
): PlanDirectory {
  const all = file?.plans ?? []
  const find = (planId: string): Plan | undefined => all.find(({ id }) => id === planId)
  const fallback = file?.default_plan === undefined ? undefined : find(file.default_plan)
  // Nearly all that chose a plan have it as the file has it: these share the one object.
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
        const chosen = await store.findChosenPlan(db, workspaceId)
        const plan = chosen && (texts.get(canonicalJson(chosen)) ?? chosen)
        return { workspaceId, plan: plan ?? fallback }
      })
      return found?.plan
    },
  }
}

/** The plan that holds for a workspace, cheaply; see `PlanDirectory.of`. */
export const planOf = ({ plans }: PlanServices, workspaceId: string): Promise<Plan | undefined> =>
  plans.of(workspaceId)
