/**
 * Operations with a streamed response, such as exports that may exceed memory. Chunks are sent as
 * they are produced, and only as fast as the client reads.
 */
import Type, { type Static, type TSchema } from 'typebox'
import type { Access, CallerOf, Definition, Operation, RequestContext } from './operation.ts'
import { operationOf } from './operation.ts'
import type { NamesIn } from './path-params.ts'
import type { StreamChunk, StreamFormat, StreamOptions } from './stream-format.ts'

export type StreamDefinition<
  Services,
  A extends Access,
  Route extends string,
  Q extends TSchema,
  Row extends TSchema,
> = Omit<
  Definition<Services, A, Route, Q, TSchema, { 200: Row }>,
  'run' | 'body' | 'example' | 'idempotency' | 'returns'
> & {
  stream: StreamOptions
  /** The schema of a row. */
  row: Row
  /**
   * An error thrown before the first chunk becomes a problem; later it closes the connection, so
   * that a partial response is not mistaken for a complete one. A disconnecting client ends the
   * iteration.
   */
  run(
    context: RequestContext<Services, CallerOf<A>>,
    input: { params: { [Name in NamesIn<Route>]: string }; query: Static<Q>; format: StreamFormat },
  ): AsyncIterable<StreamChunk<Static<Row>>>
}

function withFormat(query: TSchema | undefined, { formats }: StreamOptions): TSchema | undefined {
  if (formats.length === 1) return query
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, TSchema> }
  const description = `The format of the response. By default \`Accept\` decides, otherwise ${formats[0]}.`
  return Type.Object({
    ...properties,
    format: Type.Optional(Type.Enum([...formats], { description })),
  })
}

/** Creates the typed `streamOperation` function for a set of services. */
export const streamOperationOf =
  <Services>() =>
  <
    const A extends Access,
    const Route extends `GET /${string}`,
    Q extends TSchema,
    Row extends TSchema,
  >({
    row,
    ...definition
  }: StreamDefinition<Services, A, Route, Q, Row>): Operation<Services> =>
    operationOf<Services>()({
      ...definition,
      query: withFormat(definition.query, definition.stream),
      returns: { 200: row },
      run: (context: never, input: never) =>
        Promise.resolve(definition.run(context, input)) as never,
    } as never)
