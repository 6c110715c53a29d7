import { toOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { EVENT_TYPES } from '../../shared/contracts/vocabulary.js';
import {
  buildEventSchema,
  describeEventType,
  toEventComponentName,
} from '../../shared/resources/event-types/bodies.js';
import { type Components, type Json, referToSchema } from './components.js';

const createHeaderParameter = (name: string, description: string, schema: Json, example: unknown) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

/** The headers of every delivery (Standard Webhooks 1.0.0). */
const parameters = {
  WebhookId: createHeaderParameter(
    'webhook-id',
    'The id of the event, also in the body. Every attempt and replay has the same id; process each event once',
    { type: 'string', format: 'uuid' },
    '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e',
  ),
  WebhookTimestamp: createHeaderParameter(
    'webhook-timestamp',
    'Time of this attempt, in seconds since 1970. Reject deliveries older than five minutes',
    { type: 'integer' },
    1_795_271_400,
  ),
  WebhookSignature: createHeaderParameter(
    'webhook-signature',
    'Signatures of `id.timestamp.body`, separated by spaces. Each is `v1,` and the base64 of HMAC-SHA256, or `v1a,` and the base64 of ed25519. Accept the delivery if one matches',
    { type: 'string' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const responses = {
  WebhookAccepted: { description: 'Accepted. Redirects are not followed' },
  WebhookGone: { description: 'The service disables the endpoint and sends nothing more to it' },
  WebhookFailed: {
    description: 'Failed. The service tries again: ten attempts in all within four days',
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

/**
 * Builds one OpenAPI callback per event type. Each callback describes the POST of an event to the
 * `url` in the operation's request body. Adds the parameters, responses and schemas that the
 * callbacks refer to.
 */
export function buildEventCallbacks(tags: string[], components: Components): Json {
  Object.assign(components.parameters, parameters);
  Object.assign(components.responses, responses);
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const { description, fires_when, example } = describeEventType(type);
      const component = toEventComponentName(type);
      components.schemas[component] = toOpenApi(buildEventSchema(type));
      const post = {
        operationId: `on${component.replace(/Event$/, '')}`,
        tags,
        summary: description,
        description: `Fires when ${fires_when}.`,
        security: [],
        parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: referToSchema(component), example } },
        },
        responses: {
          '2XX': { $ref: '#/components/responses/WebhookAccepted' },
          '410': { $ref: '#/components/responses/WebhookGone' },
          default: { $ref: '#/components/responses/WebhookFailed' },
        },
      };
      return [type, { '{$request.body#/url}': { post } }];
    }),
  );
}
