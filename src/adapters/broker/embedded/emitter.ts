/**
 * Hands each message to the subscriptions that match it, in the shape that aedes expects of an
 * mqemitter. The usual mqemitter waits until the slowest subscriber has taken a message and lets
 * a hundred messages wait at once: one stalled reader then stops every publisher of the broker.
 * Here nobody waits for a subscriber; the limits per session say what may pile up for one.
 */
import type { AedesPublishPacket } from 'aedes'
import { TopicTree } from './topic-tree.ts'

type Done = (error?: Error | null) => void
type Listener = (packet: AedesPublishPacket, done: () => void) => void

function ignore(): void {}

export class LocalEmitter {
  #listeners = new TopicTree<Listener>()
  #closed = false

  on(topic: string, listener: Listener, done?: Done): this {
    this.#listeners.add(topic, listener)
    if (done !== undefined) setImmediate(done)
    return this
  }

  removeListener(topic: string, listener: Listener, done?: Done): this {
    this.#listeners.remove(topic, listener)
    if (done !== undefined) setImmediate(done)
    return this
  }

  emit(packet: AedesPublishPacket, done: Done = ignore): this {
    if (this.#closed) {
      done(new Error('The broker is closed.'))
      return this
    }
    for (const listener of this.#listeners.matchingTopic(packet.topic)) listener(packet, ignore)
    // Never within the caller's stack: aedes would re-enter its parser.
    process.nextTick(done)
    return this
  }

  close(done: Done = ignore): this {
    this.#closed = true
    setImmediate(done)
    return this
  }
}
