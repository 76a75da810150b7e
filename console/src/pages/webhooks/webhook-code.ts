/** Programs that receive events and verify their signatures (Standard Webhooks). */

const node = `import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.MOORING_WEBHOOK_SECRET)

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  try {
    const event = webhook.verify(body, request.headers)
    console.log(event.type, event.data)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(process.env.PORT ?? 8000)
`

const python = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["MOORING_WEBHOOK_SECRET"].removeprefix("whsec_"))

def verify(headers, body):
    at = headers["webhook-timestamp"]
    if abs(time.time() - int(at)) > 300:
        raise ValueError("sent at another time")
    signed = f"{headers['webhook-id']}.{at}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers["webhook-signature"].split()
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise ValueError("not signed with this secret")
    return json.loads(body)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify(self.headers, body)
            print(event["type"], event["data"], flush=True)
            self.send_response(204)
        except Exception:
            self.send_response(400)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
`

const go = `package main

import (
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("MOORING_WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || webhook.Verify(body, request.Header) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Printf("%s", body)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":8000", nil))
}
`

export const receivers = [
  { name: 'Node', needs: 'npm install standardwebhooks, in a .mjs file', text: node },
  { name: 'Python', needs: 'Python 3.9 or newer, and nothing else', text: python },
  {
    name: 'Go',
    needs: 'go get github.com/standard-webhooks/standard-webhooks/libraries',
    text: go,
  },
] as const
