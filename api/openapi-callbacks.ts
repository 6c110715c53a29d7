import { toOpenApi } from '../shared/contracts/to-openapi.js';
import { EVENT_TYPES } from '../shared/contracts/vocabulary.js';
import { bodySchema, componentOf, eventTypeView } from '../shared/resources/event-types/bodies.js';

type Json = Record<string, unknown>;

const header = (name: string, description: string, schema: Json, example: unknown) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

/** What stands in every delivery (Standard Webhooks 1.0.0). */
const parameters = {
  WebhookId: header(
    'webhook-id',
    'The id of the event, which is in the body too: the same on every attempt and replay. Handle each once',
    { type: 'string', format: 'uuid' },
    '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e',
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970. Refuse what is older than five minutes',
    { type: 'integer' },
    1_795_271_400,
  ),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures of `id.timestamp.body` with blanks between: `v1,` and the base64 of HMAC-SHA256, `v1a,` and that of ed25519. One that matches is enough',
    { type: 'string' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const responses = {
  '2XX': { description: 'Taken. Redirects are not followed' },
  '410': { description: 'The endpoint is disabled: it gets nothing more' },
  default: {
    description: 'A failure: the next attempt follows, ten in all within four days',
    headers: {
      'Retry-After': { $ref: '#/components/headers/RetryAfter' },
      'webhook-delivery': {
        description:
          'disable: send nothing more to this endpoint. abort-message: do not try this event again',
        schema: { type: 'string', enum: ['disable', 'abort-message'] },
        example: 'abort-message',
      },
    },
  },
};

/** One callback for each type of event: what is POSTed to the `url` in the request's body. */
export function eventCallbacks(tags: unknown): Json {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const { description, fires_when, example } = eventTypeView(type);
      const component = componentOf(type);
      const post = {
        operationId: `on${component.replace(/Event$/, '')}`,
        tags,
        summary: description,
        description: `Fires when ${fires_when}.`,
        security: [],
        parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` }, example } },
        },
        responses,
      };
      return [type, { '{$request.body#/url}': { post } }];
    }),
  );
}

/** The components that {@link eventCallbacks} refers to. */
export function callbackComponents(): { schemas: Json; parameters: Json } {
  const schemas = EVENT_TYPES.map((type) => [componentOf(type), toOpenApi(bodySchema(type))]);
  return { schemas: Object.fromEntries(schemas), parameters };
}
