/** The German text of each English one of the approval of devices. */
export const german = {
  'These devices are refused until somebody approves them.':
    'Diese Geräte können sich erst verbinden, wenn jemand sie freigibt.',
  'Approve all…': 'Alle freigeben…',
  'Approve all devices that await approval?': 'Alle wartenden Geräte freigeben?',
  'Approve {n} device?': '{n} Gerät freigeben?',
  'Approve {n} devices?': '{n} Geräte freigeben?',
  'Approve {n} selected…': '{n} ausgewählte freigeben…',
  'Some provision keys register devices that a person has to approve. Until then the device waits here, and MQTT refuses it.':
    'Manche Provisionierungsschlüssel registrieren Geräte, die jemand freigeben muss. Bis dahin wartet das Gerät hier, und MQTT lehnt es ab.',
  'Devices that await approval': 'Geräte, die auf Freigabe warten',
  'A provision key can require approval in its limits: the devices that it registers wait here, and are refused until somebody approves them. No key requires it yet.':
    'Ein Provisionierungsschlüssel kann in seinen Einschränkungen eine Freigabe verlangen: Die Geräte, die er registriert, warten dann hier und werden abgelehnt, bis jemand sie freigibt. Noch verlangt es keiner.',
  'A key that asks for approval: {key}.': 'Ein Schlüssel, der Freigabe verlangt: {key}.',
  'Keys that ask for approval: {key}, and {n} more.':
    'Schlüssel, die Freigabe verlangen: {key} und {n} weitere.',
  'Nothing awaits approval': 'Nichts wartet auf Freigabe',
  'Reject all…': 'Alle ablehnen…',
  'Reject all devices that await approval?': 'Alle wartenden Geräte ablehnen?',
  'Reject {n} device?': '{n} Gerät ablehnen?',
  'Reject {n} devices?': '{n} Geräte ablehnen?',
  'Reject {n} selected…': '{n} ausgewählte ablehnen…',
  'They are being approved': 'Die Geräte werden freigegeben',
  'They are being rejected': 'Die Geräte werden abgelehnt',
  'They may connect, and use their topics.': 'Sie dürfen sich verbinden und ihre Topics verwenden.',
  'They stay refused. They can be approved later.':
    'Sie werden weiter abgelehnt. Sie lassen sich später freigeben.',
}
