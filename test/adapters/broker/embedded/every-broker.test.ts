/** The embedded broker keeps what every broker keeps. */
import { VERSIONS } from '../mqtt-clients.ts'
import { embeddedEnvironment } from '../every/embedded-environment.ts'
import { everyBroker } from '../every/every-broker.ts'

everyBroker({
  name: 'embedded',
  skip: false,
  versions: VERSIONS,
  start: embeddedEnvironment,
  exceptions: {},
})
