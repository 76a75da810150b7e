/**
 * The ids of a provisioning request as public ids, so that a request means the same however they
 * are written: to its events, and to the fingerprint that recognises its repetition.
 */
import { publicId } from '../../../platform/lib/ids.ts'
import type { ProvisionDevice } from './schema.ts'

export function withPublicIds(sent: ProvisionDevice): ProvisionDevice {
  const { workspace_id, template_id, device_id } = sent
  return {
    ...sent,
    ...(workspace_id !== undefined && { workspace_id: publicId('ws', workspace_id) }),
    ...(template_id !== undefined && { template_id: publicId('tpl', template_id) }),
    ...(device_id !== undefined && { device_id: publicId('dev', device_id) }),
  }
}
