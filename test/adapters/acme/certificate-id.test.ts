/** The identifier of a certificate at its authority (RFC 9773). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateIdOf } from '../../../src/adapters/acme/certificate-id.ts'
import { makeAuthority } from '../../support/certificates.ts'

const authorityKeyId = Buffer.from('69885b6b87464041e1b37b847ba0ae2cde01c8d4', 'hex')
const root = makeAuthority('Root')

test('a certificate has the identifier of the RFC', () => {
  const serial = Buffer.from('0087654321', 'hex')
  const hosts = ['example.com']
  const { cert } = root.issueAs({ hosts, serial, authorityKeyId })
  assert.equal(certificateIdOf(cert + root.cert), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
  assert.equal(certificateIdOf(root.issueAs({ hosts, serial }).cert), undefined)
})
