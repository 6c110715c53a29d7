import Joi from 'joi';
import { cursor, limit } from '../../shared/contracts/schemas/fields.js';
import { type OpenApiSchema, toQueryParameters } from '../../shared/contracts/schemas/to-openapi.js';

const uuid = { type: 'string', format: 'uuid' };

const inPath = { in: 'path', required: true };

export const sharedParameters = {
  id: {
    name: 'id',
    ...inPath,
    description: 'A malformed or foreign id is 404',
    schema: uuid,
    example: '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e',
  },
  external_id: {
    name: 'external_id',
    ...inPath,
    description: "The vendor's id of the record",
    schema: { type: 'string', maxLength: 200 },
    example: '281474976710656',
  },
  method_id: {
    name: 'method_id',
    ...inPath,
    description: 'The payment method; a malformed or foreign id is 404',
    schema: uuid,
    example: '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8f',
  },
  type: {
    name: 'type',
    ...inPath,
    description: 'An unknown type is 404',
    schema: { type: 'string' },
    example: 'invoice.created',
  },
  key: {
    name: 'key',
    ...inPath,
    description: 'An unknown key is 404',
    schema: { type: 'string' },
    example: 'en_route',
  },
  token: {
    name: 'token',
    ...inPath,
    description:
      'The token from download_url, or from the link in a mail; an expired or invalid token is 404',
    schema: { type: 'string' },
    example: 'AQs0ltwBogK0oltz…',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key within 24 hours returns the stored response, with X-Idempotency-Replay: true',
    schema: uuid,
  },
  IgnoredIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Accepted and ignored: a read is idempotent by itself',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETag of the version that may be changed, such as "2026-11-21T14:30:00.000Z"; if the record has another version, the response is 412 and lists the changes',
    schema: { type: 'string' },
  },
  ConsistencyToken: {
    name: 'X-Service-Consistency-Token',
    in: 'header',
    description:
      'Tokens of earlier responses, at most 20, with commas between them: the response includes the writes that they stand for, and may leave out later ones. Without this header it includes every committed write',
    schema: { type: 'string' },
  },
  DryRun: {
    name: 'X-Service-Dry-Run',
    in: 'header',
    description:
      'The literal true: check and preview the write, store nothing. The response is then 200 with the schema that x-other-responses names',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Nearly every list has these query parameters. */
export const sharedQueryParameters: Record<string, OpenApiSchema> = Object.fromEntries(
  toQueryParameters(Joi.object({ limit: limit(200), cursor: cursor() })).map((each) => [each.name, each]),
);
