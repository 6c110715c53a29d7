import Joi from 'joi';
import { environment, errorCode, tier } from '../../contracts/enums.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { allRequired, dateTime, uuid } from '../../contracts/schemas/fields.js';

export const errorDetail = Joi.object({
  field: Joi.string().example('line_items[0].quantity'),
  code: Joi.string().example('required'),
  message: Joi.string().example('line_items[0].quantity is required'),
})
  .unknown(true)
  .meta({ className: 'ErrorDetail' });

export const errorBody = Joi.object({
  code: errorCode
    .required()
    .description('Codes may be added: treat one that you do not know by its HTTP status'),
  message: Joi.string().required().example('invoice_number is required.'),
  details: Joi.array().items(errorDetail),
  requestId: Joi.string().example('0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e'),
}).meta({ className: 'ErrorBody' });

/** The error envelope (docs/specification.md §7). */
export const errorEnvelope = allRequired({
  ok: Joi.boolean().valid(false).example(false),
  error: errorBody,
}).meta({ className: 'Error' });

/** The response to a write that did not commit in time (docs/decisions.md §5). */
export const accepted = allRequired({
  ok: Joi.boolean().valid(true).example(true),
  data: allRequired({ operation_id: uuid(), status: Joi.string().valid('queued') }),
}).meta({ className: 'Accepted' });

/** The response to a dry run, which stores nothing. */
export const dryRun = allRequired({
  ok: Joi.boolean().valid(true).example(true),
  dry_run: Joi.boolean().valid(true).example(true),
  data: Joi.object({}).description('The resource as the write would have returned it'),
  warnings: Joi.array().items(Joi.string()),
});

export const operationStatus = namedEnum('OperationStatus', ['queued', 'succeeded', 'failed'], {
  queued: 'Stored and not run yet. It will run by itself',
  succeeded: 'Done; `result` holds the response',
  failed: 'Refused; `error` says why',
});

/** The response to a write that changed nothing, for a key that may not read the record. */
export const writeReceipt = Joi.object({
  ok: Joi.boolean().valid(true).required().example(true),
  dry_run: Joi.boolean().valid(true).example(true).description('Only of a dry run'),
  data: allRequired({ id: uuid() }).required(),
  warnings: Joi.array().items(Joi.string()).description('Only of a dry run'),
}).meta({ className: 'WriteReceipt' });

export const operation = Joi.object({
  id: uuid().required(),
  status: operationStatus.required(),
  result: Joi.object({}).description(
    'The resource, or its id alone when the write changed nothing and the key may not read it; only when succeeded',
  ),
  error: errorBody.description('Only when failed'),
  created_at: dateTime().required(),
}).meta({ className: 'Operation' });

export const me = allRequired({
  tenant: allRequired({
    id: uuid(),
    name: Joi.string().example('Hudson Towing'),
    environment,
    time_zone: Joi.string().example('America/New_York'),
  }),
  key: allRequired({
    id: uuid(),
    name: Joi.string().example('Dispatch software'),
    kind: Joi.string().valid('api', 'agent', 'user'),
    permissions: Joi.array().items(Joi.string()),
    scopes: Joi.array().items(Joi.string()),
    read_only: Joi.boolean(),
    expires_at: dateTime().allow(null),
  }),
  tier,
  rate_limits: Joi.array().items(
    allRequired({
      window: Joi.string().valid('minute', 'hour'),
      limit: Joi.number().integer().example(300),
      remaining: Joi.number().integer().example(299),
      reset_seconds: Joi.number().integer().example(60),
    }),
  ),
  mcp_url: Joi.string()
    .uri()
    .example('https://api.example.com/mcp')
    .description('Where agents reach the MCP server'),
}).meta({ className: 'Me' });
