/** Failures of bulk operations. */
import { notFound } from './entry.ts'

export const fleet = {
  rotation_campaign_not_found: notFound(
    'Rotation campaign not found',
    'There is no such rotation campaign in this workspace.',
    'List the rotation campaigns of the workspace.',
  ),
  mqtt_receipt_not_found: notFound(
    'Receipt not found',
    'There is no such receipt in this workspace.',
    'Receipts are kept for 30 days. The response to a revoking request links to its receipt.',
  ),
  mqtt_connection_not_found: notFound(
    'Connection not found',
    'There is no such live MQTT connection in this workspace.',
    'List the live connections of the workspace. Ended connections are not listed.',
  ),
  job_not_found: notFound(
    'Job not found',
    'There is no such job in this workspace.',
    'List the jobs of the workspace. Jobs are kept for 30 days after their end.',
  ),
} as const
