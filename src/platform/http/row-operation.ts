/** Operations on a stream of rows. */
import type { Static, TSchema } from 'typebox'
import {
  type Access,
  type AnyRoute,
  type CallerOf,
  type Definition,
  type Operation,
  operationOf,
  type RequestContext,
} from './operation.ts'
import type { Row } from './ndjson.ts'
import type { RowFormat } from './row-body.ts'

/** An operation on a stream of rows that responds with one result for each, in order. */
export type RowDefinition<
  Services,
  A extends Access,
  Q extends TSchema,
  B extends TSchema,
  Result extends TSchema,
> = Omit<Definition<Services, A, AnyRoute, Q, B, { 200: Result }>, 'run'> & {
  rows: RowFormat
  run(
    context: RequestContext<Services, CallerOf<A>>,
    input: { query: Static<Q>; body: AsyncIterable<Row<Static<B>>[]> },
  ): AsyncIterable<Static<Result>[]>
}

/** Creates the typed `rowOperation` function for a set of services. */
export const rowOperationOf =
  <Services>() =>
  <const A extends Access, Q extends TSchema, B extends TSchema, Result extends TSchema>(
    definition: RowDefinition<Services, A, Q, B, Result>,
  ): Operation<Services> =>
    operationOf<Services>()({
      ...definition,
      idempotency: 'own',
      run: (context: never, input: never) =>
        Promise.resolve(definition.run(context, input)) as never,
    } as unknown as Definition<Services, A, AnyRoute, Q, B, { 200: Result }>)
