import Joi from 'joi';
import type { Command, CommandDefinition, CommandResult } from '../../../shared/contracts/command.js';
import { hashBody } from '../../../shared/contracts/json/canonical-json.js';
import { dateTime, multilineText, uuid } from '../../../shared/contracts/schemas/fields.js';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import { createSystemCommand } from '../../../shared/contracts/system-command.js';
import { readUserAgent } from '../../../shared/http/request.js';
import { deriveUuid } from '../../../shared/platform/crypto.js';
import { AppError, appErrorFromBody } from '../../../shared/platform/errors.js';
import { newId } from '../../../shared/platform/ids.js';
import { createInspection } from '../../../shared/resources/inspections/commands.js';
import { inspectionFields } from '../../../shared/resources/inspections/fields.js';
import type { DrivenWorkOrder } from '../../../shared/resources/work-order-links/driver-queries.js';
import {
  completeWorkOrder,
  logWorkOrderStep,
  startWorkOrder,
  updateWorkOrder,
} from '../../../shared/resources/work-orders/commands.js';
import { DRIVER_STEPS } from '../../../shared/resources/work-orders/transitions.js';
import type { ApiContext } from '../../runtime/context.js';
import type { ApiRuntime } from '../../runtime/runtime.js';
import { formatTime } from '../tracking/format-time.js';
import { type DriverAction, MAX_MILES, MAX_NOTE_LENGTH } from './driver-contract.js';

const findingSchemas = Object.fromEntries(
  ['items', 'defects', 'odometer_miles', 'notes'].map((name) => [
    name,
    inspectionFields.creation[name] as Joi.Schema,
  ]),
);
const about = { id: uuid().required(), at: dateTime().required() };
const BY_KIND: Record<DriverAction['kind'], Joi.ObjectSchema> = {
  step: Joi.object({
    ...about,
    kind: Joi.string().required(),
    step: Joi.string()
      .valid(...DRIVER_STEPS)
      .required(),
  }),
  complete: Joi.object({
    ...about,
    kind: Joi.string().required(),
    miles: Joi.number().strict().min(0).max(MAX_MILES),
  }),
  note: Joi.object({
    ...about,
    kind: Joi.string().required(),
    text: multilineText(MAX_NOTE_LENGTH).required(),
  }),
  inspection: Joi.object({ ...about, kind: Joi.string().required(), ...findingSchemas }),
};
const kindOnly = Joi.object({
  kind: Joi.string()
    .valid(...Object.keys(BY_KIND))
    .required(),
});

/** @throws {AppError} 400 with every fault of the action */
export function parseAction(body: unknown): DriverAction {
  const { kind } = validate<{ kind: DriverAction['kind'] }>(kindOnly, body);
  return validate<DriverAction>(BY_KIND[kind], body);
}

/** The status of a work order on which the driver has not started yet. */
const NOT_STARTED = 'dispatched';

/**
 * Maximum number of tries to add a note. A try fails if another write changes the work order at the
 * same time.
 */
const MAX_NOTE_TRIES = 4;

/** A request from the driver's page, with the work order of its link. */
export interface DriverRequest {
  api: ApiRuntime;
  ctx: ApiContext;
  workOrder: DrivenWorkOrder;
  /** Reads the work order again. */
  reread: () => Promise<DrivenWorkOrder | undefined>;
}

/**
 * Submits the commands of an action. Sending the same action twice has the effect of sending it
 * once.
 * @throws {AppError} the error of the refused command
 */
export async function runAction(request: DriverRequest, action: DriverAction): Promise<void> {
  const { workOrder } = request;
  const at = toPast(action.at, workOrder.dispatch_time);
  if (action.kind === 'note') return addNote(request, action);
  if (action.kind === 'inspection') return fileInspection(request, action);
  const mustStart = workOrder.status === NOT_STARTED && !isBeforeStart(action);
  const step = action.kind === 'step' ? action.step : 'cleared';
  // The step comes first, because it shows where the truck is. A work order that is started without
  // a step counts as one whose truck has reached the pickup.
  await submitOne(request, { definition: logWorkOrderStep, input: { step, at }, action });
  if (mustStart) await submitOne(request, { definition: startWorkOrder, input: {}, action });
  if (action.kind === 'step') return;
  const { miles } = action;
  const input = { at, ...(miles === undefined ? {} : { miles }) };
  await submitOne(request, { definition: completeWorkOrder, input, action });
}

/**
 * True if the action shows only that the driver has seen the work order, and not that the driver
 * has left.
 */
function isBeforeStart(action: DriverAction): boolean {
  return action.kind === 'step' && ['offered', 'acknowledged'].includes(action.step);
}

/**
 * Returns the action's time, or the current time if the phone's clock is ahead.
 * @param earliest the earliest time that can be true, such as the time of the assignment; prices
 *   depend on the returned time
 */
export function toPast(at: string, earliest: string | null = null): string {
  const time = Math.max(Date.parse(at), earliest === null ? 0 : Date.parse(earliest));
  return new Date(Math.min(time, Date.now())).toISOString();
}

/**
 * Appends a note to the existing notes. Tries again if another write changes the work order first.
 */
async function addNote(
  request: DriverRequest,
  action: Extract<DriverAction, { kind: 'note' }>,
): Promise<void> {
  let { workOrder } = request;
  for (let tries = 1; ; tries += 1) {
    const input = { notes: [workOrder.notes, formatNote(workOrder, action)].filter(Boolean).join('\n') };
    if (input.notes.length > 5000)
      throw new AppError('conflict', 'The notes of this job are full. Call your dispatcher.');
    try {
      await submitOne(request, {
        definition: updateWorkOrder,
        input,
        action,
        ifMatch: [workOrder.updated_at],
      });
      return;
    } catch (error) {
      const isOutdated = error instanceof AppError && error.code === 'precondition_failed';
      const fresh = isOutdated && tries < MAX_NOTE_TRIES ? await request.reread() : undefined;
      if (!fresh) throw error;
      workOrder = fresh;
    }
  }
}

function formatNote(
  { driver_name, unit_number, time_zone: timeZone }: DrivenWorkOrder,
  { at, text }: { at: string; text: string },
): string {
  const time = formatTime(new Date(toPast(at)), { timeZone, now: new Date() });
  return `[${time}, ${driver_name ?? `Truck ${unit_number}`}] ${text}`;
}

async function fileInspection(
  request: DriverRequest,
  action: Extract<DriverAction, { kind: 'inspection' }>,
): Promise<void> {
  const { id, driver_id, truck_id } = request.workOrder;
  const { id: _id, at: _at, kind: _kind, ...findings } = action;
  const input = { ...findings, kind: 'pre_trip', truck_id, driver_id, work_order_id: id };
  await submitOne(request, { definition: createInspection, input, action });
}

interface Submission {
  definition: Pick<CommandDefinition, 'type' | 'creates'>;
  input: unknown;
  action: { id: string };
  ifMatch?: string[];
  /** The record to change, if it is not the work order. */
  entityId?: string;
}

/**
 * Submits one command as the driver. The work order, the action's id and the command determine its
 * idempotency key. So an action that is sent twice acts once, and its key cannot collide with the
 * key of another caller.
 */
export async function submitOne(
  { api, ctx, workOrder }: DriverRequest,
  { definition, input, action, ifMatch, entityId }: Submission,
): Promise<Extract<CommandResult, { ok: true }> | undefined> {
  const { tenant_id: tenantId, id: workOrderId, environment } = workOrder;
  const { type, creates } = definition;
  const actor = describeDriver(workOrder);
  const command: Command = {
    ...createSystemCommand({
      type,
      tenantId,
      environment,
      name: actor.name,
      entityId: entityId ?? (creates ? newId() : workOrderId),
      input,
    }),
    actor,
    // Commands from requests without a key have the source `webhook`.
    source: 'webhook',
    idempotency: {
      key: deriveUuid(['driver page', workOrderId, action.id.toLowerCase(), type]),
      method: ctx.method,
      path: `/d/${workOrderId}`,
      bodyHash: hashBody(action),
    },
    ifMatch: ifMatch ?? null,
    requestId: ctx.state.requestId,
    ip: ctx.ip,
    userAgent: readUserAgent(ctx.req),
  };
  const submitted = await api.submit(command, 0);
  if ('accepted' in submitted) return undefined;
  if (!submitted.ok) throw appErrorFromBody(submitted.error);
  return submitted;
}

/**
 * Returns the driver's name for the audit log. If the truck has no driver, returns the truck's
 * name.
 */
function describeDriver({ driver_id, truck_id, driver_name, unit_number }: DrivenWorkOrder) {
  const name = `${driver_name ?? `Truck ${unit_number}`} (driver's page)`;
  return { type: 'system' as const, id: driver_id ?? truck_id, name };
}
