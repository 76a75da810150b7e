/** The actions that a person may not take on many devices, although they may start jobs. */
import type { Job } from '../../../sdk/schema.ts'
import { useBlocked } from './workspace.tsx'

type Action = Job['action']

/** Why the person may not start or retry a job with an action: it needs more than a job does. */
export function useActionBlocks(): Readonly<Record<Action, string | undefined>> {
  // The operation on one device needs what the action on many needs.
  const update = useBlocked('updateDevice')
  const suspend = useBlocked('suspendDevice')
  const approve = useBlocked('approveDevice')
  return {
    tag: update,
    move_template: update,
    publish_config: useBlocked('replaceDeviceConfig'),
    command: useBlocked('createCommand'),
    rotate: suspend,
    resume: suspend,
    suspend,
    reset_credentials: useBlocked('resetDeviceCredentials'),
    decommission: useBlocked('decommissionDevice'),
    delete: useBlocked('deleteDevice'),
    approve,
    reject: approve,
  }
}
