/** What programs for Node have in common: they print why their connection has ended. */
export const nodeEnds = `// The service tells why: 142 is another client that uses the same client id.
client.on('disconnect', ({ reasonCode }) => console.error('disconnected, reason', reasonCode))
client.on('close', () => console.error('connection closed'))
client.on('error', (error) => console.error(error.message))`
