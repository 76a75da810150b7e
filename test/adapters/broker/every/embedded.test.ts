/** The embedded broker keeps what every broker keeps. */
import { VERSIONS } from '../mqtt-clients.ts'
import { embeddedPlace } from './embedded-place.ts'
import { everyBroker } from './every-broker.ts'

everyBroker({
  name: 'embedded',
  skip: false,
  versions: VERSIONS,
  start: embeddedPlace,
  exceptions: {},
})
