/** The metrics of brokers: sessions, decisions, hooks and bridges of this process. */
import type { Metrics } from '../platform/http/operator.ts'
import type { Mqtt } from './mqtt.ts'

export const mqttGauges = ({ broker, usage, bridges }: Mqtt): Metrics['gauges'] => ({
  mooring_mqtt_sessions: {
    help: 'Live MQTT sessions of this process.',
    value: () => broker.connections().length,
  },
  mooring_usage_connected_devices: {
    help: 'Devices connected to this process.',
    value: () => usage.connectedDevices(),
  },
  mooring_bridge_connected: {
    help: "1 if this process's bridge to a broker is connected and subscribed.",
    label: 'broker',
    values: () => {
      const problems = [...bridges.problems()]
      return Object.fromEntries(problems.map(([name, why]) => [name, Number(why === null)]))
    },
  },
  mooring_bridge_waiting_messages: {
    help: "Messages that wait to be sent through this process's bridge to a broker.",
    label: 'broker',
    values: () => Object.fromEntries(bridges.waiting()),
  },
})

export const mqttCounters = ({
  broker,
  counts,
  external,
  commands,
  configs,
}: Mqtt): Metrics['counters'] => ({
  mooring_mqtt_connects_total: {
    help:
      'Decisions on CONNECTs, by broker and outcome: accepted, or the reason of the refusal. ' +
      'A broker with hooks may ask more than once for a CONNECT.',
    labels: ['broker', 'outcome'],
    samples: () => counts.connects.samples(),
  },
  mooring_mqtt_lost_messages_total: {
    help:
      'Messages that the embedded broker did not send to a subscriber; queue_full: QoS 1 and 2, ' +
      'slow_reader: QoS 0.',
    label: 'reason',
    values: () => ({ ...broker.lost }),
  },
  mooring_device_reports_dropped_total: {
    help:
      'Responses to commands and reports on configurations that devices sent to the embedded ' +
      'broker, and that were dropped because too many waited for the database.',
    label: 'kind',
    values: () => ({ command: commands.dropped, configuration: configs.dropped }),
  },
  mooring_hook_denials_total: {
    help: 'Hook requests of brokers that were denied without a decision, by reason.',
    labels: ['broker', 'reason'],
    samples: () => counts.hookDenials.samples(),
  },
  mooring_broker_failures_total: {
    help: "Failed calls to a broker's admin interface.",
    label: 'broker',
    values: () => Object.fromEntries(external.failures()),
  },
})
