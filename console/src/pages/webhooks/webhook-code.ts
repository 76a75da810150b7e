/** Programs that receive events and verify their signatures (Standard Webhooks). */

const node = `// Save it as receiver.mjs.
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.MOORING_WEBHOOK_SECRET)
const port = process.env.PORT ?? 8000

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  try {
    const event = webhook.verify(body, request.headers)
    console.log(request.headers['webhook-id'], event.type, event.data)
    response.writeHead(204).end()
  } catch (error) {
    console.log('refused:', error.message)
    response.writeHead(400).end()
  }
}).listen(port, () => console.log('listening on port', port))
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
            print(self.headers["webhook-id"], event["type"], event["data"], flush=True)
            self.send_response(204)
        except Exception as error:
            print("refused:", error, flush=True)
            self.send_response(400)
        self.end_headers()

port = int(os.environ.get("PORT", "8000"))
server = HTTPServer(("", port), Receiver)
print("listening on port", port, flush=True)
server.serve_forever()
`

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func verify(key []byte, header http.Header, body []byte) error {
	at := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("sent at another time")
	}
	digest := hmac.New(sha256.New, key)
	digest.Write([]byte(header.Get("webhook-id") + "." + at + "."))
	digest.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return nil
		}
	}
	return errors.New("not signed with this secret")
}

func main() {
	secret := strings.TrimPrefix(os.Getenv("MOORING_WEBHOOK_SECRET"), "whsec_")
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil || len(key) == 0 {
		log.Fatal("MOORING_WEBHOOK_SECRET is not a webhook's secret")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil {
			err = verify(key, request.Header, body)
		}
		if err != nil {
			log.Print("refused: ", err)
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		log.Print(request.Header.Get("webhook-id"), " ", string(body))
		response.WriteHeader(http.StatusNoContent)
	})
	log.Print("listening on port ", port)
	log.Fatal(http.ListenAndServe(":"+port, nil))
}
`

export const receivers = [
  { name: 'Node', needs: 'npm install standardwebhooks', text: node },
  { name: 'Python', needs: 'Python ≥ 3.9', text: python },
  { name: 'Go', needs: 'Go ≥ 1.19', text: go },
] as const
