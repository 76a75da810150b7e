/** The contract of each kind of broker that asks hooks. */
import { contract as emqx } from '../emqx/contract.ts'
import { contract as mosquittoGoAuth } from '../mosquitto-go-auth/contract.ts'
import { contract as nanomq } from '../nanomq/contract.ts'
import { contract as rabbitmq } from '../rabbitmq/contract.ts'
import { contract as vernemq } from '../vernemq/contract.ts'
import type { Contract } from './contract.ts'

export const contracts: readonly Contract[] = [emqx, rabbitmq, mosquittoGoAuth, nanomq, vernemq]
