/** RabbitMQ behind the hooks keeps what every broker keeps, as far as it is told here. */
import { lacking } from '../start-program.ts'
import { rabbitmqServer } from '../start-rabbitmq.ts'
import { everyBroker } from './every-broker.ts'
import { rabbitmqPlace } from './rabbitmq-place.ts'

everyBroker({
  name: 'RabbitMQ with hooks',
  skip: lacking(rabbitmqServer()),
  // MQTT 5 came with RabbitMQ 3.13.
  versions: [4],
  start: rabbitmqPlace,
  page: 'rabbitmq.md',
  exceptions: {},
})
