"""A device in MicroPython, with nothing to install. It registers itself once, or uses the
device.json that a factory has stored; then it reports its state over MQTT 3.1.1, executes commands,
applies its configuration and rotates its credentials. docs/firmware.md has the reasons.

On a board: connect to the network, store settings.json, and call run() from main.py.
settings.json: {"url": "https://…", "provision_key": …, "template_id": …, "hardware_id": …}
"""

import binascii
import hashlib
import json
import os
import random
import select
import socket
import struct
import time

FIRST_WAIT_MS = 1000
# After a refusal: what it complains of does not change by itself.
FIRST_WAIT_REFUSED_MS = 30000
MAX_WAIT_MS = 300000
BAD_CREDENTIALS = 4
REFUSED = (2, BAD_CREDENTIALS, 5)
NO_RESPONSE = -1
KEEPALIVE_S = 60


def load(name):
    try:
        with open(name + ".json") as file:
            return file.read()
    except OSError:
        return None


def save(name, text):
    """A power failure never leaves half of it: littlefs renames in one step."""
    with open(name + ".json.new", "w") as file:
        file.write(text)
    promote(name + ".json.new", name + ".json")


def promote(old, new):
    os.rename(old, new)
    if hasattr(os, "sync"):
        os.sync()


def back_off(attempt, first_ms=FIRST_WAIT_MS):
    """Waits between half and all of a time that doubles with each attempt."""
    most = min(first_ms << min(attempt, 10), MAX_WAIT_MS)
    time.sleep_ms(most // 2 + random.getrandbits(16) % (most // 2))


def open_stream(host, port, is_secure):
    """A read that takes longer than ten seconds is an OSError, or finds the end."""
    stream = socket.socket()
    stream.settimeout(10)
    stream.connect(socket.getaddrinfo(host, port)[0][-1])
    if is_secure:
        import ssl

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.verify_mode = ssl.CERT_REQUIRED
        with open("root.der", "rb") as file:
            context.load_verify_locations(cadata=file.read())
        stream = context.wrap_socket(stream, server_hostname=host)
    return stream


def request(method, url, headers, body=None):
    """Returns status and text of the response. Raises OSError without one."""
    scheme, _, authority, path = url.split("/", 3)
    is_secure = scheme == "https:"
    host, _, port = authority.partition(":")
    stream = open_stream(host, int(port or (443 if is_secure else 80)), is_secure)
    try:
        text = "" if body is None else json.dumps(body)
        head = "%s /%s HTTP/1.0\r\nHost: %s\r\n%s\r\n" % (method, path, authority, headers)
        head += "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text)
        stream.write((head + text).encode())
        response = stream.read()
    finally:
        stream.close()
    head, separator, text = response.partition(b"\r\n\r\n")
    if not separator:
        raise OSError("the response is not complete")
    return int(head.split(b" ", 2)[1]), text.decode()


def fetch(settings, path, headers, body, name):
    """Requests credentials and stores them. Returns whether they are stored."""
    try:
        status, text = request("POST", settings["url"] + "/api/v1" + path, headers, body)
        if status in (200, 201) and json.loads(text)["mqtt_password"]:
            save(name, text)
            return True
        print("no credentials:", status, text)
    except (OSError, ValueError, KeyError) as error:
        print("no credentials:", repr(error))
    return False


def provision(settings):
    """Repeating it is safe: the hardware id stands for one device, whatever got lost."""
    headers = "Service-Auth-Code: " + settings["provision_key"]
    body = {"template_id": settings["template_id"], "hardware_id": settings["hardware_id"]}
    attempt = 0
    while not fetch(settings, "/provision/device", headers, body, "device"):
        back_off(attempt)
        attempt += 1


def text_field(text):
    data = text.encode()
    return struct.pack("!H", len(data)) + data


class Mqtt:
    """The part of MQTT 3.1.1 that a device needs: CONNECT, SUBSCRIBE and PUBLISH with QoS 1."""

    def __init__(self, login, received):
        self.received = received
        self.last_id = 0
        self.sent_at = self.heard_at = time.ticks_ms()
        self.stream = open_stream(login["mqtt_host"], login["mqtt_port"], login["mqtt_tls"])
        self.poller = select.poll()
        self.poller.register(self.stream, select.POLLIN)
        name = login["mqtt_username"]
        flags = 0xC2  # user name, password, clean session
        head = text_field("MQTT") + bytes([4, flags]) + struct.pack("!H", KEEPALIVE_S)
        password = text_field(login["mqtt_password"])
        self.send(0x10, head + text_field(name) + text_field(name) + password)
        kind, body = self.read()
        self.code = body[1] if kind == 0x20 else NO_RESPONSE

    def send(self, kind, body):
        rest = len(body)
        head = bytes([kind])
        while True:
            more = 0x80 if rest > 0x7F else 0
            head += bytes([rest & 0x7F | more])
            rest >>= 7
            if not more:
                break
        self.stream.write(head + body)
        self.sent_at = time.ticks_ms()

    def exactly(self, count):
        data = self.stream.read(count) if count else b""
        if data is None or len(data) < count:
            raise OSError("the connection has ended")
        return data

    def read(self):
        """Returns the first byte and the body of a packet."""
        kind = self.exactly(1)[0]
        size = shift = 0
        while True:
            byte = self.exactly(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        self.heard_at = time.ticks_ms()
        return kind, self.exactly(size)

    def next_id(self):
        self.last_id = self.last_id % 0xFFFF + 1
        return struct.pack("!H", self.last_id)

    def subscribe(self, topic):
        self.send(0x82, self.next_id() + text_field(topic) + b"\x01")

    def publish(self, topic, payload):
        self.send(0x32, text_field(topic) + self.next_id() + json.dumps(payload).encode())

    def poll(self):
        """Handles one packet, or waits half a second. Raises OSError if the connection is dead."""
        now = time.ticks_ms()
        if time.ticks_diff(now, self.heard_at) > KEEPALIVE_S * 1500:
            raise OSError("the broker is silent")
        if time.ticks_diff(now, self.sent_at) > KEEPALIVE_S * 500:
            self.send(0xC0, b"")
        if not self.poller.poll(500):
            return
        kind, body = self.read()
        if kind >> 4 != 3:
            return
        size = struct.unpack("!H", body[:2])[0]
        topic, rest = body[2 : 2 + size].decode(), body[2 + size :]
        if kind & 6:
            self.send(0x40, rest[:2])
            rest = rest[2:]
        self.received(topic, rest)

    def close(self):
        try:
            self.send(0xE0, b"")
        except OSError:
            pass
        self.stream.close()


def sha256(text):
    return binascii.hexlify(hashlib.sha256(text.encode()).digest()).decode()


class Device:
    def __init__(self, settings):
        self.settings = settings
        self.login = self.mqtt = None
        self.is_on = self.must_rotate = self.is_new = False
        self.report_ms = 60000
        self.last_command = None
        self.chunks = b""

    def topic(self, name):
        return "%s/%s/%s" % (self.login["workspace_slug"], self.login["device_key"], name)

    def publish(self, name, payload):
        self.mqtt.publish(self.topic(name), payload)

    def report(self):
        self.publish("state", {"on": self.is_on})

    def configure(self, text):
        seconds = json.loads(text).get("report_s", self.report_ms / 1000)
        if not isinstance(seconds, (int, float)) or seconds <= 0:
            return False
        self.report_ms = int(seconds * 1000)
        return True

    def received(self, topic, data):
        name = topic.split("/", 2)[2]
        try:
            payload = json.loads(data) if data else None
        except ValueError:
            return
        if name == "cmd":
            self.execute(payload)
        elif name == "config/meta":
            self.ask_for_config(payload)
        elif name == "config/resp":
            self.collect_config(payload)

    def execute(self, command):
        """Each command once, however often it arrives."""
        if command["id"] == self.last_command:
            return
        self.last_command = command["id"]
        ack = {"id": command["id"], "ok": True}
        payload = command.get("payload") or {}
        if command["name"] == "set" and isinstance(payload.get("on"), bool):
            self.is_on = payload["on"]
        elif command["name"] == "rotate_credentials":
            self.must_rotate = True
        else:
            ack = {"id": command["id"], "ok": False, "error": "unknown command"}
        self.publish("ack", ack)
        self.report()

    def ask_for_config(self, meta):
        """The service has another configuration than the stored one: asks for it."""
        stored = load("config")
        if meta is None or (stored and meta["sha256"] == sha256(stored)):
            return
        want = {"chunk_bytes": 1024, "max_total_bytes": 16384}
        self.publish("config/get", {"rid": meta["sha256"], "want": want})

    def collect_config(self, chunk):
        if not chunk["ok"]:
            return
        if chunk["chunk_index"] == 0:
            self.chunks = b""
        self.chunks += binascii.a2b_base64(chunk["data_b64"].encode())
        if chunk["chunk_index"] != chunk["total_chunks"] - 1:
            return
        text = self.chunks.decode()
        got = sha256(text)
        is_applied = got == chunk["sha256"] and self.configure(text)
        if is_applied:
            save("config", text)
        status = {"rid": chunk["rid"], "applied": is_applied, "version": chunk["version"]}
        status["sha256"] = got
        self.publish("config/status", status)

    def connect_with(self, name):
        stored = load(name)
        if stored is None:
            return BAD_CREDENTIALS
        self.login = json.loads(stored)
        try:
            self.mqtt = Mqtt(self.login, self.received)
        except OSError as error:
            print(repr(error))
            return NO_RESPONSE
        return self.mqtt.code

    def connect(self):
        """The newer credentials first; the older ones only if those are refused."""
        code = self.connect_with("next")
        self.is_new = code == 0
        if code != BAD_CREDENTIALS:
            return code
        code = self.connect_with("device")
        if code == 0 and load("next"):
            # They have expired without being used.
            os.remove("next.json")
        return code

    def rotate(self):
        """Stored before they are used: the first use of the new credentials ends the old ones."""
        path = "/devices/auth/credentials/rotate"
        return fetch(self.settings, path, self.authorization(), {}, "next")

    def authorization(self):
        return "Authorization: Bearer " + self.login["device_http_token"]

    def check_in(self):
        """Asks whether to rotate. That uses the token as well: only when both the password and the
        token were accepted do the new credentials take the place of the old ones."""
        url = self.settings["url"] + "/api/v1/devices/auth/me"
        try:
            status, text = request("GET", url, self.authorization())
            if status != 200:
                return False
            self.must_rotate = self.must_rotate or json.loads(text)["rotation_due"]
        except (OSError, ValueError) as error:
            print("no response:", repr(error))
            return False
        if self.is_new:
            promote("next.json", "device.json")
            self.is_new = False
        return True

    def serve(self):
        """Until the connection ends, by OSError, or new credentials are there."""
        for name in ("cmd", "config/meta", "config/resp"):
            self.mqtt.subscribe(self.topic(name))
        check_at = report_at = rotate_at = time.ticks_ms()
        while True:
            now = time.ticks_ms()
            if time.ticks_diff(now, check_at) >= 0:
                # Not longer than ticks can be compared: a day is too long for some boards.
                pause = 6 * 3600000 if self.check_in() else 30000 + random.getrandbits(14)
                check_at = time.ticks_add(now, pause)
            if time.ticks_diff(now, report_at) >= 0:
                self.report()
                report_at = time.ticks_add(now, self.report_ms)
            if self.must_rotate and time.ticks_diff(now, rotate_at) >= 0:
                self.must_rotate = not self.rotate()
                if not self.must_rotate:
                    return
                rotate_at = time.ticks_add(now, 2000 + random.getrandbits(12))
            self.mqtt.poll()

    def run(self):
        if load("device") is None:
            provision(self.settings)
        stored = load("config")
        if stored:
            self.configure(stored)
        attempt = 0
        while True:
            code = self.connect()
            if code == 0:
                print("connected")
                since = time.ticks_ms()
                try:
                    self.serve()
                    self.mqtt.close()
                    continue
                except OSError as error:
                    print(repr(error))
                # A connection that lasted was a success; one that ends at once is a failed attempt.
                if time.ticks_diff(time.ticks_ms(), since) > 30000:
                    attempt = 0
            print("not connected:", code)
            back_off(attempt, FIRST_WAIT_REFUSED_MS if code in REFUSED else FIRST_WAIT_MS)
            attempt += 1


def run():
    Device(json.loads(load("settings") or "{}")).run()


if __name__ == "__main__":
    run()
