/** The common part of programs in one language: they print that their connection has ended. */
export const nodeEnds = `// The service tells why: 142 is another client that uses the same client id.
client.on('disconnect', ({ reasonCode }) => console.error('disconnected, reason', reasonCode))
client.on('close', () => console.error('connection closed'))
client.on('error', (error) => console.error(error.message))`

export const pythonEnds = `# Again and again: another client uses the same client id. paho does not read the reason.
def on_disconnect(client, userdata, *rest):
    print("disconnected")`
