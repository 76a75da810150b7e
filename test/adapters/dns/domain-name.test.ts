/** The names that may be added, and the one form in which each is stored. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDomainName } from '../../../src/adapters/dns/domain-name.ts'

const rules = { isOwn: (host: string) => host === 'api.mooring.com', allowsPrivate: false }
const problemOf = (text: string, max?: number): string | undefined => {
  const read = readDomainName(text, rules, max)
  return 'problem' in read ? read.problem : undefined
}
const nameOf = (text: string): string | undefined => {
  const read = readDomainName(text, rules)
  return 'name' in read ? read.name : undefined
}

/** Lines of the public suffix list, with what stands below each rule of them. */
const publicSuffixes = `
  com net org info biz io dev app uk co.uk org.uk ac.uk gov.uk ltd.uk me.uk nhs.uk plc.uk police.uk
  sch.uk school.sch.uk de at co.at or.at gv.at ac.at ch fr asso.fr com.fr gouv.fr it gov.it edu.it
  jp co.jp ac.jp ad.jp ed.jp go.jp ne.jp or.jp kyoto.jp ide.kyoto.jp kobe.jp c.kobe.jp tokyo.jp
  au com.au net.au edu.au nsw.edu.au gov.au id.au nz co.nz kiwi.nz br com.br net.br blog.br
  cn com.cn net.cn gov.cn hk com.hk tw com.tw idv.tw kr co.kr go.kr in co.in firm.in gen.in
  us ak.us k12.ak.us ca on.ca qc.ca mx com.mx ar com.ar za co.za web.za il co.il ru su
  tr com.tr gov.tr pl com.pl waw.pl no oslo.no gs.oslo.no se pp.se fi aland.fi es com.es nom.es
  ck co.ck er com.er fk com.fk kh com.kh mm com.mm np com.np pg com.pg bd com.bd
  xn--p1ai xn--fiqs8s xn--55qx5d.cn xn--j6w193g museum aero arts.nf
  github.io gitlab.io herokuapp.com blogspot.com cloudfront.net s3.amazonaws.com
  azurewebsites.net appspot.com netlify.app vercel.app pages.dev workers.dev fly.dev web.app
  firebaseapp.com dyndns.org duckdns.org ddns.net no-ip.org myshopify.com
`
  .split(/\s+/)
  .filter((line) => line !== '')

const addresses = `
  127.0.0.1 0.0.0.0 10.0.0.1 169.254.169.254 8.8.8.8 255.255.255.255 127.1 0x7f.1 0x7f000001
  2130706433 017700000001 0177.0.0.1 127.0.0.1. 1.2.3 ::1 [::1] fe80::1 [fd00::1] ::ffff:10.0.0.1
  [::ffff:10.0.0.1] 64:ff9b::a00:1 2001:db8::1 １２７.0.0.1 127。0。0。1
`
  .split(/\s+/)
  .filter((line) => line !== '')

const special = `
  localhost a.localhost foo.test example a.example invalid x.invalid a.onion a.alt 1.0.0.127.in-addr.arpa
  router.local gateway.factory.internal a.internal home.arpa nas.home.arpa a.lan srv.corp a.home
  a.intranet a.private a.notatld host.belongstonobody api.mooring.com API.mooring.com
  api.mooring.com. LOCALHOST a.LocalHost a.TEST
`
  .split(/\s+/)
  .filter((line) => line !== '')

const malformed = [
  '*',
  '*.example.com',
  'a.*.example.com',
  'example',
  'com.',
  '.',
  '..',
  '.example.com',
  'example..com',
  'example.com..',
  '-a.example.com',
  'a-.example.com',
  '_dmarc.example.com',
  '_service-verification.example.com',
  'a_b.example.com',
  'https://example.com',
  'example.com/',
  'example.com:443',
  'user@example.com',
  'example.com?x',
  'example.com#x',
  'exa mple.com',
  ' example.com',
  'example.com\n',
  'a\u0000.example.com',
  'a\\.example.com',
  '%65xample.com',
  'xn--.example.com',
  `${'a'.repeat(64)}.example.com`,
  '\u202e.example.com',
  `${'a.'.repeat(115)}com`,
  'exa\u2028mple.com',
  'a\u00ad\u200b',
  'a!b.example.com',
  '[example.com]',
  '1.2.3.4.5',
  'example.123',
  "a'b.example.com",
  'a"b.example.com',
  'a<b>.example.com',
  'a,b.com',
]

describe('names of domains', () => {
  it('are refused where they have no single owner', () => {
    const variants = publicSuffixes.flatMap((name) => [name, `${name}.`, name.toUpperCase()])
    const refused = [...variants, ...addresses, ...special, ...malformed]
    assert.ok(refused.length > 400)
    const taken = refused.filter((name) => problemOf(name) === undefined)
    assert.deepEqual(taken, [])
  })

  it('are refused with a fitting message', () => {
    assert.match(problemOf('co.uk') ?? '', /public suffix/)
    assert.match(problemOf('github.io') ?? '', /public suffix/)
    assert.match(problemOf('0x7f.1') ?? '', /IP address/)
    assert.match(problemOf('*.example.com') ?? '', /wildcard/)
    assert.match(problemOf('x.internal') ?? '', /not a name of the public DNS/)
    assert.match(problemOf('x.localhost') ?? '', /special use/)
    assert.match(problemOf('api.mooring.com') ?? '', /the service itself/)
    assert.match(problemOf('intranet') ?? '', /one label/)
    assert.match(problemOf(`${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`, 127) ?? '', /127/)
  })

  it('are stored in one form', () => {
    for (const [text, name] of [
      ['Example.COM', 'example.com'],
      ['example.com.', 'example.com'],
      ['MÜNCHEN.example.com', 'xn--mnchen-3ya.example.com'],
      ['xn--mnchen-3ya.example.com', 'xn--mnchen-3ya.example.com'],
      ['devices。example．com', 'devices.example.com'],
      ['ｅｘａｍｐｌｅ.com', 'example.com'],
      ['faß.de', 'xn--fa-hia.de'],
      ['a.github.io', 'a.github.io'],
      ['www.ck', 'www.ck'],
      ['1.example.com', '1.example.com'],
    ] as const) {
      assert.equal(nameOf(text), name, text)
      assert.equal(nameOf(name), name, name)
    }
    // A homograph is another name, and looks like one.
    assert.match(nameOf('ехample.com') ?? '', /^xn--/)
  })

  it('may be those of a private DNS where that is allowed, and still no address', () => {
    const read = (text: string) => readDomainName(text, { ...rules, allowsPrivate: true })
    assert.deepEqual(read('gateway.factory.internal'), { name: 'gateway.factory.internal' })
    for (const text of ['localhost', 'a.localhost', '10.0.0.1', 'intranet', 'co.uk', '*.lan']) {
      assert.ok('problem' in read(text), text)
    }
  })
})
