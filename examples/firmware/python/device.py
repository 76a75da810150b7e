"""A device in Python. It registers itself once, or uses the device.json that a factory has stored;
then it reports its state over MQTT, executes commands, applies its configuration and rotates its
credentials. docs/firmware.md has the reasons.

    apt install python3-paho-mqtt          (or: pip install paho-mqtt)
    MOORING_URL=… PROVISION_KEY=… TEMPLATE_ID=… HARDWARE_ID=… python3 device.py
"""

import base64
import gzip
import hashlib
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request

import paho.mqtt.client as mqtt

FIRST_WAIT_S = 1
# After a refusal: what it complains of does not change by itself.
FIRST_WAIT_REFUSED_S = 30
MAX_WAIT_S = 300
BAD_CREDENTIALS = 0x86
REFUSED = (0x85, BAD_CREDENTIALS, 0x87, 0x8A)
NO_RESPONSE = -1


def load(name):
    try:
        with open(f"{name}.json", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def sync_folder():
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def save(name, data):
    """Returns once the data survives a power failure, which never leaves half of it."""
    descriptor = os.open(f"{name}.json.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{name}.json.new", f"{name}.json")
    sync_folder()


def promote(source, target):
    os.replace(f"{source}.json", f"{target}.json")
    sync_folder()


def back_off(attempt, first_s=FIRST_WAIT_S):
    """Waits between half and all of a time that doubles with each attempt."""
    most = min(first_s * 2 ** min(attempt, 10), MAX_WAIT_S)
    time.sleep(random.uniform(most / 2, most))


def call(method, path, headers, body=None):
    """Returns the body of the response, or None without one."""
    url = os.environ["MOORING_URL"] + "/api/v1" + path
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **headers}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()
    except urllib.error.HTTPError as refusal:
        print("refused:", refusal.code, refusal.read().decode(), flush=True)
    except (OSError, http.client.HTTPException) as error:
        print("no response:", repr(error), flush=True)
    return None


def fetch(path, headers, body, name):
    """Requests credentials and stores them. Returns whether they are stored."""
    response = call("POST", path, headers, body)
    if response is None:
        return False
    json.loads(response)["mqtt_password"]
    save(name, response)
    return True


def provision():
    """Repeating it is safe: the hardware id stands for one device, whatever got lost."""
    headers = {"service-auth-code": os.environ["PROVISION_KEY"]}
    body = {"template_id": os.environ["TEMPLATE_ID"], "hardware_id": os.environ["HARDWARE_ID"]}
    attempt = 0
    while not fetch("/provision/device", headers, body, "device"):
        back_off(attempt)
        attempt += 1


class Session:
    """One connection, from CONNECT to its end."""

    def __init__(self, device, login):
        self.device = device
        self.login = login
        self.is_new = False
        self.code = None
        self.is_over = False
        self.config = b""
        # paho 2 wants to know the form of the callbacks; paho 1 has this form with MQTT 5.
        versions = getattr(mqtt, "CallbackAPIVersion", None)
        first = [versions.VERSION2] if versions else []
        name = login["mqtt_username"]
        self.client = mqtt.Client(*first, client_id=name, protocol=mqtt.MQTTv5)
        self.client.username_pw_set(name, login["mqtt_password"])
        if login["mqtt_tls"]:
            self.client.tls_set()  # the roots that the system trusts
        self.client.on_connect = self.connected
        self.client.on_message = self.received

    def authorization(self):
        return {"authorization": "Bearer " + self.login["device_http_token"]}

    def topic(self, name):
        return f"{self.login['workspace_slug']}/{self.login['device_key']}/{name}"

    def publish(self, name, payload):
        self.client.publish(self.topic(name), json.dumps(payload), qos=1)

    def open(self):
        """Returns the reason code of the CONNACK, or NO_RESPONSE."""
        try:
            self.client.connect(self.login["mqtt_host"], self.login["mqtt_port"], keepalive=60)
        except OSError:
            return NO_RESPONSE
        until = time.monotonic() + 10
        while self.code is None and time.monotonic() < until and self.poll():
            pass
        return NO_RESPONSE if self.code is None else self.code

    def poll(self):
        """Handles what comes. Returns False if the connection has ended."""
        return self.client.loop(timeout=0.5) == mqtt.MQTT_ERR_SUCCESS

    def connected(self, client, userdata, flags, reason_code, properties):
        self.code = getattr(reason_code, "value", reason_code)

    def received(self, client, userdata, message):
        name = message.topic.split("/", 2)[2]
        try:
            payload = json.loads(message.payload) if message.payload else None
        except ValueError:
            return
        if name == "cmd":
            self.device.execute(self, payload)
        elif name == "config/meta":
            self.ask_for_config(payload)
        elif name == "config/resp":
            self.collect_config(payload)

    def ask_for_config(self, meta):
        """The service has another configuration than the stored one: asks for it."""
        stored = load("config")
        have = hashlib.sha256(stored).hexdigest() if stored else None
        if meta is None or meta["sha256"] == have:
            return
        want = {"max_total_bytes": 65536, "accept_encoding": ["gzip"]}
        self.publish("config/get", {"rid": meta["sha256"], "want": want})

    def collect_config(self, chunk):
        if not chunk["ok"]:
            return
        if chunk["chunk_index"] == 0:
            self.config = b""
        self.config += base64.b64decode(chunk["data_b64"])
        if chunk["chunk_index"] != chunk["total_chunks"] - 1:
            return
        is_packed = chunk["encoding"] == "gzip"
        text = gzip.decompress(self.config) if is_packed else self.config
        got = hashlib.sha256(text).hexdigest()
        is_applied = got == chunk["sha256"] and self.device.configure(json.loads(text))
        if is_applied:
            save("config", text)
        status = {"rid": chunk["rid"], "applied": is_applied, "version": chunk["version"]}
        self.publish("config/status", {**status, "sha256": got})


class Device:
    def __init__(self):
        self.is_on = False
        self.report_s = 60
        self.must_rotate = False
        self.last_command = None

    def configure(self, config):
        seconds = config.get("report_s", self.report_s)
        if not isinstance(seconds, (int, float)) or seconds <= 0:
            return False
        self.report_s = seconds
        return True

    def execute(self, session, command):
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
        session.publish("ack", ack)
        self.report(session)

    def report(self, session):
        session.publish("state", {"on": self.is_on})

    def connect(self):
        """The newer credentials first; the older ones only if those are refused."""
        session, code = None, BAD_CREDENTIALS
        for name in ("next", "device"):
            stored = load(name)
            if stored is None:
                continue
            session = Session(self, json.loads(stored))
            code = session.open()
            if code != BAD_CREDENTIALS:
                break
        if code == 0 and name == "next":
            session.is_new = True
        elif code == 0 and load("next") is not None:
            # They have expired without being used.
            os.remove("next.json")
        return session, code

    def rotate(self, session):
        """Stored before they are used: the first use of the new credentials ends the old ones."""
        return fetch("/devices/auth/credentials/rotate", session.authorization(), {}, "next")

    def check_in(self, session):
        """Asks whether to rotate. That uses the token as well: only when both the password and the
        token were accepted do the new credentials take the place of the old ones."""
        me = call("GET", "/devices/auth/me", session.authorization())
        if me is None:
            return False
        self.must_rotate = self.must_rotate or json.loads(me)["rotation_due"]
        if session.is_new:
            promote("next", "device")
            session.is_new = False
        return True

    def serve(self, session):
        """Until the connection ends. Returns whether there are new credentials."""
        for name in ("cmd", "config/meta", "config/resp"):
            session.client.subscribe(session.topic(name), qos=1)
        check_at = report_at = rotate_at = 0
        while session.poll():
            now = time.monotonic()
            if now >= check_at:
                is_good = self.check_in(session)
                check_at = now + (86400 if is_good else random.uniform(30, 60))
            if now >= report_at:
                self.report(session)
                report_at = now + self.report_s
            if self.must_rotate and now >= rotate_at:
                self.must_rotate = not self.rotate(session)
                if not self.must_rotate:
                    return True
                rotate_at = now + random.uniform(2, 6)
        return False

    def run(self):
        if load("device") is None:
            provision()
        stored = load("config")
        if stored:
            self.configure(json.loads(stored))
        attempt = 0
        while True:
            session, code = self.connect()
            if code == 0:
                print("connected", flush=True)
                since = time.monotonic()
                is_rotated = self.serve(session)
                session.client.disconnect()
                if is_rotated:
                    continue
                # A connection that lasted was a success; one that ends at once is a failed attempt.
                if time.monotonic() - since > 30:
                    attempt = 0
            print("not connected:", code, flush=True)
            back_off(attempt, FIRST_WAIT_REFUSED_S if code in REFUSED else FIRST_WAIT_S)
            attempt += 1


if __name__ == "__main__":
    Device().run()
