/** The German text of each English one of the approval of devices. */
export const german = {
  'A provision key can ask for it: its devices wait here, and are refused until somebody approves them.':
    'Ein Provisionierungsschlüssel kann sie verlangen: Seine Geräte warten hier und werden abgelehnt, bis jemand sie freigibt.',
  'API keys': 'API-Schlüssel',
  Approvals: 'Freigaben',
  Approve: 'Freigeben',
  'Approve all': 'Alle freigeben',
  'Approve all devices that await approval?': 'Alle wartenden Geräte freigeben?',
  'Approve {n} device?': '{n} Gerät freigeben?',
  'Approve {n} devices?': '{n} Geräte freigeben?',
  'Approve {n} selected': '{n} ausgewählte freigeben',
  'Devices that await approval': 'Geräte, die auf Freigabe warten',
  'Nothing awaits approval': 'Nichts wartet auf Freigabe',
  Reject: 'Zurückweisen',
  'Reject all': 'Alle zurückweisen',
  'Reject all devices that await approval?': 'Alle wartenden Geräte zurückweisen?',
  'Reject {n} device?': '{n} Gerät zurückweisen?',
  'Reject {n} devices?': '{n} Geräte zurückweisen?',
  'Reject {n} selected': '{n} ausgewählte zurückweisen',
  'They are being approved': 'Die Geräte werden freigegeben',
  'They are being rejected': 'Die Geräte werden zurückgewiesen',
  'They may connect, and use their topics.': 'Sie dürfen sich verbinden und ihre Topics verwenden.',
  'They stay refused. They can be approved later.':
    'Sie werden weiter abgelehnt. Sie lassen sich später freigeben.',
}
