/** RabbitMQ behind the hooks holds what every broker holds, except as listed here. */
import { lacking } from '../start-program.ts'
import { rabbitmqServer } from '../start-rabbitmq.ts'
import { everyBroker } from '../every/every-broker.ts'
import { rabbitmqEnvironment } from '../every/rabbitmq-environment.ts'

const ENDS = 'it ends the connection instead'

const RETAINED = 'it does not know who sent what is retained, so that stays until it is replaced'

everyBroker({
  name: 'RabbitMQ with hooks',
  skip: lacking(rabbitmqServer()),
  // MQTT 5 came with RabbitMQ 3.13.
  versions: [4],
  start: rabbitmqEnvironment,
  page: 'rabbitmq.md',
  exceptions: {
    'ends no connection for a refused publish': ENDS,
    'notifies the publisher of a refusal, where MQTT has a code for it': ENDS,
    'keeps the same client id of two workspaces apart':
      'client ids are global there, so only the user name is let in as one, with or without a suffix',
    'refuses a subscription without touching the others of its packet': ENDS,
    'does not deliver retained messages of a suspended principal': RETAINED,
    'does not deliver retained messages of a deleted principal': RETAINED,
    'ends no session for rights that are lost':
      'a connection caches its rights, so clients that lose rights are disconnected',
  },
})
