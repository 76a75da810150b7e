/** Mosquitto with dynamic security holds what every broker holds, except as listed here. */
import { VERSIONS } from '../mqtt-clients.ts'
import { DYNAMIC_SECURITY, MOSQUITTO, MOSQUITTO_CTRL } from '../start-mosquitto.ts'
import { lacking } from '../start-program.ts'
import { everyBroker } from '../every/every-broker.ts'
import { mosquittoEnvironment } from '../every/mosquitto-environment.ts'

const ONE_CLIENT_ID = 'dynamic security binds a client to exactly one client id, the user name'

everyBroker({
  name: 'Mosquitto with dynamic security',
  skip: lacking(MOSQUITTO, MOSQUITTO_CTRL, DYNAMIC_SECURITY),
  versions: VERSIONS,
  start: mosquittoEnvironment,
  page: 'mosquitto.md',
  exceptions: {
    'lets a principal have several sessions by suffixes of its client id': ONE_CLIENT_ID,
    'ends every session of a principal at once': ONE_CLIENT_ID,
    'ends only older sessions of a principal with a newer secret': ONE_CLIENT_ID,
    'keeps the same client id of two workspaces apart':
      'client ids are global there, so only the user name is let in as one',
    'refuses a response topic beyond the rights of its sender':
      'it does not check response topics; a responder needs rights of its own',
  },
})
