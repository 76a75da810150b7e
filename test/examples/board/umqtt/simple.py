"""The interface of umqtt.simple, on the MQTT of the sample device: for programs that import it."""

import device


class MQTTClient:
    def __init__(self, client_id, server, port=0, user=None, password=None, keepalive=0, ssl=None):
        assert client_id == user and ssl is None
        self.login = {"mqtt_host": server, "mqtt_port": port, "mqtt_tls": False}
        self.login["mqtt_username"] = user
        self.login["mqtt_password"] = password

    def set_callback(self, callback):
        self.callback = callback

    def connect(self):
        self.mqtt = device.Mqtt(self.login, self.callback)
        if self.mqtt.code:
            raise Exception(self.mqtt.code)

    def subscribe(self, topic, qos=0):
        self.mqtt.subscribe(topic.decode())

    def publish(self, topic, msg, retain=False, qos=0):
        self.mqtt.publish(topic.decode(), device.json.loads(msg))

    def check_msg(self):
        self.mqtt.poll()
