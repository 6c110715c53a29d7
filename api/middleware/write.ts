import { assertAccess } from '../../shared/contracts/access.js';
import type { Actor, Command, CommandDefinition, CommandResult } from '../../shared/contracts/command.js';
import { renderDryRunResponse } from '../../shared/contracts/dry-run-response.js';
import { hashBody } from '../../shared/contracts/json/canonical-json.js';
import type { Principal } from '../../shared/contracts/principal.js';
import { validateAndReportUnknown } from '../../shared/contracts/schemas/validate.js';
import { readUserAgent } from '../../shared/http/request.js';
import {
  canShowRecord,
  hideRecordContents,
  refuseForeignReplay,
} from '../../shared/operations/response-visibility.js';
import { AppError, appErrorFromBody, notFound } from '../../shared/platform/errors.js';
import { isUuid, newId } from '../../shared/platform/ids.js';
import { currentTraceparent } from '../../shared/platform/tracing.js';
import type { Submitted } from '../../shared/queues/submit.js';
import { getResourceLabel } from '../../shared/registry/tables.js';
import { markAudited } from '../../shared/resources/audit-log/audited.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { assertRecentFactor } from '../runtime/recent-factor.js';
import { declareFacts, type RouteFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { type ParsedBody, readBody } from './body.js';
import { readIfMatch, setETag } from './etag.js';
import { reportUnknownNames } from './warnings.js';

export interface WriteOptions<Input> {
  /**
   * Label of the record in the path, for the error message of a 404. Set only if the command
   * creates or changes a different record.
   */
  resourceLabel?: string;
  /** Returns the id of the changed record when the path does not contain it. */
  getTargetId?: (ctx: ApiContext) => string;
  /**
   * Returns true if the body requests a dry run. The header X-Service-Dry-Run can request a dry run
   * too.
   */
  isDryRun?: (input: Input) => boolean;
  /** Returns another command for some inputs, which differs in its type alone. */
  chooseCommand?: (input: Input) => CommandDefinition<Input>;
  /** Reads a body that is not JSON, such as a picture. The result becomes the command's input. */
  readBody?: (ctx: ApiContext) => Promise<ParsedBody>;
  /** Adds values that only the api process has, such as the hash of a new key. */
  prepareInput?: (input: Input, ctx: ApiContext) => Input | Promise<Input>;
  /**
   * Replaces values such as a password before the body is hashed. An attacker could otherwise guess
   * these values from the hash.
   */
  bodyToHash?: (body: unknown) => unknown;
  transformResponse?: (body: string, command: Command<Input>) => string;
  /**
   * Adds members to the record of a committed write. These members depend on the caller or the
   * time. It must not fail, because the client would take the write for failed.
   */
  addMembers?: (body: string, ctx: ApiContext) => string | Promise<string>;
  /** If this returns true, a person with a second factor must prove it again. */
  isSensitive?: (input: Input) => boolean;
}

/**
 * Handles a write: checks access, validates the body, submits the command, waits for the commit and
 * responds.
 */
export function serveWrite<Input>(
  api: ApiRuntime,
  definition: CommandDefinition<Input>,
  options: WriteOptions<Input> = {},
): ApiMiddleware {
  const { resourceLabel = getResourceLabel(definition.entityType) } = options;
  return declareFacts(describeWrite(definition, options), async (ctx) => {
    ctx.state.intent = definition;
    assertAccess(ctx.state.key, definition);
    const targetId = options.getTargetId?.(ctx) ?? resolveTargetId(ctx, definition, resourceLabel);
    ctx.state.targetId = targetId;
    const writeHeaders = readWriteHeaders(ctx);
    const { value, bytes } = await (options.readBody ?? readBody)(ctx);
    let ignored: string[] = [];
    const checked = validateAndReportUnknown<Input>(definition.schema, value, (names) => {
      ignored = names;
      reportUnknownNames(ctx, names);
    });
    const permission = definition.permissionFor?.(checked) ?? definition.permission;
    if (permission !== definition.permission) assertAccess(ctx.state.key, { ...definition, permission });
    if (options.isSensitive?.(checked)) await assertRecentFactor(api, ctx.state.key);
    const dryRun = writeHeaders.dryRun || options.isDryRun?.(checked) === true;
    const command: Command<Input> = {
      ...describeOrigin(ctx),
      type: (options.chooseCommand?.(checked) ?? definition).type,
      entityId: targetId,
      input: (await options.prepareInput?.(checked, ctx)) ?? checked,
      dryRun,
      unknownFields: dryRun ? ignored : [],
      idempotency: writeHeaders.key
        ? {
            key: writeHeaders.key,
            method: ctx.method,
            path: getUnversionedPath(ctx),
            bodyHash: hashBody(selectBodyToHash(options, { value, key: ctx.state.key })),
          }
        : null,
      ifMatch: definition.creates ? null : readIfMatch(ctx),
    };
    const submitted = await api.submit(command, bytes);
    await respond(ctx, command, { ...options, definition, submitted });
    const isCommitted = !('accepted' in submitted) && !command.dryRun;
    if (isCommitted) await api.consistency.addTo(ctx);
  });
}

function describeWrite<Input>(
  definition: CommandDefinition<Input>,
  options: WriteOptions<Input>,
): RouteFacts {
  const { entityType, creates, isAccepted, schema } = definition;
  return {
    access: definition,
    entityType,
    ...(options.readBody ? {} : { body: schema }),
    ...(options.isSensitive ? { isSensitive: true } : {}),
    write: { status: creates ? (isAccepted ? 202 : 201) : 200 },
  };
}

/**
 * Returns the value whose hash is stored with the Idempotency-Key. A retry must have the same hash.
 * Usually the value is the body. If the response may show a secret, or if a motor club calls, the
 * value also contains the caller's id. Otherwise another caller could repeat the request.
 */
function selectBodyToHash<Input>(
  { bodyToHash, transformResponse }: WriteOptions<Input>,
  { value, key }: { value: unknown; key: Principal },
): unknown {
  const body = bodyToHash?.(value) ?? value;
  return transformResponse || key.clubId ? { value: body, by: key.clubId ?? key.id } : body;
}

/** The members of the principal that describe the author of a command. */
type Author = Pick<Principal, 'id' | 'kind' | 'name' | 'tenantId' | 'environment'>;

/**
 * Returns the members of a command or an audit entry that describe the request, its principal and
 * its client.
 */
export function describeOrigin(ctx: ApiContext, key: Author = ctx.state.key) {
  const { requestId, id } = ctx.state;
  return {
    id,
    tenantId: key.tenantId,
    environment: key.environment,
    actor: toActor(key),
    source: key.kind === 'user' ? ('dashboard' as const) : ('rest' as const),
    tool: null,
    requestId,
    traceparent: currentTraceparent(),
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
}

const ACTOR_TYPES = { api: 'api_key', agent: 'agent', user: 'user' } as const;

function toActor({ kind, id, name }: Author): Actor {
  return { type: ACTOR_TYPES[kind], id, name };
}

/** Returns a new id if the command creates a record, otherwise the id in the path. */
function resolveTargetId<Input>(
  ctx: ApiContext,
  { creates }: CommandDefinition<Input>,
  resourceLabel: string,
): string {
  const { id } = ctx.params;
  if (id !== undefined && !isUuid(id)) throw notFound(resourceLabel);
  return creates ? newId() : String(id).toLowerCase();
}

/**
 * Returns the path without the version prefix, because an idempotency key is valid across both
 * prefixes.
 */
function getUnversionedPath(ctx: ApiContext): string {
  return ctx.path.slice(ctx.state.prefix.length).toLowerCase();
}

/**
 * Reads the two headers that every write accepts (docs/specification.md §4.1).
 * @throws {AppError} 400 for an invalid value
 */
export function readWriteHeaders(ctx: ApiContext): { key: string | undefined; dryRun: boolean } {
  const dryRun = ctx.get('X-Service-Dry-Run');
  if (ctx.headers['x-service-dry-run'] !== undefined && dryRun !== 'true') {
    const message = 'X-Service-Dry-Run must be "true" or be left out';
    const details = [{ field: 'X-Service-Dry-Run', code: 'invalid', message }];
    throw new AppError('validation_error', `${message}.`, { details });
  }
  const key = ctx.get('Idempotency-Key');
  if (ctx.headers['idempotency-key'] !== undefined && !isUuid(key)) {
    throw new AppError('invalid_idempotency_key', 'Idempotency-Key must be a UUID.', {
      details: [{ field: 'Idempotency-Key', code: 'guid', message: 'Idempotency-Key must be a UUID' }],
    });
  }
  return { key: key ? key.toLowerCase() : undefined, dryRun: dryRun === 'true' };
}

type ResponseOptions<Input> = Pick<WriteOptions<Input>, 'transformResponse' | 'addMembers'> &
  Readonly<{ definition: CommandDefinition<Input>; submitted: Submitted }>;

async function respond<Input>(
  ctx: ApiContext,
  command: Command<Input>,
  { definition, submitted, transformResponse, addMembers }: ResponseOptions<Input>,
): Promise<void> {
  ctx.type = 'application/json';
  if ('accepted' in submitted) {
    ctx.status = 202;
    ctx.set('Location', `${ctx.state.prefix}/operations/${submitted.id}`);
    ctx.body = JSON.stringify({ ok: true, data: { operation_id: submitted.id, status: 'queued' } });
    return;
  }
  const { key } = ctx.state;
  if (!submitted.ok)
    throw markAudited(appErrorFromBody(hideRecordContents(key, definition, submitted.error)));
  ctx.status = submitted.status;
  const isShown = canShowRecord(key, definition, submitted);
  if (!isShown && definition.creates) refuseForeignReplay(key, definition);
  const shown = transformResponse ? transformResponse(submitted.body, command) : submitted.body;
  if (command.dryRun) {
    ctx.set('X-Service-Dry-Run', 'true');
    const body = isShown ? shown : JSON.stringify({ id: command.entityId });
    ctx.body = renderDryRunResponse(body, command.unknownFields);
    return;
  }
  setResultHeaders(ctx, submitted);
  if (isShown) ctx.body = addMembers ? await addMembers(shown, ctx) : shown;
  else ctx.body = JSON.stringify({ ok: true, data: { id: command.entityId } });
}

function setResultHeaders(ctx: ApiContext, result: Extract<CommandResult, { ok: true }>): void {
  if (result.location) ctx.set('Location', `${ctx.state.prefix}${result.location}`);
  if (result.replayed) ctx.set('X-Idempotency-Replay', 'true');
  setETag(ctx, result.body);
}
