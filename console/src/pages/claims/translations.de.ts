/** The German text of each English one of the pages of claims. */
export const german = {
  'Filter of claims': 'Filter der Kopplungen',
  'In all claims: device, phone id, or: status = released':
    'In allen Kopplungen: Gerät, Smartphone-ID oder: status = released',
  'No claim passes this filter': 'Keine Kopplung passt zu diesem Filter',
  'Clear the filter to see all claims.': 'Leeren Sie den Filter, um alle Kopplungen zu sehen.',
  'A claim gives a device to a phone, whose app may then see and control it.':
    'Eine Kopplung ordnet ein Gerät einem Smartphone zu, dessen App es dann sehen und steuern darf.',
  // The list.
  'A code is open for some minutes, until a device sends it.':
    'Ein Code ist einige Minuten offen, bis ein Gerät ihn sendet.',
  '1. The phone begins a session': '1. Smartphone: Sitzung beginnen',
  '2. It asks for a code': '2. Smartphone: Code holen',
  '3. The device sends the code': '3. Gerät: Code senden',
  'A claim gives a device to a phone, whose app may then see and control it. The phone asks for a code and passes it to the device, by Bluetooth for example; the device sends the code. A device with a display may show a code to the phone instead.':
    'Eine Kopplung ordnet ein Gerät einem Smartphone zu, dessen App es dann sehen und steuern darf. Das Smartphone holt einen Code und übergibt ihn dem Gerät, zum Beispiel per Bluetooth; das Gerät sendet ihn. Ein Gerät mit Display kann auch selbst einen Code anzeigen.',
  'These calls in the API reference': 'Diese Aufrufe in der API-Referenz',
  Claimed: 'Gekoppelt',
  'Code shown by': 'Code angezeigt von',
  'Ended claims are kept for 30 days.': 'Beendete Kopplungen werden 30 Tage lang aufbewahrt.',
  'Name given': 'Vergebener Name',
  'No claim has ended': 'Keine beendete Kopplung',
  'No open code': 'Kein offener Code',
  'No phone has claimed a device': 'Kein Smartphone ist mit einem Gerät gekoppelt',
  'Open codes': 'Offene Codes',
  Phone: 'Smartphone',
  'The devices are being read.': 'Die Geräte werden gelesen.',
  'The devices could not be read.': 'Die Geräte konnten nicht gelesen werden.',
  'The links lead to {origin}, which opens on this machine only.':
    'Die Links führen zu {origin}. Diese Adresse kann nur dieser Rechner öffnen.',
  'To print labels for others, open the console by its public address first.':
    'Um Etiketten für andere zu drucken, öffnen Sie zuerst die Konsole unter ihrer öffentlichen Adresse.',
  'Which claims': 'Welche Kopplungen',
  bound: 'gekoppelt',
  cancelled: 'abgebrochen',
  expired: 'abgelaufen',
  'none yet': 'noch keines',
  open: 'offen',
  released: 'entkoppelt',
  'the device': 'Gerät',
  'the phone': 'Smartphone',

  // The release by staff.
  'Release this device from its phone?': 'Dieses Gerät vom Smartphone entkoppeln?',
  'Release {key} from its phone?': '{key} vom Smartphone entkoppeln?',
  'Released: {key}': 'Entkoppelt: {key}',
  'Its phone': 'Das Smartphone',
  '{phone} loses the device now, also in its live sessions. The device keeps working and is asked to rotate its credentials. Any phone may claim it then.':
    '{phone} verliert das Gerät sofort, auch in laufenden Sitzungen. Das Gerät arbeitet weiter und wird aufgefordert, seine Zugangsdaten zu erneuern. Danach darf jedes Smartphone es koppeln.',

  // Labels.
  'As in the list of devices: tags.floor = ground. Empty: all of them, 200 at a time.':
    'Wie in der Geräteliste: tags.floor = ground. Leer: alle Geräte, 200 auf einmal.',
  'Labels to stick on devices, so that staff can open them here. A phone cannot claim a device with them.':
    'Etiketten zum Aufkleben, damit Ihre Leute die Geräte hier öffnen können. Ein Smartphone kann damit kein Gerät koppeln.',
  'Apply the filter': 'Filter anwenden',
  'For a program that scans labels.': 'Für ein Programm, das Etiketten scannt.',
  'Each device gets a label.': 'Jedes Gerät erhält ein Etikett.',
  Labels: 'Etiketten',
  'Link to the device page': 'Link zur Seite des Geräts',
  'No devices yet': 'Noch keine Geräte',
  'The camera of a phone opens the page of the device in this console, after a sign-in.':
    'Die Kamera eines Smartphones öffnet die Seite des Geräts in dieser Konsole, nach einer Anmeldung.',
  'QR code contains': 'Inhalt des QR-Codes',
  'Then there is nothing to print.': 'Dann gibt es nichts zu drucken.',
  'Which devices, and what the code says': 'Welche Geräte, und was im Code steht',
  '{n} label': '{n} Etikett',
  '{n} labels': '{n} Etiketten',
  '{n} more': '{n} weitere',
}
