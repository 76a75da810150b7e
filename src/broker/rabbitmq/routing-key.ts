/** Topics as RabbitMQ keeps them: MQTT's levels are the words of a routing key. */

/**
 * The routing key of a topic. A dot in a topic would be a separator there, so the message would go
 * to another topic than was said: undefined.
 */
export const routingKeyOf = (topic: string): string | undefined =>
  topic.includes('.') ? undefined : topic.replaceAll('/', '.')
